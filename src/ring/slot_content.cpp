#include "ring/slot_content.hpp"

#include "core/blocks.hpp"
#include "pg/datum.hpp"
#include "pg/spi.hpp"
#include "ring/generation.hpp"
#include "ring/leaves.hpp"

namespace awa::ring {

namespace {

constexpr Oid kSlot[] = {INT4OID};
constexpr Oid kSlotAndBlock[] = {INT4OID, INT8OID};

constinit pg::Statement opened_at[] = {
    pg::Statement("SELECT opened_at FROM awa.queue_ring_slots WHERE slot = $1", kSlot),
    pg::Statement("SELECT opened_at FROM awa.claim_ring_slots WHERE slot = $1", kSlot),
    pg::Statement("SELECT opened_at FROM awa.lease_ring_slots WHERE slot = $1", kSlot)};

// The ids of a claim on a lane are from a block of their own, so the ends of the index tell how many there were, about.
constinit pg::Statement claims_of(R"sql(
  SELECT (greatest((SELECT max(batch_id) FROM awa.lease_claim_batches WHERE claim_slot = $1),
                   (SELECT max(receipt_id) FROM awa.lease_claims WHERE claim_slot = $1))
          - least((SELECT min(batch_id) FROM awa.lease_claim_batches WHERE claim_slot = $1),
                  (SELECT min(receipt_id) FROM awa.lease_claims WHERE claim_slot = $1))) / $2 + 1)sql",
                                  kSlotAndBlock, pg::Planning::once_by_index);

constinit pg::Statement bytes_of(R"sql(
  SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c
  WHERE c.relnamespace = 'awa'::regnamespace
    AND c.relname IN ('ready_entries_' || $1, 'ready_tombstones_' || $1, 'ready_claim_attempt_batches_' || $1,
                      'receipt_completion_batches_' || $1, 'receipt_completion_tombstones_' || $1,
                      'done_entries_' || $1))sql",
                                 kSlot);

std::int64_t number(pg::Sql &sql) {
  bool is_null = false;
  const Datum value = sql.value(0, 1, is_null);
  return is_null ? 0 : DatumGetInt64(value);
}

}  // namespace

core::SlotContent content_of_current(Ring ring, const core::TurnLimits &limits, core::Memory &memory) {
  core::SlotContent content;
  const core::Slot current = core::slot_of(generation_of(ring), slots_of(ring));
  content.empty = holds_nothing(ring, current, memory);
  if (content.empty) return content;
  const Datum values[] = {pg::datum(current), pg::datum(core::kReceiptBlock)};
  const std::span<const Datum> all(values);
  pg::Sql sql;
  if (sql.run(opened_at[static_cast<std::size_t>(ring)], all.first(1)) > 0) content.opened_at = number(sql);
  if (limits.claims != 0 && sql.run(claims_of, all) > 0) content.claims = number(sql);
  if (limits.bytes != 0 && sql.run(bytes_of, all.first(1)) > 0) content.bytes = number(sql);
  return content;
}

}  // namespace awa::ring
