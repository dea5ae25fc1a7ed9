#include "wake/seats.hpp"

#include <atomic>

#include "pg/commit_watch.hpp"
#include "pg/compat.hpp"

namespace awa::wake {

namespace {

struct SharedSeat {
  std::atomic<std::uint64_t> queues;  // 0 = nobody waits here
  std::atomic<Oid> database;
  std::atomic<Latch *> latch;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<Latch *>::is_always_lock_free);

struct Room {
  std::int32_t count;
  std::atomic<std::int32_t> highest;  // seats from here on were never taken
  SharedSeat seats[1];
};

constinit Room *room = nullptr;
constinit std::uint64_t brought = 0;  // by this transaction
constinit bool leaves_at_exit = false;

constinit shmem_request_hook_type request_before = nullptr;
constinit shmem_startup_hook_type startup_before = nullptr;

Size size_of_room() noexcept { return offsetof(Room, seats) + static_cast<Size>(MaxBackends) * sizeof(SharedSeat); }

void request() {
  if (request_before != nullptr) request_before();
  RequestAddinShmemSpace(size_of_room());
}

void start_up() {
  if (startup_before != nullptr) startup_before();
  bool found = false;
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  room = static_cast<Room *>(ShmemInitStruct("awa_ring seats", size_of_room(), &found));
  if (!found) {
    memset(static_cast<void *>(room), 0, size_of_room());
    room->count = MaxBackends;
  }
  LWLockRelease(AddinShmemInitLock);
}

SharedSeat *own_seat() noexcept {
  if (room == nullptr) return nullptr;
  const std::int32_t number = pg::own_number();
  return number >= 1 && number <= room->count ? &room->seats[number - 1] : nullptr;
}

void leave() noexcept {
  if (SharedSeat *const seat = own_seat()) seat->queues.store(0);
}

void leave_at_exit(int, Datum) { leave(); }

// Nothing in here may raise: the transaction has committed.
void wake() noexcept {
  const std::uint64_t queues = std::exchange(brought, 0);
  if (queues == 0 || room == nullptr) return;
  const std::int32_t highest = room->highest.load();
  for (std::int32_t i = 0; i < highest; ++i) {
    SharedSeat &seat = room->seats[i];
    if ((seat.queues.load() & queues) == 0 || seat.database.load() != MyDatabaseId) continue;
    if (Latch *const latch = seat.latch.load()) SetLatch(latch);
  }
}

constinit pg::CommitWatcher watcher{[] {}, wake};

}  // namespace

void prepare() {
  pg::watch_commits(watcher);
  if (!process_shared_preload_libraries_in_progress) return;
  request_before = std::exchange(shmem_request_hook, request);
  startup_before = std::exchange(shmem_startup_hook, start_up);
}

bool has_seats() noexcept { return own_seat() != nullptr; }

Seat::~Seat() { leave(); }

void Seat::wait_for(const Queues &queues) {
  SharedSeat *const seat = own_seat();
  if (seat == nullptr) return;
  if (!leaves_at_exit) {
    pg::guarded([] { before_shmem_exit(leave_at_exit, Datum{0}); });
    leaves_at_exit = true;
  }
  seat->database.store(MyDatabaseId);
  seat->latch.store(MyLatch);
  const std::int32_t number = pg::own_number();
  for (std::int32_t highest = room->highest.load();
       highest < number && !room->highest.compare_exchange_weak(highest, number);) {
  }
  seat->queues.store(queues.bits());
}

void at_commit(core::QueueId queue) noexcept {
  Queues queues;
  queues.add(queue);
  brought |= queues.bits();
}

}  // namespace awa::wake
