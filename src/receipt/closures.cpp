#include "receipt/closures.hpp"

#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "ring/tables.hpp"

namespace awa::receipt {

void write_closures(const pg::OpenTable &leaf, std::span<const ClosedBatch> batches, core::Micros now) {
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

}  // namespace awa::receipt
