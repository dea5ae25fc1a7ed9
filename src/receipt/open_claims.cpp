#include "receipt/open_claims.hpp"

#include "receipt/attempt_keys.hpp"

namespace awa::receipt {

namespace {

bool is_slot(std::int16_t slot) noexcept { return slot >= 0 && slot < core::kClaimSlots; }

}  // namespace

OpenClaims::OpenClaims(std::span<const core::Receipt> receipts, core::Memory &memory)
    : receipts_(receipts), memory_(memory), leaves_(open_leaves(receipts, memory)) {}

OpenClaims::LeavesBySlot OpenClaims::open_leaves(std::span<const core::Receipt> receipts, core::Memory &memory) {
  if (!receipts.empty()) take_attempt_keys(receipts, memory);
  LeavesBySlot leaves;
  for (const core::Receipt &receipt : receipts) {
    if (!is_slot(receipt.claim_slot)) continue;
    auto &place = leaves[static_cast<std::size_t>(receipt.claim_slot)];
    if (!place) place.emplace(*open_claim_leaves(receipt.claim_slot, RowExclusiveLock));
  }
  return leaves;
}

const ClaimLeaves *OpenClaims::leaves_of(std::int16_t slot) const {
  return is_slot(slot) ? &*leaves_[static_cast<std::size_t>(slot)] : nullptr;
}

std::optional<StoredBatch> OpenClaims::find(std::span<const core::Receipt> members) {
  const core::Receipt &any = members.front();
  const ClaimLeaves *const leaves = leaves_of(any.claim_slot);
  if (leaves == nullptr) return std::nullopt;
  if (auto batch = find_batch(*leaves, any.batch, snapshot_)) return batch;
  // Handles of one receipt that is its own batch may differ in the rest; forged ones may name other receipts.
  const auto own = std::find_if(members.begin(), members.end(),
                                [](const core::Receipt &r) { return r.receipt.value == r.batch.value; });
  return own == members.end() ? std::nullopt : row_claims_.find(*own);
}

void OpenClaims::judge(const StoredBatch &claim, std::span<const core::Receipt> members, std::span<bool> open) {
  const core::RangeSet named = core::named_members(claim.batch, members, memory_);
  core::RangeSet closed(memory_);
  if (claim.shape == ClaimShape::row_local) {
    if (!named.empty() && !row_claims_.outcome_of(claim).empty()) core::unite(closed, named);
  } else {
    const ClaimLeaves &leaves = *leaves_of(claim.batch.claim_slot);
    for (const Closure &closure : find_closures(leaves, claim.batch, named, snapshot_, memory_)) {
      core::unite(closed, closure.receipts);
    }
  }
  core::judge_open(claim.batch, members, closed, open);
}

}  // namespace awa::receipt
