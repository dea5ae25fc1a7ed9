#include "outcome/ended_jobs.hpp"

#include "pg/datum.hpp"
#include "pg/spi.hpp"
#include "ring/rollups.hpp"

namespace awa::outcome {

namespace {

constexpr Oid kJob[] = {INT8OID};

// The slot of a terminal row is not known: each is probed. A completion tombstone tells check() that the job is missed with
// right.
constinit pg::Statement delete_rows(R"sql(
  WITH letter AS (
    DELETE FROM awa.dlq_entries WHERE job_id = $1 RETURNING queue_id, priority
  ), failed AS (
    DELETE FROM awa.failed_history WHERE job_id = $1 RETURNING queue_id, priority
  ), done AS (
    DELETE FROM awa.done_entries
    WHERE ready_slot = ANY ('{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15}') AND job_id = $1
    RETURNING ready_slot, lane_id, run_lease, lane_seq
  ), noted AS (
    INSERT INTO awa.receipt_completion_tombstones (ready_slot, lane_id, job_id, run_lease, lane_seq, deleted_at)
    SELECT ready_slot, lane_id, $1, run_lease, lane_seq, clock_timestamp() FROM done
    ON CONFLICT (ready_slot, job_id, run_lease) DO NOTHING
  )
  SELECT queue_id * 256 + (priority - 1) * 64 AS lane_id FROM letter
  UNION ALL
  SELECT queue_id * 256 + (priority - 1) * 64 FROM failed
  UNION ALL
  SELECT lane_id FROM done)sql",
                                    kJob);

constinit pg::Statement delete_success(R"sql(
  WITH entries AS MATERIALIZED (
    SELECT e.ready_slot, e.lane_id, e.lane_seq FROM awa.ready_entries e WHERE e.job_id = $1
  ), done AS (
    INSERT INTO awa.receipt_completion_tombstones (ready_slot, lane_id, job_id, run_lease, lane_seq, deleted_at)
    SELECT b.ready_slot, b.lane_id, $1, b.run_leases[p.place], e.lane_seq, clock_timestamp()
    FROM entries e
      JOIN awa.receipt_completion_batches b ON b.ready_slot = e.ready_slot AND b.lane_id = e.lane_id
      CROSS JOIN LATERAL array_position(b.lane_seqs, e.lane_seq) AS p(place)
    WHERE b.job_ids[p.place] = $1
    ON CONFLICT (ready_slot, job_id, run_lease) DO NOTHING
    RETURNING lane_id
  )
  SELECT lane_id FROM done)sql",
                                       kJob);

}  // namespace

bool delete_ended(core::JobId job) {
  const Datum values[] = {pg::datum(job)};
  pg::Sql sql;
  if (sql.run(delete_rows, values) == 0 && sql.run(delete_success, values) == 0) return false;
  bool is_null = false;
  ring::count_gone({DatumGetInt32(sql.value(0, 1, is_null))}, "deleted", 1);
  return true;
}

}  // namespace awa::outcome
