// Single waiting jobs: on a lane, or for a time. Whoever takes one from where it waits holds it first: the lane of its entry,
// or its deferred row; then looks again; then writes.
#pragma once

#include <optional>
#include <span>

#include "core/containers.hpp"
#include "core/job_state.hpp"
#include "core/lane.hpp"
#include "ring/job_body.hpp"

namespace awa::queue {

// The lock of a lane, waited for as long as a claim would wait. Errors: 55P03. For a transaction that holds attempt keys it
// is only tried: others take a lane first, keys second.
void lock_lane(core::LaneId lane);

// A waiting job that is held: until the transaction ends nobody else claims or changes it.
struct WaitingJob {
  core::JobId job;
  core::LaneId lane;              // that it waits on, or will wait on
  core::JobState state;           // available, scheduled or retryable
  core::Slot slot;                // of its entry, if it is available
  core::LaneSeq seq;              // of its entry, if it is available
  core::Micros finalized_at = 0;  // of a retryable one: when its last attempt ended
  ring::JobBody body;

  bool has_entry() const noexcept { return state == core::JobState::available; }
};

// Finds and holds those of the jobs that wait. Lanes are locked in ascending order, as far as they are known in advance. A
// job that others move meanwhile is followed. Errors: 55P03 when a lane or a row was not to be had in awa_ring.claim_wait.
core::Vec<WaitingJob> hold_waiting(std::span<const core::JobId> jobs, core::Memory &memory);

// Why an entry is tombstoned, as stored.
enum class Removal : std::uint8_t { cancelled, moved, deleted, replaced };

// Takes held jobs from where they wait: tombstones their entries, removes their deferred rows. Keys, and what becomes of the
// jobs, are the caller's business.
void take_away(std::span<const WaitingJob> jobs, Removal reason, core::Memory &memory);

}  // namespace awa::queue
