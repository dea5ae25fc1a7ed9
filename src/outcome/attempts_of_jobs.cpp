#include "outcome/attempts_of_jobs.hpp"

#include "outcome/departures.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/spi.hpp"
#include "pg/transaction.hpp"
#include "receipt/leases.hpp"
#include "receipt/payload.hpp"

namespace awa::outcome {

namespace {

constexpr const char *kCancelChannel = "awa:cancel";

constexpr Oid kJob[] = {INT8OID};

// A job may have several entries in the rings: only what was claimed of the newest can be open.
constinit pg::Statement find_claim(R"sql(
  WITH entries AS MATERIALIZED (
    SELECT e.ready_slot, e.lane_id, e.lane_seq, e.run_lease FROM awa.ready_entries e WHERE e.job_id = $1
  ), emitted AS MATERIALIZED (
    SELECT e.lane_seq, e.run_lease + 1 AS run_lease, a.claim_slot, a.batch_id, a.claimed_count
    FROM entries e
      JOIN awa.ready_claim_attempt_batches a ON a.ready_slot = e.ready_slot AND a.lane_id = e.lane_id
        AND e.lane_seq BETWEEN a.first_seq AND a.last_seq AND a.lane_ranges @> e.lane_seq
    ORDER BY e.run_lease DESC LIMIT 1
  )
  SELECT b.claim_slot, b.batch_id, b.batch_id + p.place - 1, m.run_lease, b.fence
  FROM emitted m
    JOIN awa.lease_claim_batches b ON b.claim_slot = m.claim_slot AND b.batch_id = m.batch_id
    CROSS JOIN LATERAL array_position(b.job_ids, $1) AS p(place)
  WHERE b.lane_seqs[p.place] = m.lane_seq
  UNION ALL
  SELECT c.claim_slot, c.receipt_id, c.receipt_id, c.run_lease, c.fence
  FROM emitted m
    JOIN awa.lease_claims c ON c.claim_slot = m.claim_slot AND c.receipt_id >= m.batch_id
      AND c.receipt_id < m.batch_id + m.claimed_count AND c.job_id = $1 AND c.run_lease = m.run_lease)sql",
                                   kJob);

std::optional<core::Receipt> claim_of(core::JobId job) {
  const Datum values[] = {pg::datum(job)};
  pg::Sql sql;
  if (sql.run(find_claim, values) == 0) return std::nullopt;
  bool is_null = false;
  const auto number = [&](int column) { return DatumGetInt64(sql.value(0, column, is_null)); };
  core::Receipt receipt;
  receipt.claim_slot = static_cast<std::int16_t>(DatumGetInt32(sql.value(0, 1, is_null)));
  receipt.batch = {number(2)};
  receipt.receipt = {number(3)};
  receipt.job = job;
  receipt.lease = {number(4)};
  receipt.fence = number(5);
  return receipt;
}

std::optional<core::Receipt> lease_of(core::JobId job) {
  receipt::Leases leases(AccessShareLock);
  const pg::FreshSnapshot snapshot;
  return leases.of_job(job, snapshot);
}

// Holds the job's attempt and lets `decide` make a departure of it.
template <typename Decide>
Found with_attempt(Sought &sought, core::Memory &memory, Decide &&decide) {
  const auto receipt = attempt_of(sought.job);
  if (!receipt || receipt == sought.over) return Found::nothing;
  receipt::HeldAttempts held({&*receipt, 1}, receipt::Keys::take, receipt::Bodies::read, memory);
  if (held.attempts().empty()) {
    sought.over = receipt;
    return Found::changing;
  }
  const core::Micros now = pg::now();
  Departure departure = decide(held.attempts().front(), now);
  depart(held, {&departure, 1}, now, memory);
  return Found::done;
}

void notify_worker(const core::Receipt &receipt) {
  const char *const payload =
      pg::format("{\"job_id\": %lld, \"run_lease\": %lld}", static_cast<long long>(receipt.job.value),
                 static_cast<long long>(receipt.lease.value));
  pg::guarded([=] { Async_Notify(kCancelChannel, payload); });
}

Departure cancellation(std::size_t place, receipt::Attempt &attempt, std::string_view reason, core::Micros now) {
  if (!reason.empty()) {
    attempt.body.payload = receipt::changed_payload(attempt.body.payload,
                                                    {.error = receipt::ErrorEntry{reason, attempt.number, now, true}});
  }
  notify_worker(attempt.receipt);
  return {.attempt = place, .to = core::JobState::cancelled, .outcome = core::Outcome::cancelled};
}

}  // namespace

std::optional<core::Receipt> attempt_of(core::JobId job) {
  if (const auto lease = lease_of(job)) return lease;
  return claim_of(job);
}

Found cancel_attempt(Sought &sought, std::string_view reason, core::Memory &memory) {
  return with_attempt(sought, memory, [&](receipt::Attempt &attempt, core::Micros now) {
    return cancellation(0, attempt, reason, now);
  });
}

Found delete_attempt(Sought &sought, core::Memory &memory) {
  return with_attempt(sought, memory, [&](receipt::Attempt &attempt, core::Micros) {
    notify_worker(attempt.receipt);
    return Departure{.attempt = 0, .to = std::nullopt, .outcome = core::Outcome::deleted};
  });
}

std::size_t cancel_attempts(std::span<const core::Receipt> receipts, std::string_view reason, core::Memory &memory) {
  receipt::HeldAttempts held(receipts, receipt::Keys::take, receipt::Bodies::read, memory);
  core::Vec<Departure> departures(memory);
  const core::Micros now = pg::now();
  for (receipt::Attempt &attempt : held.attempts()) {
    departures.push_back(cancellation(departures.size(), attempt, reason, now));
  }
  depart(held, departures, now, memory);
  return departures.size();
}

}  // namespace awa::outcome
