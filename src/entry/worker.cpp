// start_worker, stop_worker; the main functions of background workers.

#include "worker/worker.hpp"

#include "pg/boundary.hpp"
#include "pg/datum.hpp"
#include "pg/memory.hpp"
#include "pg/transaction.hpp"
#include "worker/starting.hpp"

extern "C" {
PGDLLEXPORT void awa_worker_main(Datum);
PGDLLEXPORT void awa_usher_main(Datum);
PGDLLEXPORT void awa_launcher_main(Datum);
}

extern "C" void awa_worker_main(Datum) { awa::worker::run_worker(); }

extern "C" void awa_usher_main(Datum) { awa::worker::run_usher(); }

extern "C" void awa_launcher_main(Datum) { awa::worker::run_launcher(); }

AWA_SQL_FUNCTION(awa_start_worker) {
  awa::pg::ScratchContext scratch;
  awa::pg::require_writable("awa.start_worker()");
  return awa::pg::datum(awa::worker::start_worker());
}

AWA_SQL_FUNCTION(awa_stop_worker) {
  awa::pg::ScratchContext scratch;
  awa::pg::require_writable("awa.stop_worker()");
  return awa::pg::datum(awa::worker::stop_worker());
}
