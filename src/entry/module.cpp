// The library's start: settings, callbacks, and the launcher where it is preloaded.

#include "ledger/bound_holds.hpp"
#include "ledger/open_transfers.hpp"
#include "pg/boundary.hpp"
#include "pg/cached_table.hpp"
#include "pg/commit_watch.hpp"
#include "pg/compat.hpp"
#include "pg/result_set.hpp"
#include "pg/sequence.hpp"
#include "pg/settings.hpp"
#include "receipt/attempt_end.hpp"
#include "wake/seats.hpp"
#include "worker/worker.hpp"

extern "C" {
AWA_MODULE_MAGIC;
PGDLLEXPORT void _PG_init(void);
}

extern "C" void _PG_init(void) {
  awa::pg::boundary([] {
    awa::pg::guarded([] {
      awa::pg::define_settings();
      awa::pg::CachedTable::watch_invalidations();
      awa::pg::CachedSequence::watch_invalidations();
      awa::pg::watch_transactions();
      awa::pg::watch_row_types();
      awa::wake::prepare();
      if (awa::pg::is_being_preloaded()) awa::pg::register_permanent_worker(awa::worker::kLauncher);
    });
    awa::ledger::watch_open_transfers();
    awa::receipt::install_end_listener(awa::ledger::end_bound_holds);
    return Datum{0};
  });
}
