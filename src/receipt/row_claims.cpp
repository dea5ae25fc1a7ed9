#include "receipt/row_claims.hpp"

#include "pg/datum.hpp"
#include "pg/index_reader.hpp"
#include "ring/tables.hpp"

namespace awa::receipt {

namespace {

// The row of a receipt in a leaf, whose key is (claim_slot, receipt_id) in both tables.
template <typename Visit>
void visit_receipt(const pg::OpenTable &leaf, int index, std::int64_t receipt, const pg::FreshSnapshot &snapshot,
                   Visit &&visit) {
  ScanKeyData keys[] = {pg::key_equal(1, std::int32_t{leaf.slot()}), pg::key_equal(2, receipt)};
  pg::walk(leaf, leaf.index(index), snapshot.get(), keys, [&](const pg::Row &row) {
    visit(row);
    return pg::Walk::stop;
  });
}

// A span of one, in the current context. C room.
template <typename T>
std::span<const T> one(T value) {
  auto *const place = static_cast<T *>(palloc(sizeof(T)));
  *place = value;
  return {place, 1};
}

}  // namespace

RowClaims::Leaves::Leaves(core::Slot slot, LOCKMODE closures_mode)
    : claims(ring::row_claims_leaf(slot), AccessShareLock), closures(ring::row_closures_leaf(slot), closures_mode) {}

std::optional<StoredBatch> RowClaims::find(const core::Receipt &receipt) {
  namespace column = ring::row_claims;
  if (receipt.claim_slot < 0 || receipt.claim_slot >= core::kClaimSlots) return std::nullopt;
  if (receipt.batch.value != receipt.receipt.value) return std::nullopt;
  const core::Slot slot{receipt.claim_slot};
  auto &leaves = open_[static_cast<std::size_t>(slot.value)];
  if (!leaves) leaves.emplace(slot, closures_mode_);
  std::optional<StoredBatch> found;
  visit_receipt(leaves->claims, column::by_receipt, receipt.receipt.value, leaves->snapshot, [&](const pg::Row &row) {
    StoredBatch stored;
    stored.shape = ClaimShape::row_local;
    stored.batch = {.batch = receipt.batch,
                    .claim_slot = receipt.claim_slot,
                    .fence = row.int8(column::fence),
                    .job_ids = one(row.int8(column::job_id)),
                    .run_leases = one(row.int8(column::run_lease))};
    stored.claim_slot = slot;
    stored.ready_slot = {row.int4(column::ready_slot)};
    stored.ready_generation = {row.int8(column::ready_generation)};
    stored.lane = {row.int4(column::lane_id)};
    stored.claimed_at = row.int8(column::claimed_at);
    stored.lane_seqs = one(row.int8(column::lane_seq));
    stored.attempts = one(DatumGetInt16(row.value(column::attempt)));
    stored.deadline_at = row.is_null(column::deadline_at) ? 0 : row.int8(column::deadline_at);
    if (DatumGetBool(row.value(column::keyed))) {
      const core::Range own{receipt.receipt.value, receipt.receipt.value + 1};
      stored.keyed_receipts = pg::int8_multirange({&own, 1});
    }
    found = stored;
  });
  return found;
}

std::string_view RowClaims::outcome_of(const StoredBatch &claim) {
  namespace column = ring::row_closures;
  const auto &leaves = open_[static_cast<std::size_t>(claim.claim_slot.value)];
  std::string_view outcome;
  visit_receipt(
      leaves->closures, column::by_receipt, claim.batch.batch.value, leaves->snapshot,
      [&](const pg::Row &row) { outcome = pg::text_view(pg::copied(row.value(column::outcome), false, -1)); });
  return outcome;
}

}  // namespace awa::receipt
