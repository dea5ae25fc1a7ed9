#include "receipt/closures.hpp"

#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "ring/tables.hpp"

namespace awa::receipt {

namespace {

void write_batches(const pg::OpenTable &leaf, std::span<const ClosedBatch> batches, core::Micros now) {
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
    row.set(column::outcome, pg::text_datum(core::word_of(closed.outcome)));
  });
}

void write_rows(const pg::OpenTable &leaf, std::span<const ClosedBatch> receipts, core::Micros now) {
  namespace column = ring::row_closures;
  pg::append_many(leaf, receipts.size(), [&](std::size_t index, pg::NewRow row) {
    const ClosedBatch &closed = receipts[index];
    row.set(column::claim_slot, pg::datum(closed.claim_slot));
    row.set(column::ready_slot, pg::datum(closed.ready_slot));
    row.set(column::receipt_id, pg::datum(closed.batch));
    row.set(column::job_id, pg::datum(closed.job));
    row.set(column::run_lease, pg::datum(closed.lease));
    row.set(column::closed_at, pg::datum(now));
    row.set(column::outcome, pg::text_datum(core::word_of(closed.outcome)));
  });
}

}  // namespace

void write_closures(std::span<const ClosedBatch> batches, const LeavesOfCall &leaves, core::Micros now) {
  while (!batches.empty()) {
    const ClosedBatch &first = batches[0];
    std::size_t count = 1;
    while (count < batches.size() && batches[count].claim_slot == first.claim_slot &&
           batches[count].shape == first.shape) {
      ++count;
    }
    const auto write = first.shape == Shape::row ? write_rows : write_batches;
    write(leaves.closures(first.claim_slot, first.shape), batches.first(count), now);
    batches = batches.subspan(count);
  }
}

}  // namespace awa::receipt
