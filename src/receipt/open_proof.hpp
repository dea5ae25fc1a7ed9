// What the claim plane proves of receipts: open, closed, gone on outside the rings, or unknown.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "core/receipt.hpp"
#include "core/ring.hpp"
#include "receipt/claim_batches.hpp"
#include "receipt/row_claims.hpp"

namespace awa::receipt {

struct Proof {
  enum class Word : std::uint8_t {
    unknown,       // there is no such claim
    open,          // claimed, not closed
    closed,        // over; `outcome` says how
    materialized,  // closed here: the attempt went on in a lease, or goes on there
  };
  Word word = Word::unknown;
  std::string_view outcome;  // of closed
};

// The leaves of the claim slots that a call is about, opened before its snapshot is taken.
class LeavesOfCall {
 public:
  // The mode is that of the closures' leaves.
  LeavesOfCall(std::span<const core::Receipt> receipts, LOCKMODE closures_mode);

  // The claim that the members, handles of one claim slot and batch, name, whatever its shape; or nothing.
  std::optional<StoredBatch> find(std::span<const core::Receipt> members, const pg::FreshSnapshot &snapshot);

  // Sets proofs[i] for each of the members, handles of a claim that was found.
  void prove(const StoredBatch &claim, std::span<const core::Receipt> members, const pg::FreshSnapshot &snapshot,
             std::span<Proof> proofs, core::Memory &memory);

  // The leaf that closures of claims of the slot and shape go to, which were found.
  const pg::OpenTable &closures(core::Slot slot, Shape shape) const noexcept;

 private:
  // Null for a slot that no claim can have.
  const ClaimLeaves *of(std::int16_t slot) const noexcept;
  core::Vec<Closure> closures_of(const StoredBatch &claim, core::RangeView named, const pg::FreshSnapshot &snapshot,
                                 core::Memory &memory);

  std::array<std::optional<ClaimLeaves>, core::kClaimSlots> leaves_;
  RowClaims row_claims_;
};

}  // namespace awa::receipt
