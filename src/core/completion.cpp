#include "core/completion.hpp"

namespace awa::core {

bool names_member(const ClaimBatch &batch, const Receipt &receipt) noexcept {
  const std::size_t index = member_index(batch, receipt);
  return receipt.batch == batch.batch && receipt.claim_slot == batch.claim_slot && receipt.fence == batch.fence &&
         index < batch.job_ids.size() && receipt.job.value == batch.job_ids[index] &&
         receipt.lease.value == batch.run_leases[index];
}

std::size_t member_index(const ClaimBatch &batch, const Receipt &receipt) noexcept {
  // In unsigned arithmetic whatever a handle says is defined, and a receipt before the batch gets a huge index.
  return static_cast<std::uint64_t>(receipt.receipt.value) - static_cast<std::uint64_t>(batch.batch.value);
}

RangeSet named_members(const ClaimBatch &batch, std::span<const Receipt> receipts, Memory &memory) {
  RangeSet members(memory);
  for (const Receipt &receipt : receipts) {
    // Handles that name a member differ in the receipt: all other fields are fixed by it.
    if (names_member(batch, receipt)) append(members, receipt.receipt.value);
  }
  return members;
}

void judge_open(const ClaimBatch &batch, std::span<const Receipt> receipts, RangeView closed,
                std::span<bool> open) noexcept {
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    open[i] = names_member(batch, receipts[i]) && !contains(closed, receipts[i].receipt.value);
  }
}

}  // namespace awa::core
