#include "queue/claim_rows.hpp"

#include "core/ranges.hpp"
#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "pg/transaction.hpp"
#include "receipt/receipt_ids.hpp"
#include "ring/generation.hpp"

namespace awa::queue {

namespace {

// What the rows of one ready slot say.
struct Batch {
  core::LaneId lane;
  core::Slot ready_slot;
  core::Generation ready_generation;
  core::BatchId id;
  std::int64_t fence;
  core::Micros claimed_at;
  core::Micros deadline_at;  // 0 = none
  std::span<const Entry> entries;
};

core::RangeSet positions_of(const Batch &batch, core::Memory &memory) {
  core::Vec<std::int64_t> seqs(memory);
  seqs.reserve(batch.entries.size());
  for (const Entry &entry : batch.entries) seqs.push_back(entry.position.seq.value);
  // The window's order is by transaction first.
  if (!std::is_sorted(seqs.begin(), seqs.end())) std::sort(seqs.begin(), seqs.end());
  core::RangeSet ranges(memory);
  for (const std::int64_t seq : seqs) core::append(ranges, seq);
  return ranges;
}

void write_emission(const Batch &batch, core::Slot claim_slot, core::Memory &memory) {
  namespace column = ring::attempt_batches;
  const core::RangeSet positions = positions_of(batch, memory);
  const core::RangeView ranges = positions;
  const pg::OpenTable leaf(ring::attempt_batches_leaf(batch.ready_slot), RowExclusiveLock);
  pg::append(leaf, [&](pg::NewRow row) {
    row.set(column::ready_slot, pg::datum(batch.ready_slot));
    row.set(column::lane_id, pg::datum(batch.lane));
    row.set(column::batch_id, pg::datum(batch.id));
    row.set(column::ready_generation, pg::datum(batch.ready_generation));
    row.set(column::first_seq, pg::datum(ranges.front().lo));
    row.set(column::last_seq, pg::datum(ranges.back().hi - 1));
    row.set(column::claimed_at, pg::datum(batch.claimed_at));
    row.set(column::claim_slot, pg::datum(claim_slot));
    row.set(column::claimed_count, pg::datum(static_cast<std::int32_t>(batch.entries.size())));
    row.set(column::lane_ranges, pg::int8_multirange(ranges));
  });
}

void write_batch(const Batch &batch, const pg::OpenTable &leaf, core::Memory &memory) {
  namespace column = ring::claim_batches;
  const auto gathered = [&](auto of) {
    core::Vec<decltype(of(batch.entries.front()))> values(memory);
    values.reserve(batch.entries.size());
    for (const Entry &entry : batch.entries) values.push_back(of(entry));
    return values;
  };
  const core::Range receipts{batch.id.value, batch.id.value + static_cast<std::int64_t>(batch.entries.size())};
  pg::append(leaf, [&](pg::NewRow row) {
    row.set(column::claim_slot, pg::datum(leaf.slot()));
    row.set(column::ready_slot, pg::datum(batch.ready_slot));
    row.set(column::batch_id, pg::datum(batch.id));
    row.set(column::fence, pg::datum(batch.fence));
    row.set(column::ready_generation, pg::datum(batch.ready_generation));
    row.set(column::claimed_at, pg::datum(batch.claimed_at));
    if (batch.deadline_at != 0) row.set(column::deadline_at, pg::datum(batch.deadline_at));
    row.set(column::lane_id, pg::datum(batch.lane));
    row.set(column::claimed_count, pg::datum(static_cast<std::int32_t>(batch.entries.size())));
    row.set(column::job_ids, pg::int8_array(gathered([](const Entry &e) { return e.job.value; })));
    row.set(column::run_leases, pg::int8_array(gathered([](const Entry &e) { return e.body.last_lease.value + 1; })));
    row.set(column::lane_seqs, pg::int8_array(gathered([](const Entry &e) { return e.position.seq.value; })));
    row.set(
        column::attempts,
        pg::int2_array(gathered([](const Entry &e) { return static_cast<std::int16_t>(e.body.attempts_used + 1); })));
    row.set(column::max_attempts, pg::int2_array(gathered([](const Entry &e) { return e.body.max_attempts; })));
    row.set(column::receipt_ranges, pg::int8_multirange({&receipts, 1}));
  });
}

void hand_out(const Batch &batch, core::Slot claim_slot, const ClaimTerms &terms, core::Vec<Claimed> &claimed) {
  int index = 0;
  for (const Entry &entry : batch.entries) {
    Claimed job{.entry = entry,
                .lane = batch.lane,
                .receipt = {},
                .ready_generation = batch.ready_generation,
                .claimed_at = batch.claimed_at,
                .deadline_at = batch.deadline_at,
                .stale_at = batch.claimed_at + terms.stale_after,
                .batch_index = index,
                .priority = core::lane_of(batch.lane).priority,
                .queue = {}};
    job.receipt.claim_slot = static_cast<std::int16_t>(claim_slot.value);
    job.receipt.batch = batch.id;
    job.receipt.receipt = {batch.id.value + index};
    job.receipt.job = entry.job;
    job.receipt.lease = {entry.body.last_lease.value + 1};
    job.receipt.fence = batch.fence;
    claimed.push_back(job);
    ++index;
  }
}

// The entries slot by slot, the slot of the first entry first: receipts rise in the order of the lane as far as a batch,
// which is of one slot, can follow it.
core::Vec<Entry> grouped_by_slot(std::span<const Entry> entries, core::Memory &memory) {
  std::array<std::size_t, core::kQueueSlots> first_of;
  first_of.fill(entries.size());
  for (std::size_t i = entries.size(); i-- > 0;) first_of[static_cast<std::size_t>(entries[i].slot.value)] = i;
  core::Vec<Entry> grouped(entries, memory);
  std::stable_sort(grouped.begin(), grouped.end(), [&](const Entry &a, const Entry &b) {
    return first_of[static_cast<std::size_t>(a.slot.value)] < first_of[static_cast<std::size_t>(b.slot.value)];
  });
  return grouped;
}

}  // namespace

void write_claim(const LaneTaking &taking, const ClaimTerms &terms, core::Memory &memory, core::Vec<Claimed> &claimed) {
  // One draw for all: receipts first, the frontier's id behind them, so that it is greater than every batch's.
  std::int64_t next_id = receipt::draw_receipt_block();
  const core::Generation queue_generation = ring::generation_of(ring::Ring::queue);
  const ring::CurrentLeaf claims = ring::open_current(ring::Ring::claim, ring::claim_batches_leaf);
  const core::Slot claim_slot{claims.table.slot()};

  const core::Vec<Entry> by_slot = grouped_by_slot(taking.entries, memory);
  const auto first = static_cast<std::ptrdiff_t>(claimed.size());
  for (std::span<const Entry> rest = by_slot; !rest.empty();) {
    std::size_t count = 1;
    while (count < rest.size() && rest[count].slot == rest[0].slot) ++count;
    const Batch batch{.lane = taking.lane,
                      .ready_slot = rest[0].slot,
                      .ready_generation = ring::generation_in(rest[0].slot, taking.slots, queue_generation),
                      .id = {next_id},
                      .fence = pg::random_bits(),
                      .claimed_at = taking.now,
                      .deadline_at = terms.deadline == 0 ? 0 : taking.now + terms.deadline,
                      .entries = rest.first(count)};
    write_emission(batch, claim_slot, memory);
    write_batch(batch, claims.table, memory);
    hand_out(batch, claim_slot, terms, claimed);
    next_id += static_cast<std::int64_t>(count);
    rest = rest.subspan(count);
  }
  // A batch belongs to one slot, the order of a lane runs through all.
  std::sort(claimed.begin() + first, claimed.end(),
            [](const Claimed &a, const Claimed &b) { return a.entry.position < b.entry.position; });

  core::Frontier frontier = taking.frontier;
  frontier.claimed_total += static_cast<std::int64_t>(taking.entries.size());
  const pg::OpenTable frontiers(ring::lane_frontiers_leaf(claim_slot), RowExclusiveLock);
  store(frontiers, taking.lane, {next_id}, frontier);
}

}  // namespace awa::queue
