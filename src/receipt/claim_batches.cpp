#include "receipt/claim_batches.hpp"

#include "pg/datum.hpp"
#include "pg/index_reader.hpp"
#include "ring/tables.hpp"

namespace awa::receipt {

namespace {

constexpr std::size_t kMostWalks =
    16;  // scattered receipts looked up one by one; more: what is between them is read too

}  // namespace

ClaimLeaves open_claim_leaves(ClaimShape shape, core::Slot claim_slot, LOCKMODE closures_mode) {
  const bool compact = shape == ClaimShape::compact;
  auto &claims = compact ? ring::claim_batches_leaf(claim_slot) : ring::row_claims_leaf(claim_slot);
  auto &closures = compact ? ring::closure_batches_leaf(claim_slot) : ring::row_closures_leaf(claim_slot);
  return {pg::OpenTable(claims, AccessShareLock), pg::OpenTable(closures, closures_mode)};
}

std::optional<StoredBatch> find_batch(const ClaimLeaves &leaves, core::BatchId batch,
                                      const pg::FreshSnapshot &snapshot) {
  namespace column = ring::claim_batches;
  std::optional<StoredBatch> found;
  const std::int32_t slot = leaves.claims.slot();
  ScanKeyData keys[] = {pg::key_equal(1, slot), pg::key_equal(2, batch.value)};
  pg::walk(leaves.claims, leaves.claims.index(column::by_batch), snapshot.get(), keys, [&](const pg::Row &row) {
    const auto int8s = [&](AttrNumber number) { return pg::int8_values(pg::copied(row.value(number), false, -1)); };
    StoredBatch stored;
    stored.batch = {.batch = batch,
                    .claim_slot = static_cast<std::int16_t>(slot),
                    .fence = row.int8(column::fence),
                    .job_ids = int8s(column::job_ids),
                    .run_leases = int8s(column::run_leases)};
    stored.claim_slot = {slot};
    stored.ready_slot = {row.int4(column::ready_slot)};
    stored.ready_generation = {row.int8(column::ready_generation)};
    stored.lane = {row.int4(column::lane_id)};
    stored.claimed_at = row.int8(column::claimed_at);
    stored.deadline_at = row.is_null(column::deadline_at) ? 0 : row.int8(column::deadline_at);
    bool unkeyed = false;
    const Datum keyed = row.value(column::keyed_receipts, unkeyed);
    stored.keyed_receipts = pg::copied(keyed, unkeyed, -1);
    stored.lane_seqs = int8s(column::lane_seqs);
    stored.attempts = pg::int2_values(pg::copied(row.value(column::attempts), false, -1));
    found = stored;
    return pg::Walk::stop;
  });
  return found;
}

core::Vec<Closure> find_closures(const ClaimLeaves &leaves, const core::ClaimBatch &batch, core::RangeView receipts,
                                 const pg::FreshSnapshot &snapshot, core::Memory &memory) {
  namespace column = ring::closure_batches;
  core::Vec<Closure> closures(memory);
  if (receipts.empty()) return closures;
  const auto add = [&](const pg::Row &row) {
    closures.push_back({core::RangeSet(memory), {}});
    Closure &closure = closures.back();
    pg::unite_multirange(closure.receipts, row.value(column::receipt_ranges));
    closure.outcome = pg::text_view(pg::copied(row.value(column::outcome), false, -1));
  };
  // A closure of one receipt bears its number.
  const auto add_singles = [&](core::Range range) {
    ScanKeyData keys[] = {pg::key_equal(1, std::int32_t{leaves.closures.slot()}), pg::key_at_least(2, range.lo),
                          pg::key_at_most(2, range.hi - 1)};
    pg::walk(leaves.closures, leaves.closures.index(column::by_batch), snapshot.get(), keys, [&](const pg::Row &row) {
      if (row.int4(column::closed_count) == 1) add(row);
      return pg::Walk::on;
    });
  };
  if (receipts.size() <= kMostWalks) {
    for (const core::Range &range : receipts) add_singles(range);
  } else {
    add_singles({receipts.front().lo, receipts.back().hi});
  }
  if (batch.job_ids.size() == 1) return closures;
  // Exactly the receipts that are asked for: a batch of which much is closed already is not read for each of its members.
  const Datum wanted = pg::int8_multirange(receipts);
  ScanKeyData keys[] = {pg::key_overlaps(1, wanted)};
  pg::walk(leaves.closures, leaves.closures.index(column::several_by_receipts), snapshot.get(), keys,
           [&](const pg::Row &row) {
             if (row.int8(column::claim_batch_id) == batch.batch.value) add(row);
             return pg::Walk::on;
           });
  return closures;
}

}  // namespace awa::receipt
