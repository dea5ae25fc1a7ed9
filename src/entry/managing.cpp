// cancel, cancel_many, retry, set_priority, move, delete_job.

#include "outcome/managing.hpp"

#include "entry/arguments.hpp"
#include "pg/boundary.hpp"
#include "pg/memory.hpp"
#include "pg/transaction.hpp"
#include "queue/change_jobs.hpp"
#include "queue/enqueue.hpp"
#include "queue/retry_job.hpp"

namespace {

namespace core = awa::core;
namespace outcome = awa::outcome;
namespace pg = awa::pg;
namespace queue = awa::queue;
using awa::entry::Arguments;

// A reason that may be null: then none is kept.
std::string_view reason_of(const Arguments &arguments, int position) {
  return arguments.is_null(position) ? std::string_view{} : pg::text_view(arguments.datum(position));
}

}  // namespace

AWA_SQL_FUNCTION(awa_cancel) {
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  const core::JobId job = arguments.job(0);
  pg::require_writable("awa.cancel()");
  return pg::datum(outcome::cancel({&job, 1}, reason_of(arguments, 1), scratch.memory()) > 0);
}

AWA_SQL_FUNCTION(awa_cancel_many) {
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  const auto jobs = arguments.jobs(0, scratch.memory());
  pg::require_writable("awa.cancel_many()");
  return pg::datum(static_cast<std::int32_t>(outcome::cancel(jobs, reason_of(arguments, 1), scratch.memory())));
}

AWA_SQL_FUNCTION(awa_retry) {
  pg::ScratchContext scratch;
  const core::JobId job = Arguments(fcinfo).job(0);
  pg::require_writable("awa.retry()");
  return pg::datum(queue::retry_job(job, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_set_priority) {
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  const core::JobId job = arguments.job(0);
  const int priority = arguments.int4(1, "priority", 1, core::kPriorities);
  pg::require_writable("awa.set_priority()");
  return pg::datum(queue::set_priority(job, priority, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_move) {
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  const core::JobId job = arguments.job(0);
  const auto name = arguments.queue_name(1);
  pg::require_writable("awa.move()");
  return pg::datum(queue::move(job, queue::find_to_produce(name), scratch.memory()));
}

AWA_SQL_FUNCTION(awa_delete_job) {
  pg::ScratchContext scratch;
  const core::JobId job = Arguments(fcinfo).job(0);
  pg::require_writable("awa.delete_job()");
  return pg::datum(outcome::delete_job(job, scratch.memory()));
}
