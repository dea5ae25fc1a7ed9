// Row-local claims: receipts of jobs with a deadline of their own, a claim row and at most one closure row each.
//
// Such a receipt is its own batch. A handle does not say which shape its claim has: one whose batch is its receipt may be
// of either, and is looked for here when there is no claim batch of that id.
#pragma once

#include <array>
#include <optional>

#include "core/ring.hpp"
#include "receipt/claim_batches.hpp"

namespace awa::receipt {

// The row-local claims that one call reads, slot by slot. Whoever closes any took their attempt keys first: a slot's leaves
// are opened when it is first asked for, and its snapshot is taken after that.
class RowClaims {
 public:
  // The mode is what the leaves of closures are wanted for.
  explicit RowClaims(LOCKMODE closures_mode) noexcept : closures_mode_(closures_mode) {}

  // The claim of a receipt that is its own batch, as a batch of one, or nothing.
  std::optional<StoredBatch> find(const core::Receipt &receipt);

  // How the receipt of a claim that was found was closed; empty = it is open.
  std::string_view outcome_of(const StoredBatch &claim);

  // The closures' leaf of the slot of a claim that was found.
  const pg::OpenTable &closures(core::Slot slot) const noexcept {
    return open_[static_cast<std::size_t>(slot.value)]->closures;
  }

 private:
  struct Leaves {
    Leaves(core::Slot slot, LOCKMODE closures_mode);
    pg::OpenTable claims;
    pg::OpenTable closures;
    pg::FreshSnapshot snapshot;
  };

  LOCKMODE const closures_mode_;
  std::array<std::optional<Leaves>, core::kClaimSlots> open_;
};

}  // namespace awa::receipt
