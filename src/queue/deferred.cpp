#include "queue/deferred.hpp"

#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/keys.hpp"
#include "pg/memory.hpp"
#include "pg/settings.hpp"
#include "pg/spi.hpp"
#include "pg/subtransaction.hpp"
#include "pg/transaction.hpp"
#include "queue/low_water.hpp"
#include "receipt/attempt_keys.hpp"

namespace awa::queue {

namespace {

namespace column = ring::deferred_jobs;

constexpr Oid kJobs[] = {INT8ARRAYOID};

constinit pg::Statement lock_jobs(
    "SELECT d.* FROM awa.deferred_jobs d WHERE d.job_id = ANY ($1) ORDER BY d.job_id FOR UPDATE SKIP LOCKED", kJobs);
constinit pg::Statement wait_for_jobs(
    "SELECT FROM awa.deferred_jobs WHERE job_id = ANY ($1) ORDER BY job_id FOR UPDATE", kJobs);
constinit pg::Statement find_jobs("SELECT FROM awa.deferred_jobs WHERE job_id = ANY ($1)", kJobs);
constinit pg::Statement delete_jobs("DELETE FROM awa.deferred_jobs WHERE job_id = ANY ($1)", kJobs);

core::Vec<std::int64_t> values_of(std::span<const core::JobId> jobs, core::Memory &memory) {
  core::Vec<std::int64_t> ids(memory);
  ids.reserve(jobs.size());
  for (const core::JobId job : jobs) ids.push_back(job.value);
  return ids;
}

// The rows are copied into memory that outlives the connection.
core::Vec<DeferredJob> lock_now(std::span<const std::int64_t> ids, MemoryContext caller, core::Memory &memory) {
  pg::Sql sql;
  const Datum values[] = {pg::int8_array(ids)};
  const std::uint64_t found = sql.run(lock_jobs, values);
  const pg::InContext context(caller);
  core::Vec<DeferredJob> jobs(memory);
  for (std::uint64_t row = 0; row < found; ++row) jobs.push_back(deferred_job_of(sql, row));
  return jobs;
}

// How many of the jobs there are, locked by others or not.
std::uint64_t count_now(std::span<const std::int64_t> ids) {
  pg::Sql sql;
  const Datum values[] = {pg::int8_array(ids)};
  return sql.run(find_jobs, values);
}

// Queues for the jobs, for at most so long. Returns whether it got through. In a transaction with one snapshot for all,
// PostgreSQL reports a job that was changed during the wait as a serialization failure: another look shows what it is now.
bool wait_for(std::span<const std::int64_t> ids, core::Micros patience) {
  auto lock = [&] {
    pg::Sql sql;
    const Datum values[] = {pg::int8_array(ids)};
    sql.run(wait_for_jobs, values);
  };
  const pg::LockTimeoutScope bounded(static_cast<int>(patience / 1000));
  return pg::subtransaction_unless(ERRCODE_LOCK_NOT_AVAILABLE, [&] {
    if (pg::keeps_snapshot()) {
      pg::subtransaction_unless(ERRCODE_T_R_SERIALIZATION_FAILURE, lock);
    } else {
      lock();
    }
  });
}

}  // namespace

DeferredJob deferred_job_of(const pg::Sql &sql, std::uint64_t row) {
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

void defer(std::span<const DeferredJob> jobs) {
  if (jobs.empty()) return;
  const pg::OpenTable table(ring::deferred_jobs_table(), RowExclusiveLock);
  // Promotion relies on what it cannot see yet being due later than when the table was locked.
  const core::Micros now = pg::now();
  const auto is_late = [&](const DeferredJob &job) { return job.body.run_at <= now; };
  if (std::any_of(jobs.begin(), jobs.end(), is_late)) LowWater::reset();
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

core::Vec<DeferredJob> hold_deferred(std::span<const core::JobId> jobs, core::Memory &memory) {
  const core::Vec<std::int64_t> ids = values_of(jobs, memory);
  const core::Micros until = pg::now() + (receipt::holds_attempt_keys() ? 0 : pg::claim_wait());
  for (;;) {
    core::Vec<DeferredJob> held = lock_now(ids, CurrentMemoryContext, memory);
    if (held.size() == ids.size() || held.size() == count_now(ids)) return held;
    const core::Micros left = until - pg::now();
    if (left < 1000 || !wait_for(ids, left)) {
      pg::raise({.sqlstate = ERRCODE_LOCK_NOT_AVAILABLE,
                 .message = "a deferred job is held by a transaction that does not end",
                 .detail = "It promotes, cancels or changes the job.",
                 .hint = "Try again when it has ended."});
    }
  }
}

core::Vec<DeferredJob> try_hold_deferred(std::span<const core::JobId> jobs, core::Memory &memory) {
  return lock_now(values_of(jobs, memory), CurrentMemoryContext, memory);
}

void remove_deferred(std::span<const core::JobId> jobs, core::Memory &memory) {
  if (jobs.empty()) return;
  pg::Sql sql;
  const Datum values[] = {pg::int8_array(values_of(jobs, memory))};
  sql.run(delete_jobs, values);
}

}  // namespace awa::queue
