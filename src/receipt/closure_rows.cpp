#include "receipt/closure_rows.hpp"

#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "ring/tables.hpp"

namespace awa::receipt {

namespace {

core::Slot slot_of(const core::Receipt &receipt) noexcept { return {receipt.claim_slot}; }

// Calls write(slot, rows) for each run of rows of one claim slot.
template <typename Rows, typename SlotOf, typename Write>
void for_each_slot(const Rows &rows, SlotOf &&slot_of_row, Write &&write) {
  for (std::span rest(rows.data(), rows.size()); !rest.empty();) {
    std::size_t count = 1;
    while (count < rest.size() && slot_of_row(rest[count]) == slot_of_row(rest[0])) ++count;
    write(slot_of_row(rest[0]), rest.first(count));
    rest = rest.subspan(count);
  }
}

}  // namespace

void ClosureRows::add(const StoredBatch &claim, std::span<const core::Receipt> members, std::span<const bool> open,
                      std::string_view outcome) {
  core::RangeSet closed(memory_);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!open[i]) continue;
    if (claim.shape == ClaimShape::row_local) {
      singles_.push_back({members[i], claim.ready_slot, outcome});
    } else {
      core::append(closed, members[i].receipt.value);
    }
  }
  if (closed.empty()) return;
  batches_.push_back(
      {claim.batch.batch, claim.claim_slot, claim.ready_slot, claim.ready_generation, outcome, std::move(closed)});
}

void ClosureRows::write(const OpenClaims &claims, core::Micros now) {
  for_each_slot(
      batches_, [](const ClosedBatch &row) { return row.claim_slot; },
      [&](core::Slot slot, std::span<const ClosedBatch> rows) {
        write_batches(claims.closures(ClaimShape::compact, slot), rows, now);
      });
  for_each_slot(
      singles_, [](const ClosedSingle &row) { return slot_of(row.receipt); },
      [&](core::Slot slot, std::span<const ClosedSingle> rows) {
        write_singles(claims.closures(ClaimShape::row_local, slot), rows, now);
      });
}

void ClosureRows::write_batches(const pg::OpenTable &leaf, std::span<const ClosedBatch> batches, core::Micros now) {
  namespace column = ring::closure_batches;
  pg::append_many(leaf, batches.size(), [&](std::size_t index, pg::NewRow row) {
    const ClosedBatch &closed = batches[index];
    row.set(column::claim_slot, pg::datum(closed.claim_slot));
    row.set(column::ready_slot, pg::datum(closed.ready_slot));
    row.set(column::batch_id, pg::datum(closed.receipts.front().lo));
    row.set(column::claim_batch_id, pg::datum(closed.batch));
    row.set(column::ready_generation, pg::datum(closed.ready_generation));
    row.set(column::closed_at, pg::datum(now));
    row.set(column::closed_count, pg::datum(static_cast<std::int32_t>(core::cardinality(closed.receipts))));
    row.set(column::receipt_ranges, pg::int8_multirange(closed.receipts));
    row.set(column::outcome, pg::text_datum(closed.outcome));
  });
}

void ClosureRows::write_singles(const pg::OpenTable &leaf, std::span<const ClosedSingle> singles, core::Micros now) {
  namespace column = ring::row_closures;
  pg::append_many(leaf, singles.size(), [&](std::size_t index, pg::NewRow row) {
    const ClosedSingle &closed = singles[index];
    row.set(column::claim_slot, pg::datum(slot_of(closed.receipt)));
    row.set(column::ready_slot, pg::datum(closed.ready_slot));
    row.set(column::receipt_id, pg::datum(closed.receipt.receipt));
    row.set(column::job_id, pg::datum(closed.receipt.job));
    row.set(column::run_lease, pg::datum(closed.receipt.lease));
    row.set(column::closed_at, pg::datum(now));
    row.set(column::outcome, pg::text_datum(closed.outcome));
  });
}

}  // namespace awa::receipt
