#include "pg/settings.hpp"
#include "worker/duty.hpp"
#include "worker/worker.hpp"

namespace awa::worker {

namespace {

constexpr core::Micros kBetweenRounds = 60'000'000;  // for databases that were copied from others
constexpr core::Micros kSlotsMayBeFree = 5'000'000;
constexpr core::Micros kProbe = 300'000;  // a worker that stays longer has found something to do

// The list outlives the transaction.
void list(void *databases) {
  pg::guarded([=] {
    MemoryContext const before = MemoryContextSwitchTo(TopMemoryContext);
    *static_cast<List **>(databases) = pg::databases_at_work();
    MemoryContextSwitchTo(before);
  });
}

enum class Served : std::uint8_t { all, without_slot, failed };

// Starts a worker in each database that was not served before, one after the other: those that find no extension take no more
// than one slot in all. `served` becomes the list of those that there still are. Returns whether all had their turn.
Served serve(List *&served) {
  List *databases = NIL;
  if (!in_transaction(list, &databases)) return Served::failed;
  bool all = true;
  List *now_served = NIL;
  ListCell *cell;
  foreach (cell, databases) {
    Oid const database = lfirst_oid(cell);
    if (!list_member_oid(served, database)) {
      BackgroundWorkerHandle *handle = nullptr;
      all = all && pg::register_worker(kWorker, {.database = database}, &handle);
      if (!all) continue;
      pg::wait_for_end(handle, kProbe);
      pfree(handle);
    }
    MemoryContext const before = MemoryContextSwitchTo(TopMemoryContext);
    now_served = lappend_oid(now_served, database);
    MemoryContextSwitchTo(before);
  }
  list_free(databases);
  list_free(served);
  served = now_served;
  return all ? Served::all : Served::without_slot;
}

}  // namespace

void run_launcher() {
  pg::begin_worker();
  pg::connect_worker(InvalidOid, kLauncher.type);
  MemoryContextSwitchTo(AllocSetContextCreate(TopMemoryContext, "awa_ring launcher", ALLOCSET_DEFAULT_SIZES));
  List *served = NIL;
  Served outcome = Served::all;
  for (;;) {
    const Served before = std::exchange(outcome, pg::autostart() ? serve(served) : Served::all);
    if (outcome == Served::without_slot && before != outcome) {
      pg::log_line("there are not enough background workers for the databases that may have awa_ring", nullptr,
                   "It is tried again until there are. Raise max_worker_processes.");
    }
    pg::sleep_worker(GetCurrentTimestamp() + (outcome == Served::all ? kBetweenRounds : kSlotsMayBeFree));
    if (pg::is_asked_to_leave()) pg::leave_for_good();
  }
}

}  // namespace awa::worker
