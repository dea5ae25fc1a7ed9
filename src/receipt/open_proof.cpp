#include "receipt/open_proof.hpp"

#include "core/completion.hpp"
#include "core/routing.hpp"

namespace awa::receipt {

namespace {

bool is_slot(std::int16_t slot) noexcept { return slot >= 0 && slot < core::kClaimSlots; }

}  // namespace

LeavesOfCall::LeavesOfCall(std::span<const core::Receipt> receipts, LOCKMODE closures_mode)
    : row_claims_(closures_mode) {
  for (const core::Receipt &receipt : receipts) {
    if (!is_slot(receipt.claim_slot)) continue;
    auto &place = leaves_[static_cast<std::size_t>(receipt.claim_slot)];
    if (!place) place.emplace(*open_claim_leaves(receipt.claim_slot, closures_mode));
  }
}

const ClaimLeaves *LeavesOfCall::of(std::int16_t slot) const noexcept {
  return is_slot(slot) ? &*leaves_[static_cast<std::size_t>(slot)] : nullptr;
}

std::optional<StoredBatch> LeavesOfCall::find(std::span<const core::Receipt> members,
                                              const pg::FreshSnapshot &snapshot) {
  const core::Receipt &any = members.front();
  const ClaimLeaves *const leaves = of(any.claim_slot);
  if (leaves == nullptr) return std::nullopt;
  if (auto batch = find_batch(*leaves, any.batch, snapshot)) return batch;
  // Only a receipt that is its own batch can have a row of its own; forged handles may name others beside it.
  const auto own = std::find_if(members.begin(), members.end(),
                                [](const core::Receipt &r) { return r.receipt.value == r.batch.value; });
  return own == members.end() ? std::nullopt : row_claims_.find(*own);
}

const pg::OpenTable &LeavesOfCall::closures(core::Slot slot, Shape shape) const noexcept {
  return shape == Shape::row ? row_claims_.closures(slot) : of(static_cast<std::int16_t>(slot.value))->closures;
}

core::Vec<Closure> LeavesOfCall::closures_of(const StoredBatch &claim, core::RangeView named,
                                             const pg::FreshSnapshot &snapshot, core::Memory &memory) {
  if (claim.shape != Shape::row)
    return find_closures(*of(claim.batch.claim_slot), claim.batch, named, snapshot, memory);
  core::Vec<Closure> closures(memory);
  if (named.empty()) return closures;
  const std::string_view outcome = row_claims_.outcome_of(claim);
  if (!outcome.empty()) closures.push_back({core::RangeSet(named, memory), outcome});
  return closures;
}

void LeavesOfCall::prove(const StoredBatch &stored, std::span<const core::Receipt> receipts,
                         const pg::FreshSnapshot &snapshot, std::span<Proof> proofs, core::Memory &memory) {
  const core::RangeSet named = core::named_members(stored.batch, receipts, memory);
  const core::Vec<Closure> closures = closures_of(stored, named, snapshot, memory);
  core::RangeSet closed(memory);
  for (const Closure &closure : closures) core::unite(closed, closure.receipts);
  core::Vec<bool> open(memory);
  open.resize(receipts.size());
  core::judge_open(stored.batch, receipts, closed, open);
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    if (open[i]) proofs[i].word = Proof::Word::open;
  }
  // Closures may be many as well: each looks for its own receipts among those asked for.
  const auto is_before = [](const core::Receipt &r, std::int64_t receipt) { return r.receipt.value < receipt; };
  for (const Closure &closure : closures) {
    const bool went_on = closure.outcome == core::word_of(core::Outcome::materialized);
    for (const core::Range &range : closure.receipts) {
      auto at = std::lower_bound(receipts.begin(), receipts.end(), range.lo, is_before);
      for (; at != receipts.end() && at->receipt.value < range.hi; ++at) {
        if (!core::names_member(stored.batch, *at)) continue;
        Proof &proof = proofs[static_cast<std::size_t>(at - receipts.begin())];
        proof = {went_on ? Proof::Word::materialized : Proof::Word::closed, closure.outcome};
      }
    }
  }
}

}  // namespace awa::receipt
