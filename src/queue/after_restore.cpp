#include "queue/after_restore.hpp"

#include "core/blocks.hpp"
#include "pg/cached_table.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/keys.hpp"
#include "pg/sequence.hpp"
#include "pg/spi.hpp"
#include "queue/low_water.hpp"
#include "ring/ring_state.hpp"

namespace awa::queue {

namespace {

constinit pg::Statement arm_triggers("SELECT awa.arm_triggers()", {});
constinit pg::Statement ledger_after_restore("SELECT awa_ledger.after_restore()", {});

constinit pg::Statement lanes_in_use("SELECT DISTINCT lane_id FROM awa.ready_entries ORDER BY lane_id", {});

// A loaded entry may carry the xid of a transaction that is running here, or yet to come: it would come out again, or for
// the first time, when that one ends. 3 is the first xid there is: it ended long ago, and the frontiers that are rebuilt
// look at everything. Entries that were just committed here are changed with them, which costs them their order only.
constinit pg::Statement stamp_entries(
    "UPDATE awa.ready_entries SET xid = '3' WHERE xid >= pg_snapshot_xmin(pg_current_snapshot())", {});

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

// Locks every lane that has entries: a claim that looked at the rings before may no longer be at work.
void lock_lanes(pg::Sql &sql, core::Memory &memory) {
  core::Vec<core::LaneId> lanes(memory);
  const std::uint64_t count = sql.run(lanes_in_use, {});
  for (std::uint64_t row = 0; row < count; ++row) {
    bool is_null = false;
    lanes.push_back({DatumGetInt32(sql.value(row, 1, is_null))});
  }
  for (const core::LaneId lane : lanes) pg::lock({pg::KeyClass::lane, lane.value}, pg::LockStrength::exclusive);
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
  sql.run(ledger_after_restore, {});
  lock_lanes(sql, memory);
  sql.run(stamp_entries, {});
  sql.run(drop_frontiers, {});
  sql.run(drop_marks, {});
  // Rows may have come into leaves that sessions saw empty, and that the ring never came to here. Claims are kept away by the
  // locks on the lanes until all sessions are told.
  pg::CachedTable::forget_all();
  LowWater::reset();
  move_beyond(sql, greatest_entry, entry_seq, core::kEntryBlock);
  move_beyond(sql, greatest_receipt, receipt_seq, core::kReceiptBlock);
  move_beyond(sql, greatest_queue, queue_seq, 1);
}

}  // namespace awa::queue
