#include "queue/queue_admin.hpp"

#include "core/lane.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/keys.hpp"
#include "pg/pause_point.hpp"
#include "pg/settings.hpp"
#include "pg/spi.hpp"
#include "pg/transaction.hpp"
#include "queue/cancel.hpp"
#include "queue/enqueue.hpp"
#include "queue/queues.hpp"
#include "queue/waiting_jobs.hpp"
#include "receipt/attempt_end.hpp"

namespace awa::queue {

namespace {

constexpr Oid kSettingTypes[] = {TEXTOID,     INT4OID,     INT4OID, INTERVALOID, INTERVALOID, INTERVALOID,
                                 INTERVALOID, INTERVALOID, BOOLOID, BOOLOID,     INTERVALOID, INTERVALOID};
constexpr Oid kName[] = {TEXTOID};
constexpr Oid kQueueId[] = {INT4OID};

// An interval of zero stands for none where a setting may be none.
constinit pg::Statement insert_queue(R"sql(
  INSERT INTO awa.queues (queue_id, queue, enqueue_shards, shards_used, max_attempts, deadline, stale_after, aging,
                          backoff_base, backoff_cap, dead_letter, notify, failed_retention, dead_letter_retention)
  SELECT pg_catalog.nextval('awa.queue_seq'), $1, $2, $2, $3, NULLIF($4, '0'), $5, NULLIF($6, '0'), $7, $8, $9, $10, $11, $12
  WHERE NOT EXISTS (SELECT FROM awa.queues WHERE queue = $1 AND dropped_at IS NULL)
  ON CONFLICT (queue) WHERE dropped_at IS NULL DO NOTHING)sql",
                                     kSettingTypes);

constinit pg::Statement update_queue(R"sql(
  UPDATE awa.queues q
  SET (enqueue_shards, shards_used, max_attempts, deadline, stale_after, aging, backoff_base, backoff_cap, dead_letter,
       notify, failed_retention, dead_letter_retention)
    = (n.enqueue_shards, GREATEST(q.shards_used, n.enqueue_shards), n.max_attempts, n.deadline, n.stale_after, n.aging,
       n.backoff_base, n.backoff_cap, n.dead_letter, n.notify, n.failed_retention, n.dead_letter_retention)
  FROM (SELECT queue_id, COALESCE($2, enqueue_shards) AS enqueue_shards, COALESCE($3, max_attempts) AS max_attempts,
               NULLIF(COALESCE($4, deadline), '0') AS deadline, COALESCE($5, stale_after) AS stale_after,
               NULLIF(COALESCE($6, aging), '0') AS aging, COALESCE($7, backoff_base) AS backoff_base,
               COALESCE($8, backoff_cap) AS backoff_cap, COALESCE($9, dead_letter) AS dead_letter,
               COALESCE($10, notify) AS notify, COALESCE($11, failed_retention) AS failed_retention,
               COALESCE($12, dead_letter_retention) AS dead_letter_retention
        FROM awa.queues WHERE queue = $1 AND dropped_at IS NULL FOR UPDATE) n
  WHERE q.queue_id = n.queue_id
    AND (q.enqueue_shards, q.max_attempts, q.deadline, q.stale_after, q.aging, q.backoff_base, q.backoff_cap,
         q.dead_letter, q.notify, q.failed_retention, q.dead_letter_retention)
        IS DISTINCT FROM
        (n.enqueue_shards, n.max_attempts, n.deadline, n.stale_after, n.aging, n.backoff_base, n.backoff_cap,
         n.dead_letter, n.notify, n.failed_retention, n.dead_letter_retention))sql",
                                     kSettingTypes);

constinit pg::Statement set_paused(
    "UPDATE awa.queues SET paused_at = clock_timestamp() WHERE queue = $1 AND dropped_at IS NULL AND paused_at IS NULL",
    kName);
constinit pg::Statement set_resumed(
    "UPDATE awa.queues SET paused_at = NULL WHERE queue = $1 AND dropped_at IS NULL AND paused_at IS NOT NULL", kName);

// Tombstones the unspent entries of a lane and writes their end beside them: narrow rows, the body is the entry's.
constinit pg::Statement purge_lane(R"sql(
  WITH waiting AS (
    SELECT ready_slot, lane_id, lane_seq, job_id, run_lease, attempt, unique_key
    FROM awa.unspent_entries WHERE lane_id = $1
  ), freed AS (
    DELETE FROM awa.job_unique_claims u USING waiting w WHERE u.job_id = w.job_id AND w.unique_key IS NOT NULL
  ), tombstoned AS (
    INSERT INTO awa.ready_tombstones (ready_slot, lane_id, lane_seq, job_id, tombstoned_at, reason)
    SELECT ready_slot, lane_id, lane_seq, job_id, clock_timestamp(), 'purged' FROM waiting
  )
  INSERT INTO awa.done_entries (ready_slot, lane_id, job_id, run_lease, lane_seq, finalized_at, attempt, state, outcome)
  SELECT ready_slot, lane_id, job_id, run_lease, lane_seq, clock_timestamp(), attempt, 'cancelled', 'cancelled'
  FROM waiting)sql",
                                   kQueueId);

constinit pg::Statement find_waiting("SELECT job_id FROM awa.unspent_entries WHERE lane_id = $1", kQueueId);

constinit pg::Statement find_deferred("SELECT job_id FROM awa.deferred_jobs WHERE queue_id = $1 LIMIT 5000", kQueueId);

constinit pg::Statement count_unfinished(R"sql(
  SELECT (SELECT count(*) FROM awa.unspent_entries WHERE lane_id BETWEEN $1 * 256 AND $1 * 256 + 255)
       + (SELECT count(*) FROM awa.open_receipts WHERE lane_id BETWEEN $1 * 256 AND $1 * 256 + 255)
       + (SELECT count(*) FROM awa.leases WHERE lane_id BETWEEN $1 * 256 AND $1 * 256 + 255)
       + (SELECT count(*) FROM awa.deferred_jobs WHERE queue_id = $1))sql",
                                         kQueueId);
constinit pg::Statement mark_dropped("UPDATE awa.queues SET dropped_at = clock_timestamp() WHERE queue_id = $1",
                                     kQueueId);

const char *shown(std::string_view name) { return pg::format("%.*s", static_cast<int>(name.size()), name.data()); }

std::uint64_t run_with_settings(pg::Statement &statement, std::string_view name, const QueueSettings &settings) {
  Datum values[QueueSettings::kCount + 1] = {pg::text_datum(name)};
  bool nulls[QueueSettings::kCount + 1] = {};
  std::copy(std::begin(settings.values), std::end(settings.values), values + 1);
  std::copy(std::begin(settings.nulls), std::end(settings.nulls), nulls + 1);
  pg::Sql sql;
  return sql.run(statement, values, nulls);
}

bool run_on_name(pg::Statement &statement, std::string_view name) {
  find(name);
  const Datum values[] = {pg::text_datum(name)};
  pg::Sql sql;
  return sql.run(statement, values) > 0;
}

core::Vec<core::JobId> jobs_of(pg::Statement &statement, Datum parameter, core::Memory &memory) {
  pg::Sql sql;
  const Datum values[] = {parameter};
  const std::uint64_t count = sql.run(statement, values);
  core::Vec<core::JobId> jobs(memory);
  for (std::uint64_t row = 0; row < count; ++row) {
    bool is_null = false;
    jobs.push_back({DatumGetInt64(sql.value(row, 1, is_null))});
  }
  return jobs;
}

// Calls visit(lane) for every lane of the queue that may hold entries.
template <typename Visit>
void for_each_lane(const Queue &queue, Visit &&visit) {
  for (int priority = 1; priority <= core::kPriorities; ++priority) {
    for (int shard = 0; shard < queue.shards_used; ++shard) visit(core::lane_id({queue.id, priority, shard}));
  }
}

}  // namespace

bool create_queue(std::string_view name, const QueueSettings &settings) {
  return run_with_settings(insert_queue, name, settings) > 0;
}

bool alter_queue(std::string_view name, const QueueSettings &settings) {
  find(name);
  return run_with_settings(update_queue, name, settings) > 0;
}

bool pause_queue(std::string_view name) { return run_on_name(set_paused, name); }

bool resume_queue(std::string_view name) {
  const bool resumed = run_on_name(set_resumed, name);
  if (resumed) notify(find(name));  // what was enqueued meanwhile woke nobody
  return resumed;
}

std::int32_t purge_queue(std::string_view name, core::Memory &memory) {
  const Queue queue = find(name);
  std::uint64_t purged = 0;
  for (;;) {
    const core::Vec<core::JobId> deferred = jobs_of(find_deferred, pg::datum(queue.id), memory);
    if (deferred.empty()) break;
    // One that was promoted meanwhile is found on its lane.
    purged += cancel_waiting(deferred, {}, memory).size();
    pg::check_for_interrupts();
  }
  for_each_lane(queue, [&](core::LaneId lane) {
    AWA_PAUSE_POINT("wait.before_lanes");
    lock_lane(lane);
    AWA_PAUSE_POINT("wait.before_look");
    if (receipt::has_end_listener()) {
      core::Vec<receipt::Ended> ended(memory);
      for (const core::JobId job : jobs_of(find_waiting, pg::datum(lane), memory)) {
        ended.push_back({job, {}, receipt::JobFate::cancelled});
      }
      receipt::tell_ended(ended, memory);
    }
    const Datum values[] = {pg::datum(lane)};
    pg::Sql sql;
    purged += sql.run(purge_lane, values);
  });
  return static_cast<std::int32_t>(purged);
}

Queue hold_to_drop(std::string_view name) {
  const Queue queue = find(name);
  // Producers share this key: with it, none is at work and none can begin.
  if (!pg::try_lock({pg::KeyClass::queue, queue.id.value}, pg::LockStrength::exclusive)) {
    pg::raise({.sqlstate = ERRCODE_OBJECT_IN_USE,
               .message = pg::format("queue \"%s\" is in use", shown(name)),
               .detail = "Another transaction enqueues jobs, or drops it, and has not ended.",
               .hint = "Try again when it has."});
  }
  for_each_lane(queue, [&](core::LaneId lane) { lock_lane(lane); });
  return queue;
}

void drop_held(const Queue &queue, std::string_view name) {
  const Datum by_id[] = {pg::datum(queue.id)};
  pg::Sql sql;
  sql.run(count_unfinished, by_id);
  bool is_null = false;
  const std::int64_t unfinished = DatumGetInt64(sql.value(0, 1, is_null));
  if (unfinished > 0) {
    pg::raise({.sqlstate = ERRCODE_OBJECT_IN_USE,
               .message = pg::format("queue \"%s\" has unfinished jobs", shown(name)),
               .detail = pg::format("It has %lld.", static_cast<long long>(unfinished)),
               .hint = "Wait for the running ones to end, and cancel the waiting ones with awa.purge_queue(); or "
                       "cancel all of them with force => true."});
  }
  sql.run(mark_dropped, by_id);
}

}  // namespace awa::queue
