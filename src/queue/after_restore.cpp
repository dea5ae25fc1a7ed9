#include "queue/after_restore.hpp"

#include "core/blocks.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/keys.hpp"
#include "pg/sequence.hpp"
#include "pg/spi.hpp"
#include "ring/generation.hpp"
#include "ring/ring_state.hpp"

namespace awa::queue {

namespace {

constexpr Oid kSlotAndLane[] = {INT4OID, INT4OID};

constinit pg::Statement arm_triggers("SELECT awa.arm_triggers()", {});

// What the statement's snapshot sees though its transaction is yet to come, and is not this one, is of another cluster.
constinit pg::Statement foreign_lanes(R"sql(
  SELECT DISTINCT lane_id FROM awa.ready_entries
  WHERE xid >= pg_snapshot_xmax(pg_current_snapshot()) AND xid <> pg_current_xact_id() ORDER BY lane_id)sql",
                                      {});

// The row trigger stamps the copies with this transaction's xid. In the slot that they go to, a tombstone would name the
// copy as well as the original: there the original itself is removed.
constinit pg::Statement append_again(R"sql(
  WITH loaded AS (
    SELECT * FROM awa.unspent_entries
    WHERE lane_id = $2 AND xid >= pg_snapshot_xmax(pg_current_snapshot()) AND xid <> pg_current_xact_id()
  ), tombstoned AS (
    INSERT INTO awa.ready_tombstones (ready_slot, lane_id, lane_seq, job_id, tombstoned_at, reason)
    SELECT ready_slot, lane_id, lane_seq, job_id, clock_timestamp(), 'carried' FROM loaded WHERE ready_slot <> $1
  ), removed AS (
    DELETE FROM awa.ready_entries e USING loaded o
    WHERE o.ready_slot = $1 AND e.ready_slot = $1 AND e.lane_id = o.lane_id AND e.xid = o.xid AND e.lane_seq = o.lane_seq
  )
  INSERT INTO awa.ready_entries (ready_slot, lane_id, lane_seq, job_id, run_lease, run_at, created_at, attempt,
                                 max_attempts, unique_states, kind, args, payload, own_deadline, unique_key)
  SELECT $1, lane_id, lane_seq, job_id, run_lease, run_at, created_at, attempt, max_attempts, unique_states, kind, args,
         payload, own_deadline, unique_key
  FROM loaded)sql",
                                     kSlotAndLane);

constinit pg::Statement drop_frontiers("DELETE FROM awa.lane_frontiers", {});
constinit pg::Statement drop_marks("DELETE FROM awa.foreign_loads", {});

constinit pg::Statement greatest_entry(R"sql(
  SELECT GREATEST((SELECT max(GREATEST(lane_seq, job_id)) FROM awa.ready_entries),
                  (SELECT max(GREATEST(lane_seq, job_id)) FROM awa.leases),
                  (SELECT max(job_id) FROM awa.deferred_jobs),
                  (SELECT max(job_id) FROM awa.dlq_entries),
                  (SELECT max(job_id) FROM awa.failed_history)))sql",
                                       {});
constinit pg::Statement greatest_receipt(R"sql(
  SELECT GREATEST((SELECT max(batch_id + claimed_count) FROM awa.lease_claim_batches),
                  (SELECT max(receipt_id) FROM awa.lease_claims),
                  (SELECT max(batch_id) FROM awa.lease_claim_closure_batches),
                  (SELECT max(batch_id) FROM awa.ready_claim_attempt_batches),
                  (SELECT max(batch_id) FROM awa.receipt_completion_batches),
                  (SELECT max(receipt_id) FROM awa.leases)))sql",
                                         {});
constinit pg::Statement greatest_queue("SELECT max(queue_id)::bigint FROM awa.queues", {});

constinit pg::CachedSequence entry_seq("entry_seq");
constinit pg::CachedSequence receipt_seq("receipt_seq");
constinit pg::CachedSequence queue_seq("queue_seq");

// Moves a sequence so that its next block lies behind every number in use.
void move_beyond(pg::Sql &sql, pg::Statement &greatest, pg::CachedSequence &sequence, std::int64_t block) {
  sql.run(greatest, {});
  bool none = false;
  const std::int64_t used = DatumGetInt64(sql.value(0, 1, none));
  if (none || used < pg::last_value(sequence.oid())) return;
  pg::set_value(sequence.oid(), used / block * block);
}

// Lanes with entries of another cluster, each locked against claims.
core::Vec<core::LaneId> lock_foreign_lanes(pg::Sql &sql, core::Memory &memory) {
  core::Vec<core::LaneId> lanes(memory);
  const std::uint64_t count = sql.run(foreign_lanes, {});
  for (std::uint64_t row = 0; row < count; ++row) {
    bool is_null = false;
    lanes.push_back({DatumGetInt32(sql.value(row, 1, is_null))});
  }
  for (const core::LaneId lane : lanes) pg::lock({pg::KeyClass::lane, lane.value}, pg::LockStrength::exclusive);
  return lanes;
}

}  // namespace

void after_restore(core::Memory &memory) {
  for (const ring::Ring ring : {ring::Ring::queue, ring::Ring::claim, ring::Ring::lease}) {
    if (ring::RingState(ring).try_lock()) continue;
    pg::raise({.sqlstate = ERRCODE_LOCK_NOT_AVAILABLE,
               .message = "maintenance is at work on the rings",
               .hint = "Try again in a moment."});
  }
  pg::Sql sql;
  sql.run(arm_triggers, {});
  const core::Vec<core::LaneId> lanes = lock_foreign_lanes(sql, memory);
  const ring::CurrentLeaf current = ring::open_current(ring::Ring::queue, ring::ready_entries_leaf);
  for (const core::LaneId lane : lanes) {
    const Datum values[] = {pg::datum(current.table.slot()), pg::datum(lane)};
    sql.run(append_again, values);
  }
  sql.run(drop_frontiers, {});
  sql.run(drop_marks, {});
  move_beyond(sql, greatest_entry, entry_seq, core::kEntryBlock);
  move_beyond(sql, greatest_receipt, receipt_seq, core::kReceiptBlock);
  move_beyond(sql, greatest_queue, queue_seq, 1);
}

}  // namespace awa::queue
