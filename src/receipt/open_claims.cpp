#include "receipt/open_claims.hpp"

#include "core/routing.hpp"
#include "receipt/attempt_keys.hpp"

namespace awa::receipt {

namespace {

bool is_slot(std::int16_t slot) noexcept { return slot >= 0 && slot < core::kClaimSlots; }

LOCKMODE closures_mode(Keys keys) noexcept { return keys == Keys::not_needed ? AccessShareLock : RowExclusiveLock; }

}  // namespace

OpenClaims::OpenClaims(std::span<const core::Receipt> receipts, Keys keys, core::Memory &memory)
    : receipts_(receipts),
      memory_(memory),
      leaves_(open_leaves(receipts, keys, memory)),
      row_claims_(closures_mode(keys)),
      proofs_(memory) {
  proofs_.resize(receipts.size());
}

OpenClaims::LeavesBySlot OpenClaims::open_leaves(std::span<const core::Receipt> receipts, Keys keys,
                                                 core::Memory &memory) {
  if (keys == Keys::take && !receipts.empty()) take_attempt_keys(receipts, memory);
  LeavesBySlot leaves;
  for (const core::Receipt &receipt : receipts) {
    if (!is_slot(receipt.claim_slot)) continue;
    auto &place = leaves[static_cast<std::size_t>(receipt.claim_slot)];
    if (!place) place.emplace(*open_claim_leaves(receipt.claim_slot, closures_mode(keys)));
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
  core::Vec<Closure> closures(memory_);
  if (claim.shape == ClaimShape::compact) {
    closures = find_closures(*leaves_of(claim.batch.claim_slot), claim.batch, named, snapshot_, memory_);
  } else if (!named.empty()) {
    const std::string_view outcome = row_claims_.outcome_of(claim);
    if (!outcome.empty()) {
      closures.push_back({core::RangeSet(memory_), outcome});
      core::unite(closures.back().receipts, named);
    }
  }
  core::RangeSet closed(memory_);
  for (const Closure &closure : closures) core::unite(closed, closure.receipts);
  core::judge_open(claim.batch, members, closed, open);

  const std::span<Proof> proofs(proofs_.data() + (members.data() - receipts_.data()), members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (open[i]) proofs[i].word = Proof::Word::open;
  }
  // Closures may be many as well: each looks for its own receipts among those asked for.
  const auto is_before = [](const core::Receipt &r, std::int64_t receipt) { return r.receipt.value < receipt; };
  for (const Closure &closure : closures) {
    const bool went_on = closure.outcome == core::word_of(core::Outcome::materialized);
    for (const core::Range &range : closure.receipts) {
      auto at = std::lower_bound(members.begin(), members.end(), range.lo, is_before);
      for (; at != members.end() && at->receipt.value < range.hi; ++at) {
        if (!core::names_member(claim.batch, *at)) continue;
        proofs[static_cast<std::size_t>(at - members.begin())] = {
            went_on ? Proof::Word::materialized : Proof::Word::closed, closure.outcome};
      }
    }
  }
}

}  // namespace awa::receipt
