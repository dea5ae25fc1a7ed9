#include "receipt/open_claims.hpp"

#include "core/routing.hpp"
#include "receipt/attempt_keys.hpp"

namespace awa::receipt {

namespace {

bool is_slot(std::int16_t slot) noexcept { return slot >= 0 && slot < core::kClaimSlots; }

bool is_own_batch(const core::Receipt &receipt) noexcept { return receipt.receipt.value == receipt.batch.value; }

// Whether the handles of one claim name what a row-local claim has: one receipt that is its own batch.
bool is_alone(std::span<const core::Receipt> members) noexcept {
  return members.size() == 1 && is_own_batch(members.front());
}

LOCKMODE closures_mode(Keys keys) noexcept { return keys == Keys::not_needed ? AccessShareLock : RowExclusiveLock; }

}  // namespace

OpenClaims::OpenClaims(std::span<const core::Receipt> receipts, Keys keys, core::Memory &memory)
    : receipts_(receipts), keys_(keys), memory_(memory), leaves_(open_leaves(receipts, keys, memory)), proofs_(memory) {
  proofs_.resize(receipts.size());
}

OpenClaims::ByPlace<ClaimLeaves> OpenClaims::open_leaves(std::span<const core::Receipt> receipts, Keys keys,
                                                         core::Memory &memory) {
  if (keys == Keys::take && !receipts.empty()) take_attempt_keys(receipts, memory);
  ByPlace<ClaimLeaves> leaves;
  const auto open = [&](ClaimShape shape, core::Slot slot) {
    auto &place = at(leaves, shape, slot);
    if (!place) place.emplace(open_claim_leaves(shape, slot, closures_mode(keys)));
  };
  for_each_batch(receipts, [&](std::span<const core::Receipt> members) {
    const core::Slot slot{members.front().claim_slot};
    if (!is_slot(members.front().claim_slot)) return;
    const bool row_local = is_alone(members);
    if (row_local) open(ClaimShape::row_local, slot);
    if (!row_local || keys == Keys::not_needed) open(ClaimShape::compact, slot);
  });
  return leaves;
}

const ClaimLeaves &OpenClaims::leaves_of(ClaimShape shape, core::Slot slot) {
  auto &place = at(leaves_, shape, slot);
  if (!place) {
    place.emplace(open_claim_leaves(shape, slot, closures_mode(keys_)));
    at(later_, shape, slot).emplace();
  }
  return *place;
}

const pg::FreshSnapshot &OpenClaims::snapshot_of(ClaimShape shape, core::Slot slot) const {
  const auto &later = at(later_, shape, slot);
  return later ? *later : snapshot_;
}

std::optional<StoredBatch> OpenClaims::find(std::span<const core::Receipt> members) {
  if (!is_slot(members.front().claim_slot)) return std::nullopt;
  if (is_alone(members)) {
    auto row = find_row(members.front());
    return row ? row : find_compact(members.front());
  }
  if (auto batch = find_compact(members.front())) return batch;
  // Handles of one receipt that is its own batch may differ in the rest; forged ones may name other receipts.
  const auto own = std::find_if(members.begin(), members.end(), is_own_batch);
  return own == members.end() ? std::nullopt : find_row(*own);
}

std::optional<StoredBatch> OpenClaims::find_compact(const core::Receipt &any) {
  const core::Slot slot{any.claim_slot};
  const ClaimLeaves &leaves = leaves_of(ClaimShape::compact, slot);
  return find_batch(leaves, any.batch, snapshot_of(ClaimShape::compact, slot));
}

std::optional<StoredBatch> OpenClaims::find_row(const core::Receipt &receipt) {
  const core::Slot slot{receipt.claim_slot};
  const ClaimLeaves &leaves = leaves_of(ClaimShape::row_local, slot);
  return find_row_claim(leaves, receipt, snapshot_of(ClaimShape::row_local, slot));
}

void OpenClaims::judge(const StoredBatch &claim, std::span<const core::Receipt> members, std::span<bool> open) {
  const core::RangeSet named = core::named_members(claim.batch, members, memory_);
  const ClaimLeaves &leaves = leaves_of(claim.shape, claim.claim_slot);
  const pg::FreshSnapshot &snapshot = snapshot_of(claim.shape, claim.claim_slot);
  core::Vec<Closure> closures(memory_);
  if (claim.shape == ClaimShape::compact) {
    closures = find_closures(leaves, claim.batch, named, snapshot, memory_);
  } else if (!named.empty()) {
    const std::string_view outcome = row_outcome(leaves, claim, snapshot);
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
