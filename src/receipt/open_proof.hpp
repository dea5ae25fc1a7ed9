// What the claim plane proves of receipts: open, closed, gone on outside the rings, or unknown.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "core/receipt.hpp"
#include "core/ring.hpp"
#include "receipt/claim_batches.hpp"

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

  // Null for a slot that no claim can have.
  const ClaimLeaves *of(std::int16_t slot) const noexcept;

 private:
  std::array<std::optional<ClaimLeaves>, core::kClaimSlots> leaves_;
};

// Sets proofs[i] for each handle of one claim batch.
void prove(const ClaimLeaves &leaves, const StoredBatch &stored, std::span<const core::Receipt> receipts,
           const pg::FreshSnapshot &snapshot, std::span<Proof> proofs, core::Memory &memory);

}  // namespace awa::receipt
