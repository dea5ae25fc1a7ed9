#include "receipt/completion_rows.hpp"

#include <tuple>

#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "receipt/unique_claims.hpp"
#include "ring/tables.hpp"

namespace awa::receipt {

void CompletionRows::add(const StoredBatch &claim, std::span<const core::Receipt> members, std::span<const bool> open,
                         std::span<const Result> results) {
  core::RangeSet keyed(memory_);
  if (claim.keyed_receipts != 0) pg::unite_multirange(keyed, claim.keyed_receipts);
  if (successes_.empty()) successes_.reserve(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!open[i]) continue;
    const std::size_t member = core::member_index(claim.batch, members[i]);
    successes_.push_back({.ready_slot = claim.ready_slot,
                          .lane = claim.lane,
                          .claim_slot = claim.claim_slot,
                          .ready_generation = claim.ready_generation,
                          .receipt = members[i].receipt.value,
                          .job = claim.batch.job_ids[member],
                          .lease = claim.batch.run_leases[member],
                          .seq = claim.lane_seqs[member],
                          .attempt = claim.attempts[member],
                          .claimed_at = claim.claimed_at,
                          .result = results.empty() ? Result{} : results[i]});
    if (core::contains(keyed, members[i].receipt.value)) keyed_jobs_.push_back(members[i].job.value);
  }
  closures_.add(claim, members, open, "completed");
}

void CompletionRows::write(const OpenClaims &claims, core::Micros now) {
  closures_.write(claims, now);
  write_history(now);
  give_up_keys(keyed_jobs_);
}

void CompletionRows::write_history(core::Micros now) {
  // Rows of one (slot, lane, generation, claim slot), those with results behind the others; within, in order of position.
  const auto home = [](const Success &s) {
    return std::tuple(s.ready_slot, s.lane, s.ready_generation, s.claim_slot, s.result.given);
  };
  const auto before = [&](const Success &a, const Success &b) { return home(a) < home(b); };
  if (!std::is_sorted(successes_.begin(), successes_.end(), before)) {
    std::stable_sort(successes_.begin(), successes_.end(), before);
  }
  std::span<const Success> rest(successes_.data(), successes_.size());
  while (!rest.empty()) {
    std::size_t count = 1;
    while (count < rest.size() && home(rest[count]) == home(rest[0])) ++count;
    if (rest[0].result.given || count == 1) {
      write_rows(rest.first(count), now);
    } else {
      write_compact(rest.first(count), now);
    }
    rest = rest.subspan(count);
  }
}

void CompletionRows::write_compact(std::span<const Success> successes, core::Micros now) {
  namespace column = ring::completion_batches;
  const auto gathered = [&](auto field) {
    core::Vec<std::remove_cvref_t<decltype(successes.front().*field)>> values(memory_);
    values.reserve(successes.size());
    for (const Success &success : successes) values.push_back(success.*field);
    return values;
  };
  const auto view = [](const auto &values) { return std::span(values.data(), values.size()); };
  const Success &any = successes.front();
  std::int64_t least_receipt = any.receipt;
  for (const Success &success : successes) least_receipt = std::min(least_receipt, success.receipt);
  const pg::OpenTable leaf(ring::completion_batches_leaf(any.ready_slot), RowExclusiveLock);
  pg::append(leaf, [&](pg::NewRow row) {
    row.set(column::ready_slot, pg::datum(any.ready_slot));
    row.set(column::lane_id, pg::datum(any.lane));
    row.set(column::batch_id, pg::datum(least_receipt));
    row.set(column::ready_generation, pg::datum(any.ready_generation));
    row.set(column::finalized_at, pg::datum(now));
    row.set(column::claim_slot, pg::datum(any.claim_slot));
    row.set(column::completed_count, pg::datum(static_cast<std::int32_t>(successes.size())));
    row.set(column::job_ids, pg::int8_array(view(gathered(&Success::job))));
    row.set(column::run_leases, pg::int8_array(view(gathered(&Success::lease))));
    row.set(column::lane_seqs, pg::int8_array(view(gathered(&Success::seq))));
    row.set(column::attempts, pg::int2_array(view(gathered(&Success::attempt))));
    row.set(column::claimed_at, pg::timestamp_array(view(gathered(&Success::claimed_at))));
  });
}

void CompletionRows::write_rows(std::span<const Success> successes, core::Micros now) {
  namespace column = ring::done_entries;
  const Datum completed = pg::text_datum("completed");
  const pg::OpenTable leaf(ring::done_entries_leaf(successes.front().ready_slot), RowExclusiveLock);
  // Narrow rows: the body is the entry's.
  pg::append_many(leaf, successes.size(), [&](std::size_t index, pg::NewRow row) {
    const Success &success = successes[index];
    row.set(column::ready_slot, pg::datum(success.ready_slot));
    row.set(column::lane_id, pg::datum(success.lane));
    row.set(column::job_id, pg::datum(success.job));
    row.set(column::run_lease, pg::datum(success.lease));
    row.set(column::lane_seq, pg::datum(success.seq));
    row.set(column::finalized_at, pg::datum(now));
    row.set(column::claimed_at, pg::datum(success.claimed_at));
    row.set(column::attempt, pg::datum(success.attempt));
    row.set(column::state, completed);
    row.set(column::outcome, completed);
    if (success.result.given) row.set(column::result, success.result.value);
  });
}

}  // namespace awa::receipt
