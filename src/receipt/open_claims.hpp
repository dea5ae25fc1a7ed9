// Which of a call's receipts are open: the first half of everything that ends attempts.
//
// Construction takes the attempt keys if it is to, then opens the leaves of the claim slots, then takes a fresh snapshot: in this order,
// so that what it shows as open stays open until the transaction ends, unless the transaction itself closes it. A handle does not
// say which shape its claim has: the leaves of the likely one are opened, those of the other when the claim is not there. Whoever
// holds no keys opens both, since the two looks must not lie apart.
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
  template <typename T>
  using ByPlace = std::array<std::array<std::optional<T>, core::kClaimSlots>, 2>;  // by shape and slot

  template <typename All>
  static auto &at(All &all, ClaimShape shape, core::Slot slot) noexcept {
    return all[static_cast<std::size_t>(shape)][static_cast<std::size_t>(slot.value)];
  }

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

  // The leaf of closures of a claim that was shown, open and locked for writing.
  const pg::OpenTable &closures(ClaimShape shape, core::Slot slot) const { return at(leaves_, shape, slot)->closures; }

 private:
  static ByPlace<ClaimLeaves> open_leaves(std::span<const core::Receipt> receipts, Keys keys, core::Memory &memory);
  const ClaimLeaves &leaves_of(ClaimShape shape, core::Slot slot);
  const pg::FreshSnapshot &snapshot_of(ClaimShape shape, core::Slot slot) const;
  std::optional<StoredBatch> find(std::span<const core::Receipt> members);
  std::optional<StoredBatch> find_compact(const core::Receipt &any);
  std::optional<StoredBatch> find_row(const core::Receipt &receipt);
  void judge(const StoredBatch &claim, std::span<const core::Receipt> members, std::span<bool> open);

  std::span<const core::Receipt> const receipts_;
  Keys const keys_;
  core::Memory &memory_;
  ByPlace<ClaimLeaves> leaves_;
  pg::FreshSnapshot const snapshot_;
  ByPlace<pg::FreshSnapshot> later_;  // of leaves that were opened late
  core::Vec<Proof> proofs_;
};

}  // namespace awa::receipt
