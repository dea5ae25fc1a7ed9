#include "rescue/evict.hpp"

#include "pg/datum.hpp"
#include "pg/pause_point.hpp"
#include "pg/spi.hpp"
#include "pg/transaction.hpp"
#include "receipt/held_attempts.hpp"
#include "rescue/receipt_rows.hpp"

namespace awa::rescue {

namespace {

constexpr Oid kSlotAndCount[] = {INT4OID, INT8OID};

constinit pg::Statement open_of_claim_slot(R"sql(
  SELECT b.claim_slot, b.batch_id, b.batch_id + m.place - 1, m.job_id, m.run_lease, b.fence
  FROM (SELECT c.claim_slot, c.batch_id, c.fence, c.job_ids, c.run_leases,
               c.receipt_ranges - coalesce(x.receipts, '{}') AS receipts
        FROM awa.lease_claim_batches c
          LEFT JOIN (SELECT claim_batch_id, range_agg(receipt_ranges) AS receipts
                     FROM awa.lease_claim_closure_batches WHERE claim_slot = $1 GROUP BY claim_batch_id) x
            ON x.claim_batch_id = c.batch_id
        WHERE c.claim_slot = $1 AND NOT coalesce(x.receipts @> c.receipt_ranges, false) OFFSET 0) b
    CROSS JOIN LATERAL unnest(b.job_ids, b.run_leases) WITH ORDINALITY m(job_id, run_lease, place)
  WHERE b.receipts @> (b.batch_id + m.place - 1)
  UNION ALL
  SELECT c.claim_slot, c.receipt_id, c.receipt_id, c.job_id, c.run_lease, c.fence
  FROM awa.lease_claims c
  WHERE c.claim_slot = $1
    AND NOT EXISTS (SELECT FROM awa.lease_claim_closures x WHERE x.claim_slot = $1 AND x.receipt_id = c.receipt_id)
  ORDER BY 1, 2, 3 LIMIT $2)sql",
                                           kSlotAndCount);

constinit pg::Statement open_of_ready_slot(R"sql(
  SELECT b.claim_slot, b.batch_id, b.batch_id + m.place - 1, m.job_id, m.run_lease, b.fence
  FROM (SELECT c.claim_slot, c.batch_id, c.fence, c.job_ids, c.run_leases,
               c.receipt_ranges - coalesce(x.receipts, '{}') AS receipts
        FROM awa.lease_claim_batches c
          LEFT JOIN (SELECT claim_slot, claim_batch_id, range_agg(receipt_ranges) AS receipts
                     FROM awa.lease_claim_closure_batches WHERE ready_slot = $1 GROUP BY claim_slot, claim_batch_id) x
            ON x.claim_slot = c.claim_slot AND x.claim_batch_id = c.batch_id
        WHERE c.ready_slot = $1 AND NOT coalesce(x.receipts @> c.receipt_ranges, false) OFFSET 0) b
    CROSS JOIN LATERAL unnest(b.job_ids, b.run_leases) WITH ORDINALITY m(job_id, run_lease, place)
  WHERE b.receipts @> (b.batch_id + m.place - 1)
  UNION ALL
  SELECT c.claim_slot, c.receipt_id, c.receipt_id, c.job_id, c.run_lease, c.fence
  FROM awa.lease_claims c
  WHERE c.ready_slot = $1 AND NOT EXISTS (SELECT FROM awa.lease_claim_closures x
                                          WHERE x.claim_slot = c.claim_slot AND x.receipt_id = c.receipt_id)
  ORDER BY 1, 2, 3 LIMIT $2)sql",
                                           kSlotAndCount);

constinit pg::Statement leases_of_slot(R"sql(
  SELECT claim_slot, batch_id, receipt_id, job_id, run_lease, fence FROM awa.leases WHERE lease_slot = $1
  ORDER BY 1, 2, 3 LIMIT $2)sql",
                                       kSlotAndCount);

pg::Statement &finding(ring::Ring ring) noexcept {
  return ring == ring::Ring::claim   ? open_of_claim_slot
         : ring == ring::Ring::queue ? open_of_ready_slot
                                     : leases_of_slot;
}

// An attempt may have left the slot meanwhile.
bool is_live_in(ring::Ring ring, core::Slot slot, const receipt::Attempt &attempt) noexcept {
  if (ring == ring::Ring::lease) return attempt.kept == receipt::Kept::in_lease && attempt.lease.slot == slot;
  return attempt.kept == receipt::Kept::in_claim;
}

// The keys are held.
std::int32_t move(ring::Ring ring, core::Slot slot, std::span<const core::Receipt> receipts, core::Memory &memory) {
  receipt::HeldAttempts held(receipts, receipt::Keys::taken, receipt::Bodies::read, memory);
  core::Vec<std::size_t> places(memory);
  core::Vec<receipt::Lease> leases(memory);
  for (std::size_t i = 0; i < held.attempts().size(); ++i) {
    if (!is_live_in(ring, slot, held.attempts()[i])) continue;
    places.push_back(i);
    leases.push_back(held.lease_of(i));
  }
  held.move_to_leases(places, leases, pg::now());
  return static_cast<std::int32_t>(places.size());
}

}  // namespace

core::Vec<core::Receipt> live_attempts(ring::Ring ring, core::Slot slot, std::size_t most, core::Memory &memory) {
  core::Vec<core::Receipt> live(memory);
  const Datum values[] = {pg::datum(slot), pg::datum(static_cast<std::int64_t>(most))};
  pg::Sql sql;
  const std::uint64_t count = sql.run(finding(ring), values);
  live.reserve(count);
  for (std::uint64_t row = 0; row < count; ++row) live.push_back(receipt_of(sql, row));
  std::sort(live.begin(), live.end());
  return live;
}

std::int32_t move_to_leases(ring::Ring ring, core::Slot slot, std::span<const core::Receipt> receipts,
                            std::span<Fate> fates, core::Memory &memory) {
  AWA_PAUSE_POINT("evict.before_keys");
  const core::Vec<core::Receipt> held = try_to_hold(receipts, fates, memory);
  AWA_PAUSE_POINT("evict.after_keys");
  std::int32_t moved = 0;
  deal_with(held, receipts, fates,
            [&](std::span<const core::Receipt> some) { moved += move(ring, slot, some, memory); });
  for (Fate &fate : fates) {
    if (fate == Fate::held) fate = Fate::over;
  }
  return moved;
}

}  // namespace awa::rescue
