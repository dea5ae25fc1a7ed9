#include "receipt/completion_rows.hpp"

#include <tuple>

#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "ring/tables.hpp"

namespace awa::receipt {

void CompletionRows::add(const StoredBatch &stored, std::span<const core::Receipt> members, std::span<const bool> open,
                         std::span<const Result> results) {
  core::RangeSet closed(memory_);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!open[i]) continue;
    core::append(closed, members[i].receipt.value);
    const std::size_t member = core::member_index(stored.batch, members[i]);
    successes_.push_back({.ready_slot = stored.ready_slot,
                          .lane = stored.lane,
                          .claim_slot = stored.claim_slot,
                          .ready_generation = stored.ready_generation,
                          .job = stored.batch.job_ids[member],
                          .lease = stored.batch.run_leases[member],
                          .seq = stored.lane_seqs[member],
                          .attempt = stored.attempts[member],
                          .claimed_at = stored.claimed_at,
                          .result = results.empty() ? Result{} : results[i]});
  }
  if (closed.empty()) return;
  closures_.push_back(
      {stored.batch.batch, stored.claim_slot, stored.ready_slot, stored.ready_generation, std::move(closed)});
}

void CompletionRows::write_closure(const pg::OpenTable &leaf, const ClosedBatch &closed, core::Micros now) {
  namespace column = ring::closure_batches;
  Datum values[column::columns];
  const bool nulls[column::columns] = {};
  const auto set = [&](AttrNumber number, Datum value) { values[number - 1] = value; };
  set(column::claim_slot, pg::datum(closed.claim_slot));
  set(column::ready_slot, pg::datum(closed.ready_slot));
  set(column::batch_id, pg::datum(ids_.next()));
  set(column::claim_batch_id, pg::datum(closed.batch));
  set(column::ready_generation, pg::datum(closed.ready_generation));
  set(column::closed_at, pg::datum(now));
  set(column::closed_count, pg::datum(static_cast<std::int32_t>(core::cardinality(closed.receipts))));
  const core::RangeView receipts = closed.receipts;
  set(column::receipt_ranges, pg::guarded([=] { return pg::int8_multirange(receipts); }));
  set(column::outcome, pg::text_datum("completed"));
  pg::append(leaf, values, nulls);
}

void CompletionRows::write_history(core::Micros now) {
  // Rows of one (slot, lane, generation, claim slot), those with results behind the others; within, in order of position.
  const auto home = [](const Success &s) {
    return std::tuple(s.ready_slot, s.lane, s.ready_generation, s.claim_slot, s.result.given);
  };
  std::stable_sort(successes_.begin(), successes_.end(),
                   [&](const Success &a, const Success &b) { return home(a) < home(b); });
  std::span<const Success> rest(successes_.data(), successes_.size());
  while (!rest.empty()) {
    std::size_t count = 1;
    while (count < rest.size() && home(rest[count]) == home(rest[0])) ++count;
    if (rest[0].result.given) {
      write_results(rest.first(count), now);
    } else {
      write_compact(rest.first(count), now);
    }
    rest = rest.subspan(count);
  }
}

void CompletionRows::write_compact(std::span<const Success> successes, core::Micros now) {
  namespace column = ring::completion_batches;
  const auto gathered = [&]<typename T>(T Success::*field) {
    core::Vec<T> values(memory_);
    values.reserve(successes.size());
    for (const Success &success : successes) values.push_back(success.*field);
    return values;
  };
  const auto view = [](const auto &values) { return std::span(values.data(), values.size()); };
  const Success &any = successes.front();
  Datum values[column::columns];
  const bool nulls[column::columns] = {};
  const auto set = [&](AttrNumber number, Datum value) { values[number - 1] = value; };
  set(column::ready_slot, pg::datum(any.ready_slot));
  set(column::lane_id, pg::datum(any.lane));
  set(column::batch_id, pg::datum(ids_.next()));
  set(column::ready_generation, pg::datum(any.ready_generation));
  set(column::finalized_at, pg::datum(now));
  set(column::claim_slot, pg::datum(any.claim_slot));
  set(column::completed_count, pg::datum(static_cast<std::int32_t>(successes.size())));
  set(column::job_ids, pg::int8_array(view(gathered(&Success::job))));
  set(column::run_leases, pg::int8_array(view(gathered(&Success::lease))));
  set(column::lane_seqs, pg::int8_array(view(gathered(&Success::seq))));
  set(column::attempts, pg::int2_array(view(gathered(&Success::attempt))));
  set(column::claimed_at, pg::timestamp_array(view(gathered(&Success::claimed_at))));
  const pg::OpenTable leaf(ring::completion_batches_leaf(any.ready_slot), RowExclusiveLock);
  pg::append(leaf, values, nulls);
}

void CompletionRows::write_results(std::span<const Success> successes, core::Micros now) {
  namespace column = ring::done_entries;
  const Datum completed = pg::text_datum("completed");
  const pg::OpenTable leaf(ring::done_entries_leaf(successes.front().ready_slot), RowExclusiveLock);
  pg::append_many(leaf, successes.size(), [&](std::size_t row, Datum *values, bool *nulls) {
    const Success &success = successes[row];
    std::fill(nulls, nulls + column::columns, true);  // a narrow row: the body is the entry's
    const auto set = [&](AttrNumber number, Datum value) {
      values[number - 1] = value;
      nulls[number - 1] = false;
    };
    set(column::ready_slot, pg::datum(success.ready_slot));
    set(column::lane_id, pg::datum(success.lane));
    set(column::job_id, pg::datum(success.job));
    set(column::run_lease, pg::datum(success.lease));
    set(column::lane_seq, pg::datum(success.seq));
    set(column::finalized_at, pg::datum(now));
    set(column::claimed_at, pg::datum(success.claimed_at));
    set(column::attempt, pg::datum(success.attempt));
    set(column::state, completed);
    set(column::outcome, completed);
    set(column::result, success.result.value);
  });
}

}  // namespace awa::receipt
