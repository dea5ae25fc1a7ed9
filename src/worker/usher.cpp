#include "worker/duty.hpp"
#include "worker/worker.hpp"

namespace awa::worker {

namespace {

constexpr core::Micros kBetweenLooks = 500'000;

struct Look {
  Oid database;
  bool free = false;
  bool there = false;
};

void look(void *argument) {
  auto &look = *static_cast<Look *>(argument);
  pg::guarded([&] {
    look.free = pg::is_database_free(look.database);
    look.there = pg::is_database_there(look.database);
  });
}

}  // namespace

void run_usher() {
  const pg::WorkerStart start = pg::begin_worker();
  pg::connect_worker(InvalidOid, kUsher.type);
  MemoryContextSwitchTo(AllocSetContextCreate(TopMemoryContext, "awa_ring usher", ALLOCSET_DEFAULT_SIZES));
  for (;;) {
    pg::sleep_worker(GetCurrentTimestamp() + kBetweenLooks);
    if (pg::is_asked_to_leave()) pg::leave_for_good();
    Look found{start.database};
    if (!in_transaction(look, &found)) pg::leave_for_now();
    if (!found.free) continue;
    // The transaction of who wanted the database is over: it is there or not.
    if (!found.there || pg::register_worker(kWorker, start)) pg::leave_for_good();
  }
}

}  // namespace awa::worker
