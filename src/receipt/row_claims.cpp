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

std::optional<StoredBatch> find_row_claim(const ClaimLeaves &leaves, const core::Receipt &receipt,
                                          const pg::FreshSnapshot &snapshot) {
  namespace column = ring::row_claims;
  if (receipt.batch.value != receipt.receipt.value) return std::nullopt;
  std::optional<StoredBatch> found;
  visit_receipt(leaves.claims, column::by_receipt, receipt.receipt.value, snapshot, [&](const pg::Row &row) {
    StoredBatch stored;
    stored.shape = ClaimShape::row_local;
    stored.batch = {.batch = receipt.batch,
                    .claim_slot = receipt.claim_slot,
                    .fence = row.int8(column::fence),
                    .job_ids = one(row.int8(column::job_id)),
                    .run_leases = one(row.int8(column::run_lease))};
    stored.claim_slot = {receipt.claim_slot};
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

std::string_view row_outcome(const ClaimLeaves &leaves, const StoredBatch &claim, const pg::FreshSnapshot &snapshot) {
  namespace column = ring::row_closures;
  std::string_view outcome;
  visit_receipt(leaves.closures, column::by_receipt, claim.batch.batch.value, snapshot, [&](const pg::Row &row) {
    outcome = pg::text_view(pg::copied(row.value(column::outcome), false, -1));
  });
  return outcome;
}

}  // namespace awa::receipt
