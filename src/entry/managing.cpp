// delete_job.

#include "entry/arguments.hpp"
#include "pg/boundary.hpp"
#include "pg/memory.hpp"
#include "pg/transaction.hpp"
#include "queue/waiting_jobs.hpp"

AWA_SQL_FUNCTION(awa_delete_job) {
  namespace pg = awa::pg;
  pg::ScratchContext scratch;
  const awa::entry::Arguments arguments(fcinfo);
  arguments.require(0, "job_id");
  pg::require_writable("awa.delete_job()");
  return pg::datum(awa::queue::delete_job({DatumGetInt64(arguments.datum(0))}));
}
