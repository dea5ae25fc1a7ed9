#include "queue/waiting_jobs.hpp"

#include "core/lane.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/keys.hpp"
#include "pg/settings.hpp"
#include "pg/spi.hpp"
#include "receipt/attempt_keys.hpp"

namespace awa::queue {

namespace {

constexpr Oid kJob[] = {INT8OID};
constexpr Oid kJobAndLane[] = {INT8OID, INT4OID};

// Lanes the job may wait on: a job that was carried, moved or tried again has left entries behind.
constinit pg::Statement find_lanes("SELECT DISTINCT lane_id FROM awa.ready_entries WHERE job_id = $1 ORDER BY lane_id",
                                   kJob);

// Looks again, now that the lane is locked. The tombstone is the count that stays until its slot is emptied: a common
// counter would make deletions, and prune, wait for each other.
constinit pg::Statement tombstone_deleted(R"sql(
  WITH waiting AS (
    SELECT ready_slot, lane_id, lane_seq, job_id FROM awa.unspent_entries WHERE job_id = $1 AND lane_id = $2
  )
  INSERT INTO awa.ready_tombstones (ready_slot, lane_id, lane_seq, job_id, tombstoned_at, reason)
  SELECT ready_slot, lane_id, lane_seq, job_id, clock_timestamp(), 'deleted' FROM waiting)sql",
                                          kJobAndLane);

}  // namespace

void lock_lane(core::LaneId lane) {
  const pg::Key key{pg::KeyClass::lane, lane.value};
  const int patience = receipt::holds_attempt_keys() ? 0 : static_cast<int>(pg::claim_wait() / 1000);
  const bool locked = patience > 0 ? pg::lock_within(key, pg::LockStrength::exclusive, patience)
                                   : pg::try_lock(key, pg::LockStrength::exclusive);
  if (locked) return;
  const core::Lane busy = core::lane_of(lane);
  pg::raise({.sqlstate = ERRCODE_LOCK_NOT_AVAILABLE,
             .message = "a lane is held by a claim that does not end",
             .detail = pg::format("It is that of queue id %d, priority %d, shard %d.", busy.queue.value, busy.priority,
                                  busy.shard),
             .hint = "See awa.lane_status for the session, and try again."});
}

bool delete_job(core::JobId job) {
  pg::Sql sql;
  const Datum by_job[] = {pg::datum(job)};
  core::LaneId lanes[16];
  std::uint64_t count = sql.run(find_lanes, by_job);
  count = std::min<std::uint64_t>(count, std::size(lanes));
  for (std::uint64_t row = 0; row < count; ++row) {
    bool is_null = false;
    lanes[row] = {DatumGetInt32(sql.value(row, 1, is_null))};
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    lock_lane(lanes[i]);
    const Datum values[] = {pg::datum(job), pg::datum(lanes[i])};
    if (sql.run(tombstone_deleted, values) > 0) return true;
  }
  return false;
}

}  // namespace awa::queue
