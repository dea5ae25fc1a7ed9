#include "receipt/completion.hpp"

#include <optional>

#include "core/completion.hpp"
#include "core/ring.hpp"
#include "pg/error.hpp"
#include "pg/pause_point.hpp"
#include "pg/transaction.hpp"
#include "receipt/attempt_keys.hpp"
#include "receipt/claim_batches.hpp"
#include "receipt/completion_rows.hpp"

namespace awa::receipt {

namespace {

// The leaves of the claim slots that a call is about, opened before its snapshot is taken.
class LeavesOfCall {
 public:
  explicit LeavesOfCall(std::span<const core::Receipt> receipts) {
    for (const core::Receipt &receipt : receipts) {
      if (is_slot(receipt.claim_slot) && !place(receipt.claim_slot)) {
        place(receipt.claim_slot).emplace(*open_claim_leaves(receipt.claim_slot, RowExclusiveLock));
      }
    }
  }

  // Nothing for a slot that no claim can have.
  const ClaimLeaves *of(std::int16_t slot) const {
    return is_slot(slot) ? &*leaves_[static_cast<std::size_t>(slot)] : nullptr;
  }

 private:
  static bool is_slot(std::int16_t slot) noexcept { return slot >= 0 && slot < core::kClaimSlots; }
  std::optional<ClaimLeaves> &place(std::int16_t slot) { return leaves_[static_cast<std::size_t>(slot)]; }

  std::array<std::optional<ClaimLeaves>, core::kClaimSlots> leaves_;
};

// Which of the handles of one claim batch are open.
void judge(const ClaimLeaves &leaves, const StoredBatch &stored, std::span<const core::Receipt> receipts,
           const pg::FreshSnapshot &snapshot, std::span<bool> open, core::Memory &memory) {
  const core::RangeSet named = core::named_members(stored.batch, receipts, memory);
  core::RangeSet closed(memory);
  for (const Closure &closure : find_closures(leaves, stored.batch, named, snapshot, memory)) {
    core::unite(closed, closure.receipts);
  }
  core::judge_open(stored.batch, receipts, closed, open);
}

[[noreturn]] void refuse_stale(const core::Receipt &receipt, std::size_t stale) {
  char handle[core::kReceiptTextSize];
  core::format(receipt, handle);
  pg::raise({.sqlstate = pg::kStaleReceipt,
             .message = pg::format("receipt %s is stale", handle),
             .detail = pg::format(
                 "%zu of the receipts are stale: over already, or of nothing known. None was completed.", stale),
             .hint = "See awa.receipt_state(), or call without strict to complete the others."});
}

}  // namespace

void complete(std::span<const core::Receipt> receipts, std::span<const Result> results, Strictness strictness,
              std::span<bool> completed, core::Memory &memory) {
  std::fill(completed.begin(), completed.end(), false);
  if (receipts.empty()) return;
  AWA_PAUSE_POINT("complete.before_keys");
  take_attempt_keys(receipts, memory);
  AWA_PAUSE_POINT("complete.after_keys");
  const LeavesOfCall leaves(receipts);
  const pg::FreshSnapshot snapshot;

  CompletionRows rows(memory);
  for_each_batch(receipts, [&](std::span<const core::Receipt> members) {
    const ClaimLeaves *const claim_leaves = leaves.of(members.front().claim_slot);
    if (claim_leaves == nullptr) return;
    const auto stored = find_batch(*claim_leaves, members.front().batch, snapshot);
    if (!stored) return;
    const auto first = static_cast<std::size_t>(members.data() - receipts.data());
    const std::span<bool> open = completed.subspan(first, members.size());
    judge(*claim_leaves, *stored, members, snapshot, open, memory);
    rows.add(*stored, members, open, results.empty() ? results : results.subspan(first, members.size()));
  });

  if (strictness == Strictness::strict) {
    const auto stale = std::find(completed.begin(), completed.end(), false);
    if (stale != completed.end()) {
      refuse_stale(receipts[static_cast<std::size_t>(stale - completed.begin())],
                   static_cast<std::size_t>(std::count(stale, completed.end(), false)));
    }
  }
  AWA_PAUSE_POINT("complete.before_rows");
  rows.write(pg::now(), [&](core::Slot slot) -> const pg::OpenTable & {
    return leaves.of(static_cast<std::int16_t>(slot.value))->closures;
  });
}

}  // namespace awa::receipt
