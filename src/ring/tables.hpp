// The ring tables, as the code knows them: their columns by number, and the leaves of each slot.
#pragma once

#include "core/ids.hpp"
#include "core/ring.hpp"
#include "pg/cached_table.hpp"

namespace awa::ring {

enum class Ring : std::uint8_t { queue, claim, lease };

constexpr int slots_of(Ring ring) noexcept {
  return ring == Ring::queue ? core::kQueueSlots : ring == Ring::claim ? core::kClaimSlots : core::kLeaseSlots;
}

// Columns by number, in the order of sql/schema, and the indexes that the code uses. `columns` is their number.
namespace ready_entries {
enum : AttrNumber {
  ready_slot = 1,
  lane_id,
  xid,
  lane_seq,
  job_id,
  run_lease,
  run_at,
  created_at,
  attempt,
  max_attempts,
  unique_states,
  kind,
  args,
  payload,
  own_deadline,
  unique_key,
  columns = unique_key
};
enum : int { by_position, by_job };  // indexes
}  // namespace ready_entries

namespace ready_tombstones {
enum : AttrNumber { ready_slot = 1, lane_id, lane_seq, job_id, tombstoned_at, reason, columns = reason };
enum : int { by_position };
}  // namespace ready_tombstones

namespace attempt_batches {
enum : AttrNumber {
  ready_slot = 1,
  lane_id,
  batch_id,
  ready_generation,
  first_seq,
  last_seq,
  claimed_at,
  claim_slot,
  claimed_count,
  lane_ranges,
  columns = lane_ranges
};
enum : int { by_batch };
}  // namespace attempt_batches

namespace completion_batches {
enum : AttrNumber {
  ready_slot = 1,
  lane_id,
  batch_id,
  ready_generation,
  finalized_at,
  claim_slot,
  completed_count,
  job_ids,
  run_leases,
  lane_seqs,
  attempts,
  claimed_at,
  columns = claimed_at
};
enum : int { by_batch };
}  // namespace completion_batches

namespace done_entries {
enum : AttrNumber {
  ready_slot = 1,
  lane_id,
  job_id,
  run_lease,
  lane_seq,
  finalized_at,
  claimed_at,
  run_at,
  created_at,
  attempt,
  max_attempts,
  unique_states,
  state,
  outcome,
  result,
  kind,
  args,
  payload,
  own_deadline,
  unique_key,
  columns = unique_key
};
enum : int { by_job };
}  // namespace done_entries

namespace claim_batches {
enum : AttrNumber {
  claim_slot = 1,
  ready_slot,
  batch_id,
  fence,
  ready_generation,
  claimed_at,
  deadline_at,
  lane_id,
  claimed_count,
  job_ids,
  run_leases,
  lane_seqs,
  attempts,
  max_attempts,
  receipt_ranges,
  keyed_receipts,
  columns = keyed_receipts
};
enum : int { by_batch, by_deadline };
}  // namespace claim_batches

namespace closure_batches {
enum : AttrNumber {
  claim_slot = 1,
  ready_slot,
  batch_id,
  claim_batch_id,
  ready_generation,
  closed_at,
  closed_count,
  receipt_ranges,
  outcome,
  columns = outcome
};
enum : int { by_batch, several_by_receipts };
}  // namespace closure_batches

namespace lane_frontiers {
enum : AttrNumber {
  claim_slot = 1,
  lane_id,
  frontier_id,
  done_xmin,
  done_xmax,
  cur_xmin,
  cur_xmax,
  at_xid,
  at_seq,
  opened_at,
  claimed_total,
  recheck,
  carried,
  done_xip,
  cur_xip,
  columns = cur_xip
};
enum : int { by_lane };
}  // namespace lane_frontiers

namespace row_claims {  // lease_claims
enum : AttrNumber {
  claim_slot = 1,
  ready_slot,
  receipt_id,
  fence,
  job_id,
  run_lease,
  ready_generation,
  lane_seq,
  deadline_at,
  claimed_at,
  lane_id,
  attempt,
  max_attempts,
  keyed,
  columns = keyed
};
enum : int { by_receipt, by_deadline };
}  // namespace row_claims

namespace row_closures {  // lease_claim_closures
enum : AttrNumber { claim_slot = 1, ready_slot, receipt_id, job_id, run_lease, closed_at, outcome, columns = outcome };
enum : int { by_receipt };
}  // namespace row_closures

namespace deferred_jobs {
enum : AttrNumber {
  job_id = 1,
  queue_id,
  priority,
  shard,
  state,
  finalized_at,
  run_lease,
  run_at,
  created_at,
  attempt,
  max_attempts,
  unique_states,
  kind,
  args,
  payload,
  own_deadline,
  unique_key,
  columns = unique_key
};
enum : int { by_job, by_due };
}  // namespace deferred_jobs

namespace queue_ring_slots {
enum : AttrNumber { slot = 1, generation, opened_at, sealed_at, sealed_xid, drained, columns = drained };
enum : int { by_slot };  // indexes
}  // namespace queue_ring_slots

// The leaf of a slot.
pg::CachedTable &ready_entries_leaf(core::Slot slot) noexcept;
pg::CachedTable &ready_tombstones_leaf(core::Slot slot) noexcept;
pg::CachedTable &attempt_batches_leaf(core::Slot slot) noexcept;
pg::CachedTable &completion_batches_leaf(core::Slot slot) noexcept;
pg::CachedTable &done_entries_leaf(core::Slot slot) noexcept;
pg::CachedTable &claim_batches_leaf(core::Slot slot) noexcept;
pg::CachedTable &closure_batches_leaf(core::Slot slot) noexcept;
pg::CachedTable &lane_frontiers_leaf(core::Slot slot) noexcept;
pg::CachedTable &row_claims_leaf(core::Slot slot) noexcept;
pg::CachedTable &row_closures_leaf(core::Slot slot) noexcept;

pg::CachedTable &deferred_jobs_table() noexcept;
pg::CachedTable &queue_ring_slots_table() noexcept;

}  // namespace awa::ring
