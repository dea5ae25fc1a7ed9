// Deferred jobs: scheduled and retryable ones rest in a table of their own until they are due; then they become entries.
//
// They keep their id, and their body as it is: body.run_at is when they are due, body.last_lease the lease that the next
// attempt counts from. Nothing of a ring is pinned meanwhile.
#pragma once

#include <span>

#include "core/job_state.hpp"
#include "core/lane.hpp"
#include "ring/job_body.hpp"

namespace awa::queue {

struct DeferredJob {
  core::JobId job;
  core::LaneId lane;                                 // that it will wait on
  core::JobState state = core::JobState::scheduled;  // or retryable
  core::Micros finalized_at = 0;                     // when its last attempt ended; 0 = there was none
  ring::JobBody body;
};

// Lays the jobs aside. Their unique keys are the caller's business (queue/unique_keys.hpp), and so is how they left where
// they were. The transaction must be writable. Errors: 23505 when a job is deferred already.
void defer(std::span<const DeferredJob> jobs);

// Turns jobs that are due into entries, in the order of their due times, priorities and ids, and sends a NOTIFY for queues
// that want one. At most kMostPromoted a call; what others are working on is left for another time. A job that does not get
// the unique key it needs ends cancelled. Returns how many jobs it dealt with. The transaction must be writable.
std::int32_t promote_due(core::Memory &memory);

constexpr std::size_t kMostPromoted = 10'000;

}  // namespace awa::queue
