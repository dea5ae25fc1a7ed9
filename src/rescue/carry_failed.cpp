#include "rescue/carry_failed.hpp"

#include "pg/datum.hpp"
#include "pg/spi.hpp"

namespace awa::rescue {

namespace {

constexpr Oid kSlotAndCount[] = {INT4OID, INT4OID};

// A narrow row has its body in the entry beside it.
constinit pg::Statement move_failed(R"sql(
  WITH chosen AS MATERIALIZED (
    SELECT d.job_id, d.run_lease FROM awa.done_entries d JOIN awa.queues q ON q.queue_id = d.lane_id / 256
    WHERE d.ready_slot = $1 AND d.state = 'failed' AND d.finalized_at > clock_timestamp() - q.failed_retention
    LIMIT $2 FOR UPDATE OF d SKIP LOCKED
  ), gone AS (
    DELETE FROM awa.done_entries d USING chosen c
    WHERE d.ready_slot = $1 AND d.job_id = c.job_id AND d.run_lease = c.run_lease
    RETURNING d.*
  )
  INSERT INTO awa.failed_history (job_id, run_lease, queue_id, priority, finalized_at, run_at, created_at, attempt,
                                  max_attempts, unique_states, outcome, kind, args, payload, own_deadline, unique_key)
  SELECT d.job_id, d.run_lease, d.lane_id / 256, d.lane_id % 256 / 64 + 1, d.finalized_at, coalesce(d.run_at, e.run_at),
         coalesce(d.created_at, e.created_at), d.attempt, coalesce(d.max_attempts, e.max_attempts),
         coalesce(d.unique_states, e.unique_states), d.outcome, coalesce(d.kind, e.kind), coalesce(d.args, e.args),
         coalesce(d.payload, e.payload), coalesce(d.own_deadline, e.own_deadline),
         coalesce(d.unique_key, e.unique_key)
  FROM gone d
    LEFT JOIN awa.ready_entries e ON d.kind IS NULL AND e.ready_slot = $1 AND e.job_id = d.job_id
      AND e.lane_id = d.lane_id AND e.lane_seq = d.lane_seq)sql",
                                    kSlotAndCount);

}  // namespace

std::int32_t carry_failed(core::Slot slot) {
  const Datum values[] = {pg::datum(slot), pg::datum(kMostFailedCarried)};
  pg::Sql sql;
  return static_cast<std::int32_t>(sql.run(move_failed, values));
}

}  // namespace awa::rescue
