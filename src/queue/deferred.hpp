// Deferred jobs: scheduled and retryable ones rest in a table of their own until they are due; then they become entries.
//
// They keep their id, and their body as it is: body.run_at is when they are due, body.last_lease the lease that the next
// attempt counts from. Nothing of a ring is pinned meanwhile.
#pragma once

#include <span>

#include "core/containers.hpp"
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

// Those of the jobs that are deferred, locked against everybody else until the transaction ends. What another transaction
// has locked is waited for, for awa_ring.claim_wait. Errors: 55P03 when it was not to be had.
core::Vec<DeferredJob> hold_deferred(std::span<const core::JobId> jobs, core::Memory &memory);

// The same without another try: those that are to be had at once.
core::Vec<DeferredJob> try_hold_deferred(std::span<const core::JobId> jobs, core::Memory &memory);

// Removes deferred jobs that are held.
void remove_deferred(std::span<const core::JobId> jobs, core::Memory &memory);

// The deferred job of a row of the last result, which has all columns of the table in their order. Its body is copied into
// the current context.
DeferredJob deferred_job_of(const pg::Sql &sql, std::uint64_t row);

}  // namespace awa::queue
