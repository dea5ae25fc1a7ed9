// The library's start: settings and callbacks.

#include "ledger/open_transfers.hpp"
#include "pg/boundary.hpp"
#include "pg/cached_table.hpp"
#include "pg/commit_watch.hpp"
#include "pg/sequence.hpp"
#include "pg/settings.hpp"

extern "C" {
PG_MODULE_MAGIC;
PGDLLEXPORT void _PG_init(void);
}

extern "C" void _PG_init(void) {
  awa::pg::boundary([] {
    awa::pg::guarded([] {
      awa::pg::define_settings();
      awa::pg::CachedTable::watch_invalidations();
      awa::pg::CachedSequence::watch_invalidations();
      awa::pg::watch_transactions();
    });
    awa::ledger::watch_open_transfers();
    return Datum{0};
  });
}
