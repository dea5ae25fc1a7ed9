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

// Starts a worker in each database that was not served before, one after the other: those that find no extension take no more
// than one slot in all. `served` becomes the list of those that there still are. Returns whether all had their turn.
bool serve(List *&served) {
  List *databases = NIL;
  if (!in_transaction(list, &databases)) return false;
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
  return all;
}

}  // namespace

void run_launcher() {
  pg::begin_worker();
  pg::connect_worker(InvalidOid, kLauncher.type);
  MemoryContextSwitchTo(AllocSetContextCreate(TopMemoryContext, "awa_ring launcher", ALLOCSET_DEFAULT_SIZES));
  List *served = NIL;
  for (;;) {
    const bool all = !pg::autostart() || serve(served);
    pg::sleep_worker(GetCurrentTimestamp() + (all ? kBetweenRounds : kSlotsMayBeFree));
    if (pg::is_asked_to_leave()) pg::leave_for_good();
  }
}

}  // namespace awa::worker
