#include "rescue/lease_candidates.hpp"

#include "pg/datum.hpp"
#include "pg/spi.hpp"
#include "rescue/receipt_rows.hpp"

namespace awa::rescue {

namespace {

constexpr Oid kTimeAndCount[] = {TIMESTAMPTZOID, INT8OID};

// By the indexes, whatever the statistics say: waiting leases may be many, and are not to be read to find the others.
constinit pg::Statement find_stale(R"sql(
  SELECT l.claim_slot, l.batch_id, l.receipt_id, l.job_id, l.run_lease, l.fence
  FROM awa.leases l
    JOIN awa.queues q ON q.queue_id = l.lane_id >> 8
    LEFT JOIN awa.attempt_state a ON a.job_id = l.job_id AND a.run_lease = l.run_lease AND a.receipt_id = l.receipt_id
  WHERE l.state = 'running' AND l.claimed_at <= $1
    AND greatest(l.claimed_at, l.heartbeat_at, a.heartbeat_at) <= $1 - q.stale_after
  ORDER BY l.claimed_at LIMIT $2)sql",
                                   kTimeAndCount, pg::Planning::once_by_index);

constinit pg::Statement find_late(R"sql(
  SELECT l.claim_slot, l.batch_id, l.receipt_id, l.job_id, l.run_lease, l.fence
  FROM awa.leases l WHERE l.deadline_at <= $1 ORDER BY l.deadline_at LIMIT $2)sql",
                                  kTimeAndCount, pg::Planning::once_by_index);

constinit pg::Statement find_timed_out(R"sql(
  SELECT l.claim_slot, l.batch_id, l.receipt_id, l.job_id, l.run_lease, l.fence
  FROM awa.leases l WHERE l.callback_timeout_at <= $1 ORDER BY l.callback_timeout_at LIMIT $2)sql",
                                       kTimeAndCount, pg::Planning::once_by_index);

pg::Statement &finding(Cause cause) noexcept {
  return cause == Cause::stale ? find_stale : cause == Cause::deadline_expired ? find_late : find_timed_out;
}

}  // namespace

core::Vec<core::Receipt> leases_due(Cause cause, core::Micros now, std::size_t most, core::Memory &memory) {
  core::Vec<core::Receipt> due(memory);
  const Datum values[] = {pg::datum(now), pg::datum(static_cast<std::int64_t>(most))};
  pg::Sql sql;
  const std::uint64_t count = sql.run(finding(cause), values);
  due.reserve(count);
  for (std::uint64_t row = 0; row < count; ++row) due.push_back(receipt_of(sql, row));
  return due;
}

}  // namespace awa::rescue
