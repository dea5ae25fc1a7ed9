#include "queue/claim_rows.hpp"

#include "core/ranges.hpp"
#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "pg/transaction.hpp"
#include "queue/unique_keys.hpp"
#include "receipt/receipt_ids.hpp"
#include "ring/generation.hpp"

namespace awa::queue {

namespace {

bool has_own_deadline(const Entry &entry) noexcept { return entry.body.own_deadline != 0; }

// What the rows of one ready slot say. A job with a deadline of its own gets a row of its own; the others share one, unless
// there is but one: then that has no use for arrays.
struct Batch {
  core::LaneId lane;
  core::Slot ready_slot;
  core::Generation ready_generation;
  core::BatchId id;  // of the first receipt: the others follow, the shared ones first
  core::Micros claimed_at;
  core::Micros deadline_at;  // of those without a deadline of their own; 0 = none
  std::span<const Entry> entries;
  std::span<const Entry> shared;  // the first of `entries`
  std::span<const Entry> single;  // the others

  core::ReceiptId receipt_of(std::size_t index) const noexcept { return {id.value + static_cast<std::int64_t>(index)}; }
  bool shares(std::size_t index) const noexcept { return index < shared.size(); }
  core::Micros deadline_of(const Entry &entry) const {
    if (!has_own_deadline(entry)) return deadline_at;
    const core::Micros span = pg::interval_micros(entry.body.own_deadline);
    return span == 0 ? 0 : claimed_at + span;
  }
};

// Whether the job holds a unique key while it runs, which the end of the attempt is to give up.
bool holds_key(const Entry &entry) noexcept {
  return entry.body.unique_key != 0 && core::holds(entry.body.unique_states, core::JobState::running);
}

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

void write_shared(const Batch &batch, const pg::OpenTable &leaf, std::int64_t fence, core::Memory &memory) {
  namespace column = ring::claim_batches;
  const auto gathered = [&](auto of) {
    core::Vec<decltype(of(batch.shared.front()))> values(memory);
    values.reserve(batch.shared.size());
    for (const Entry &entry : batch.shared) values.push_back(of(entry));
    return values;
  };
  const core::Range receipts{batch.id.value, batch.receipt_of(batch.shared.size()).value};
  core::RangeSet keyed(memory);
  for (std::size_t i = 0; i < batch.shared.size(); ++i) {
    if (holds_key(batch.shared[i])) core::append(keyed, batch.receipt_of(i).value);
  }
  pg::append(leaf, [&](pg::NewRow row) {
    row.set(column::claim_slot, pg::datum(leaf.slot()));
    row.set(column::ready_slot, pg::datum(batch.ready_slot));
    row.set(column::batch_id, pg::datum(batch.id));
    row.set(column::fence, pg::datum(fence));
    row.set(column::ready_generation, pg::datum(batch.ready_generation));
    row.set(column::claimed_at, pg::datum(batch.claimed_at));
    if (batch.deadline_at != 0) row.set(column::deadline_at, pg::datum(batch.deadline_at));
    row.set(column::lane_id, pg::datum(batch.lane));
    row.set(column::claimed_count, pg::datum(static_cast<std::int32_t>(batch.shared.size())));
    row.set(column::job_ids, pg::int8_array(gathered([](const Entry &e) { return e.job.value; })));
    row.set(column::run_leases, pg::int8_array(gathered([](const Entry &e) { return e.body.last_lease.value + 1; })));
    row.set(column::lane_seqs, pg::int8_array(gathered([](const Entry &e) { return e.position.seq.value; })));
    row.set(
        column::attempts,
        pg::int2_array(gathered([](const Entry &e) { return static_cast<std::int16_t>(e.body.attempts_used + 1); })));
    row.set(column::max_attempts, pg::int2_array(gathered([](const Entry &e) { return e.body.max_attempts; })));
    row.set(column::receipt_ranges, pg::int8_multirange({&receipts, 1}));
    if (!keyed.empty()) row.set(column::keyed_receipts, pg::int8_multirange(keyed));
  });
}

void write_singles(const Batch &batch, const pg::OpenTable &leaf, std::int64_t fence) {
  namespace column = ring::row_claims;
  pg::append_many(leaf, batch.single.size(), [&](std::size_t index, pg::NewRow row) {
    const Entry &entry = batch.single[index];
    const core::Micros deadline_at = batch.deadline_of(entry);
    row.set(column::claim_slot, pg::datum(leaf.slot()));
    row.set(column::ready_slot, pg::datum(batch.ready_slot));
    row.set(column::receipt_id, pg::datum(batch.receipt_of(batch.shared.size() + index)));
    row.set(column::fence, pg::datum(fence));
    row.set(column::job_id, pg::datum(entry.job));
    row.set(column::run_lease, pg::datum(entry.body.last_lease.value + 1));
    row.set(column::ready_generation, pg::datum(batch.ready_generation));
    row.set(column::lane_seq, pg::datum(entry.position.seq));
    if (deadline_at != 0) row.set(column::deadline_at, pg::datum(deadline_at));
    row.set(column::claimed_at, pg::datum(batch.claimed_at));
    row.set(column::lane_id, pg::datum(batch.lane));
    row.set(column::attempt, pg::datum(static_cast<std::int16_t>(entry.body.attempts_used + 1)));
    row.set(column::max_attempts, pg::datum(entry.body.max_attempts));
    row.set(column::keyed, pg::datum(holds_key(entry)));
  });
}

void hand_out(const Batch &batch, core::Slot claim_slot, std::int64_t fence, const ClaimTerms &terms,
              core::Vec<Claimed> &claimed) {
  for (std::size_t i = 0; i < batch.entries.size(); ++i) {
    const Entry &entry = batch.entries[i];
    const bool shares = batch.shares(i);
    Claimed job{.entry = entry,
                .lane = batch.lane,
                .receipt = {},
                .ready_generation = batch.ready_generation,
                .claimed_at = batch.claimed_at,
                .deadline_at = batch.deadline_of(entry),
                .stale_at = batch.claimed_at + terms.stale_after,
                .batch_index = shares ? static_cast<int>(i) : 0,
                .priority = core::lane_of(batch.lane).priority,
                .queue = {}};
    job.receipt.claim_slot = static_cast<std::int16_t>(claim_slot.value);
    job.receipt.receipt = batch.receipt_of(i);
    job.receipt.batch = shares ? batch.id : core::BatchId{job.receipt.receipt.value};
    job.receipt.job = entry.job;
    job.receipt.lease = {entry.body.last_lease.value + 1};
    job.receipt.fence = fence;
    claimed.push_back(job);
  }
}

// Jobs that hold their keys only while they wait give them up.
void give_up_keys(core::LaneId lane, std::span<const Entry> entries) {
  for (const Entry &entry : entries) {
    if (entry.body.unique_key == 0) continue;
    change_state(KeyOwner(entry.job, core::lane_of(lane).queue, entry.body), core::JobState::available,
                 core::JobState::running, KeyPatience::waits);
  }
}

// The entries slot by slot, the slot of the first entry first, and within a slot those first that share a claim: receipts
// rise in the order of the lane as far as that goes.
core::Vec<Entry> grouped_by_slot(std::span<const Entry> entries, core::Memory &memory) {
  std::array<std::size_t, core::kQueueSlots> first_of;
  first_of.fill(entries.size());
  for (std::size_t i = entries.size(); i-- > 0;) first_of[static_cast<std::size_t>(entries[i].slot.value)] = i;
  core::Vec<Entry> grouped(entries, memory);
  const auto before = [&](const Entry &a, const Entry &b) {
    return std::pair(first_of[static_cast<std::size_t>(a.slot.value)], has_own_deadline(a)) <
           std::pair(first_of[static_cast<std::size_t>(b.slot.value)], has_own_deadline(b));
  };
  if (!std::is_sorted(grouped.begin(), grouped.end(), before)) {
    std::stable_sort(grouped.begin(), grouped.end(), before);
  }
  return grouped;
}

}  // namespace

void write_claim(const LaneTaking &taking, const ClaimTerms &terms, core::Memory &memory, core::Vec<Claimed> &claimed) {
  // One draw for all: receipts first, the frontier's id behind them, so that it is greater than every batch's.
  std::int64_t next_id = receipt::draw_receipt_block();
  const ring::CurrentLeaf claims = ring::open_current(ring::Ring::claim, ring::claim_batches_leaf);
  const core::Slot claim_slot{claims.table.slot()};

  const core::Vec<Entry> by_slot = grouped_by_slot(taking.entries, memory);
  const auto first = static_cast<std::ptrdiff_t>(claimed.size());
  if (claimed.empty()) claimed.reserve(by_slot.size());
  for (std::span<const Entry> rest = by_slot; !rest.empty();) {
    std::size_t count = 1;
    while (count < rest.size() && rest[count].slot == rest[0].slot) ++count;
    const std::span<const Entry> entries = rest.first(count);
    const auto first_single = std::find_if(entries.begin(), entries.end(), has_own_deadline);
    const auto alike = static_cast<std::size_t>(first_single - entries.begin());
    const std::size_t shared = alike == 1 ? 0 : alike;
    const Batch batch{.lane = taking.lane,
                      .ready_slot = rest[0].slot,
                      .ready_generation = taking.slots.generation_in(rest[0].slot),
                      .id = {next_id},
                      .claimed_at = taking.now,
                      .deadline_at = terms.deadline == 0 ? 0 : taking.now + terms.deadline,
                      .entries = entries,
                      .shared = entries.first(shared),
                      .single = entries.subspan(shared)};
    const std::int64_t fence = pg::random_bits();
    write_emission(batch, claim_slot, memory);
    if (!batch.shared.empty()) write_shared(batch, claims.table, fence, memory);
    if (!batch.single.empty()) {
      const pg::OpenTable singles(ring::row_claims_leaf(claim_slot), RowExclusiveLock);
      write_singles(batch, singles, fence);
    }
    hand_out(batch, claim_slot, fence, terms, claimed);
    next_id += static_cast<std::int64_t>(count);
    rest = rest.subspan(count);
  }
  // A batch belongs to one slot, the order of a lane runs through all.
  const auto before = [](const Claimed &a, const Claimed &b) { return a.entry.position < b.entry.position; };
  if (!std::is_sorted(claimed.begin() + first, claimed.end(), before)) {
    std::sort(claimed.begin() + first, claimed.end(), before);
  }

  core::Frontier frontier = taking.frontier;
  frontier.claimed_total += static_cast<std::int64_t>(taking.entries.size());
  const pg::OpenTable frontiers(ring::lane_frontiers_leaf(claim_slot), RowExclusiveLock);
  store(frontiers, taking.lane, {next_id}, frontier);
  give_up_keys(taking.lane, taking.entries);
}

}  // namespace awa::queue
