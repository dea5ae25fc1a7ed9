#include "ring/proofs.hpp"

#include "pg/datum.hpp"
#include "pg/settings.hpp"

namespace awa::ring {

namespace {

constexpr Oid kSlot[] = {INT4OID};
constexpr Oid kSlotAndRetention[] = {INT4OID, INTERVALOID};

// Sets and sums: a set alone would not show a receipt that was closed twice, a sum alone not which.
constinit pg::Statement claim_proof(R"sql(
  SELECT CASE WHEN c.receipts IS DISTINCT FROM x.receipts OR c.units IS DISTINCT FROM x.units
                OR r.receipts IS DISTINCT FROM y.receipts OR r.units IS DISTINCT FROM y.units THEN 'open' END
  FROM (SELECT range_agg(receipt_ranges) AS receipts, sum(claimed_count) AS units
        FROM awa.lease_claim_batches WHERE claim_slot = $1) c,
       (SELECT range_agg(receipt_ranges) AS receipts, sum(closed_count) AS units
        FROM awa.lease_claim_closure_batches WHERE claim_slot = $1) x,
       (SELECT range_agg(int8multirange(int8range(receipt_id, receipt_id, '[]'))) AS receipts, count(*) AS units
        FROM awa.lease_claims WHERE claim_slot = $1) r,
       (SELECT range_agg(int8multirange(int8range(receipt_id, receipt_id, '[]'))) AS receipts, count(*) AS units
        FROM awa.lease_claim_closures WHERE claim_slot = $1) y)sql",
                                    kSlot);

// Entries are compared with evidence whatever generation it names.
constinit pg::Statement queue_proof(R"sql(
  SELECT CASE
    WHEN EXISTS (SELECT FROM awa.unspent_entries WHERE ready_slot = $1) THEN 'pending'
    WHEN EXISTS (
      SELECT FROM awa.lease_claim_batches c
        LEFT JOIN (SELECT claim_slot, claim_batch_id, range_agg(receipt_ranges) AS receipts, sum(closed_count) AS units
                   FROM awa.lease_claim_closure_batches WHERE ready_slot = $1 GROUP BY claim_slot, claim_batch_id) x
          ON x.claim_slot = c.claim_slot AND x.claim_batch_id = c.batch_id
      WHERE c.ready_slot = $1
        AND (c.receipt_ranges IS DISTINCT FROM x.receipts OR c.claimed_count IS DISTINCT FROM x.units)) THEN 'open'
    WHEN EXISTS (
      SELECT FROM awa.lease_claims c WHERE c.ready_slot = $1
        AND NOT EXISTS (SELECT FROM awa.lease_claim_closures x
                        WHERE x.claim_slot = c.claim_slot AND x.receipt_id = c.receipt_id)) THEN 'open'
    WHEN EXISTS (SELECT FROM awa.receipt_completion_batches
                 WHERE ready_slot = $1 AND finalized_at > clock_timestamp() - $2)
      OR EXISTS (SELECT FROM awa.done_entries
                 WHERE ready_slot = $1 AND finalized_at > clock_timestamp() - $2) THEN 'history'
    WHEN EXISTS (SELECT FROM awa.done_entries d JOIN awa.queues q ON q.queue_id = d.lane_id / 256
                 WHERE d.ready_slot = $1 AND d.state = 'failed'
                   AND d.finalized_at > clock_timestamp() - q.failed_retention) THEN 'failed'
  END)sql",
                                    kSlotAndRetention);

constinit pg::Statement young_history(R"sql(
  SELECT WHERE EXISTS (SELECT FROM awa.receipt_completion_batches
                       WHERE ready_slot = $1 AND finalized_at > clock_timestamp() - $2)
    OR EXISTS (SELECT FROM awa.done_entries WHERE ready_slot = $1 AND finalized_at > clock_timestamp() - $2))sql",
                                      kSlotAndRetention);

constinit pg::Statement lease_proof(
    "SELECT CASE WHEN EXISTS (SELECT FROM awa.leases WHERE lease_slot = $1) THEN 'leases' END", kSlot);

}  // namespace

const char *live_in(Ring ring, core::Slot slot) {
  const Datum values[] = {pg::datum(slot), pg::interval_of(pg::history_retention())};
  const std::span<const Datum> all(values);
  pg::Sql sql;
  if (ring == Ring::queue) {
    sql.run(queue_proof, all);
  } else {
    sql.run(ring == Ring::claim ? claim_proof : lease_proof, all.first(1));
  }
  bool is_null = false;
  const Datum reason = sql.value(0, 1, is_null);
  if (is_null) return nullptr;
  // The words are those above; the result dies with the connection.
  const std::string_view word = pg::text_view(reason);
  for (const char *const known : {"open", "pending", "history", "failed", "leases"}) {
    if (word == known) return known;
  }
  return "unknown";
}

bool keeps_history(core::Slot slot) {
  const Datum values[] = {pg::datum(slot), pg::interval_of(pg::history_retention())};
  return pg::Sql().run(young_history, values) > 0;
}

}  // namespace awa::ring
