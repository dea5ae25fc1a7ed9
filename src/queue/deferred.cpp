#include "queue/deferred.hpp"

#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "pg/spi.hpp"
#include "pg/transaction.hpp"
#include "queue/enqueue.hpp"
#include "queue/entries.hpp"
#include "queue/queues.hpp"

namespace awa::queue {

namespace {

namespace column = ring::deferred_jobs;

constexpr std::size_t kBatch = 1'000;

constexpr Oid kPlace[] = {TIMESTAMPTZOID, INT2OID, INT8OID, TIMESTAMPTZOID, INT8OID};
constexpr Oid kJobs[] = {INT8ARRAYOID};

constinit pg::Statement lock_due(R"sql(
  SELECT d.* FROM awa.deferred_jobs d
  WHERE (d.run_at, d.priority, d.job_id) > ($1, $2, $3) AND d.run_at <= $4
  ORDER BY d.run_at, d.priority, d.job_id LIMIT $5 FOR UPDATE SKIP LOCKED)sql",
                                 kPlace);

constinit pg::Statement delete_jobs("DELETE FROM awa.deferred_jobs WHERE job_id = ANY ($1)", kJobs);

DeferredJob job_of(const pg::Sql &sql, std::uint64_t row) {
  bool is_null = false;
  const auto value = [&](AttrNumber number) { return sql.value(row, number, is_null); };
  DeferredJob job;
  job.job = {DatumGetInt64(value(column::job_id))};
  job.lane = core::lane_id({{DatumGetInt32(value(column::queue_id))},
                            DatumGetInt16(value(column::priority)),
                            DatumGetInt16(value(column::shard))});
  const auto state = core::job_state_of(pg::text_view(value(column::state)));
  job.state = state.value_or(core::JobState::scheduled);
  const Datum finalized_at = value(column::finalized_at);
  job.finalized_at = is_null ? 0 : DatumGetTimestampTz(finalized_at);
  job.body = ring::body_of(sql, row, ring::kDeferredBody);
  return job;
}

void append_as_entries(std::span<const DeferredJob> jobs, core::Memory &memory) {
  core::Vec<std::int64_t> seqs(memory);
  seqs.resize(jobs.size());
  draw_entry_ids(seqs);
  core::Vec<NewEntry> entries(memory);
  entries.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    entries.push_back({jobs[i].lane, {seqs[i]}, jobs[i].job, &jobs[i].body});
  }
  append_entries(entries);
}

}  // namespace

void defer(std::span<const DeferredJob> jobs) {
  if (jobs.empty()) return;
  const pg::OpenTable table(ring::deferred_jobs_table(), RowExclusiveLock);
  pg::append_many(table, jobs.size(), [&](std::size_t index, pg::NewRow row) {
    const DeferredJob &job = jobs[index];
    const core::Lane lane = core::lane_of(job.lane);
    row.set(column::job_id, pg::datum(job.job));
    row.set(column::queue_id, pg::datum(lane.queue));
    row.set(column::priority, pg::datum(static_cast<std::int16_t>(lane.priority)));
    row.set(column::shard, pg::datum(static_cast<std::int16_t>(lane.shard)));
    row.set(column::state, pg::text_datum(core::name_of(job.state)));
    if (job.finalized_at != 0) row.set(column::finalized_at, pg::datum(job.finalized_at));
    ring::set_body(row, ring::kDeferredBody, job.body);
  });
}

std::int32_t promote_due(core::Memory &memory) {
  const core::Micros now = pg::now();
  core::Vec<core::QueueId> queues(memory);
  std::size_t promoted = 0;
  core::Micros run_at = DT_NOBEGIN;
  std::int16_t priority = 0;
  std::int64_t last = 0;
  while (promoted < kMostPromoted) {
    pg::Sql sql;
    const Datum values[] = {pg::datum(run_at), pg::datum(priority), pg::datum(last), pg::datum(now),
                            pg::datum(static_cast<std::int64_t>(kBatch))};
    const std::uint64_t found = sql.run(lock_due, values);
    if (found == 0) break;
    core::Vec<DeferredJob> jobs(memory);
    core::Vec<std::int64_t> ids(memory);
    for (std::uint64_t row = 0; row < found; ++row) {
      jobs.push_back(job_of(sql, row));
      ids.push_back(jobs.back().job.value);
      const core::Lane lane = core::lane_of(jobs.back().lane);
      if (std::find(queues.begin(), queues.end(), lane.queue) == queues.end()) queues.push_back(lane.queue);
    }
    const Datum by_ids[] = {pg::int8_array(ids)};
    sql.run(delete_jobs, by_ids);
    append_as_entries(jobs, memory);
    run_at = jobs.back().body.run_at;
    priority = static_cast<std::int16_t>(core::lane_of(jobs.back().lane).priority);
    last = jobs.back().job.value;
    promoted += found;
    pg::check_for_interrupts();
  }
  for (const core::QueueId queue : queues) notify(queue);
  return static_cast<std::int32_t>(promoted);
}

}  // namespace awa::queue
