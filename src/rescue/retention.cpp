#include "rescue/retention.hpp"

#include "outcome/dead_letters.hpp"
#include "pg/compat.hpp"
#include "pg/datum.hpp"
#include "pg/spi.hpp"

namespace awa::rescue {

namespace {

constexpr std::int64_t kBatch = 1'000;
static_assert(kBatch == outcome::kMostLettersExpired);

constexpr Oid kExpired[] = {INT4OID, TIMESTAMPTZOID, INT8OID, INT4OID};

// Queues that have something to remove, dropped ones too. A job is kept for at least the time that its queue says now.
constinit pg::Statement find_failed(R"sql(
  SELECT q.queue_id, clock_timestamp() - q.failed_retention FROM awa.queues q
  WHERE EXISTS (SELECT FROM awa.failed_history f
                WHERE f.queue_id = q.queue_id AND f.finalized_at < clock_timestamp() - q.failed_retention)
  ORDER BY q.queue_id)sql",
                                    {}, pg::Planning::once_by_index);

constinit pg::Statement find_letters(R"sql(
  SELECT q.queue_id, clock_timestamp() - q.dead_letter_retention FROM awa.queues q
  WHERE EXISTS (SELECT FROM awa.dlq_entries d
                WHERE d.queue_id = q.queue_id AND d.dlq_at < clock_timestamp() - q.dead_letter_retention)
  ORDER BY q.queue_id)sql",
                                     {}, pg::Planning::once_by_index);

// Deleted and counted at once.
constinit pg::Statement expire_failed(R"sql(
  WITH chosen AS MATERIALIZED (
    SELECT f.job_id, f.run_lease FROM awa.failed_history f WHERE f.queue_id = $1 AND f.finalized_at < $2
    ORDER BY f.finalized_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM awa.failed_history f USING chosen c WHERE f.job_id = c.job_id AND f.run_lease = c.run_lease
    RETURNING f.priority, f.outcome
  ), counted AS (
    INSERT INTO awa.queue_terminal_rollups AS r (queue_id, priority, outcome, jobs, session)
    SELECT $1, priority, outcome, count(*), $4 FROM gone GROUP BY 2, 3
    ON CONFLICT (queue_id, priority, outcome, session) DO UPDATE SET jobs = r.jobs + EXCLUDED.jobs
  )
  SELECT FROM gone)sql",
                                      kExpired, pg::Planning::once_by_index);

std::int64_t expire_failed_jobs(core::QueueId queue, core::Micros before, core::Memory &) {
  const Datum values[] = {pg::datum(queue), pg::datum(before), pg::datum(kBatch), pg::datum(pg::own_number())};
  return static_cast<std::int64_t>(pg::Sql().run(expire_failed, values));
}

struct Due {
  core::QueueId queue;
  core::Micros before;
};

core::Vec<Due> find(pg::Statement &finding, core::Memory &memory) {
  core::Vec<Due> due(memory);
  pg::Sql sql;
  const std::uint64_t count = sql.run(finding, {});
  for (std::uint64_t row = 0; row < count; ++row) {
    bool is_null = false;
    const core::QueueId queue{DatumGetInt32(sql.value(row, 1, is_null))};
    due.push_back({queue, DatumGetTimestampTz(sql.value(row, 2, is_null))});
  }
  return due;
}

using Expire = std::int64_t (*)(core::QueueId queue, core::Micros before, core::Memory &memory);

void expire(pg::Statement &finding, Expire expire_some, Steps &steps, Expired &expired, core::Memory &memory) {
  core::Vec<Due> due(memory);
  if (!steps.run([&] { due = find(finding, memory); })) expired.all = false;
  for (const Due &each : due) {
    std::int64_t gone = kBatch;
    while (gone == kBatch) {
      if (!steps.run([&] { gone = expire_some(each.queue, each.before, memory); })) {
        expired.all = false;
        return;
      }
      expired.jobs += gone;
    }
  }
}

}  // namespace

Expired apply_retention(Steps &steps, core::Memory &memory) {
  Expired expired;
  expire(find_failed, expire_failed_jobs, steps, expired, memory);
  expire(find_letters, outcome::expire_dead_letters, steps, expired, memory);
  return expired;
}

}  // namespace awa::rescue
