// cancel, cancel_many, retry, set_priority, move, delete_job.

#include "entry/arguments.hpp"
#include "outcome/attempts_of_jobs.hpp"
#include "pg/boundary.hpp"
#include "pg/memory.hpp"
#include "pg/transaction.hpp"
#include "queue/cancel.hpp"
#include "queue/change_jobs.hpp"
#include "queue/enqueue.hpp"
#include "queue/retry_job.hpp"

namespace {

namespace core = awa::core;
namespace pg = awa::pg;
namespace outcome = awa::outcome;
namespace queue = awa::queue;
using awa::entry::Arguments;

// A reason that may be null: then none is kept.
std::string_view reason_of(const Arguments &arguments, int position) {
  return arguments.is_null(position) ? std::string_view{} : pg::text_view(arguments.datum(position));
}

// Acts on a job that did not wait when it was looked for: it is being attempted, or has gone from one to the other meanwhile.
// It is followed as long as it moves.
template <typename OnWaiting, typename OnAttempt>
bool act_on(core::JobId job, OnWaiting &&on_waiting, OnAttempt &&on_attempt) {
  bool rests = false;
  for (;;) {
    const outcome::Found found = on_attempt(job);
    if (found == outcome::Found::done) return true;
    if (rests) return false;
    // An attempt that was over when it was held may have given the job back; one that waits now may be claimed right then.
    rests = found == outcome::Found::nothing;
    if (on_waiting(job)) return true;
    pg::check_for_interrupts();
  }
}

// Cancels the jobs that have not ended. Returns how many. Those that wait come first: lanes are locked before attempts.
std::size_t cancel(std::span<const core::JobId> jobs, std::string_view reason, core::Memory &memory) {
  core::Vec<core::JobId> cancelled = queue::cancel_waiting(jobs, reason, memory);
  std::sort(cancelled.begin(), cancelled.end());
  std::size_t count = cancelled.size();
  for (const core::JobId job : jobs) {
    if (std::binary_search(cancelled.begin(), cancelled.end(), job)) continue;
    const bool done = act_on(
        job,
        [&](core::JobId id) {
          return !queue::cancel_waiting({&id, 1}, reason, memory).empty();
        },
        [&](core::JobId id) { return outcome::cancel_attempt(id, reason, memory); });
    if (done) ++count;
  }
  return count;
}

}  // namespace

AWA_SQL_FUNCTION(awa_cancel) {
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  const core::JobId job = arguments.job(0);
  pg::require_writable("awa.cancel()");
  return pg::datum(cancel({&job, 1}, reason_of(arguments, 1), scratch.memory()) > 0);
}

AWA_SQL_FUNCTION(awa_cancel_many) {
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  const auto jobs = arguments.jobs(0, scratch.memory());
  pg::require_writable("awa.cancel_many()");
  return pg::datum(static_cast<std::int32_t>(cancel(jobs, reason_of(arguments, 1), scratch.memory())));
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
  const auto delete_waiting = [&](core::JobId id) { return queue::delete_waiting(id, scratch.memory()); };
  const auto delete_attempt = [&](core::JobId id) { return outcome::delete_attempt(id, scratch.memory()); };
  return pg::datum(delete_waiting(job) || act_on(job, delete_waiting, delete_attempt));
}
