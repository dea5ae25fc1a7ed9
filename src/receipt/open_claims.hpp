// Which of a call's receipts are open: the first half of everything that ends attempts.
//
// Construction takes the attempt keys if it is to, then opens the leaves of the claim slots, then takes a fresh snapshot: in this order,
// so that what it shows as open stays open until the transaction ends, unless the transaction itself closes it.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "core/ring.hpp"
#include "receipt/claim_batches.hpp"
#include "receipt/row_claims.hpp"

namespace awa::receipt {

// What the claims and closures say of a receipt.
struct Proof {
  enum class Word : std::uint8_t {
    unknown,       // there is no such claim
    open,          // claimed, not closed
    closed,        // over; `outcome` says how
    materialized,  // closed here: the attempt went on in a lease, and may still
  };
  Word word = Word::unknown;
  std::string_view outcome;  // of closed
};

enum class Keys : std::uint8_t {
  take,
  taken,       // the transaction holds them already
  not_needed,  // for a look that closes nothing
};

class OpenClaims {
 public:
  // `receipts` are sorted and distinct, and outlive the object. Errors: 55P03 and 40P01 from the keys.
  OpenClaims(std::span<const core::Receipt> receipts, Keys keys, core::Memory &memory);

  // Calls visit(claim, members, open) for each claim that handles of the call name: `members` is the run of those handles,
  // open[i] whether members[i] is one of its receipts, by every field, and not closed. Handles of nothing known are passed
  // by. A batch may be shown with no member open.
  template <typename Visit>
  void for_each(Visit &&visit) {
    core::Vec<bool> open(memory_);
    for_each_batch(receipts_, [&](std::span<const core::Receipt> members) {
      const auto claim = find(members);
      if (!claim) return;
      open.assign(members.size(), false);
      judge(*claim, members, open);
      visit(*claim, members, std::span<const bool>(open));
    });
  }

  // Of the nth receipt, when it has been shown.
  const Proof &proof(std::size_t nth) const noexcept { return proofs_[nth]; }

  const pg::FreshSnapshot &snapshot() const noexcept { return snapshot_; }

  // The leaves of closures of a claim's slot, open and locked for writing.
  const pg::OpenTable &closures(core::Slot slot) const {
    return leaves_[static_cast<std::size_t>(slot.value)]->closures;
  }
  const pg::OpenTable &row_closures(core::Slot slot) const { return row_claims_.closures(slot); }

 private:
  using LeavesBySlot = std::array<std::optional<ClaimLeaves>, core::kClaimSlots>;

  static LeavesBySlot open_leaves(std::span<const core::Receipt> receipts, Keys keys, core::Memory &memory);
  const ClaimLeaves *leaves_of(std::int16_t slot) const;
  std::optional<StoredBatch> find(std::span<const core::Receipt> members);
  void judge(const StoredBatch &claim, std::span<const core::Receipt> members, std::span<bool> open);

  std::span<const core::Receipt> const receipts_;
  core::Memory &memory_;
  LeavesBySlot const leaves_;
  pg::FreshSnapshot const snapshot_;
  RowClaims row_claims_;
  core::Vec<Proof> proofs_;
};

}  // namespace awa::receipt
