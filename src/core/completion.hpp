// Decides which receipts of a claim batch a call may close: those that name the claim in every field and are not closed
// yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/containers.hpp"
#include "core/ids.hpp"
#include "core/ranges.hpp"
#include "core/receipt.hpp"

namespace awa::core {

// What the claim plane knows of one claim batch. The arrays run in parallel; member i has receipt batch + i.
struct ClaimBatch {
  BatchId batch;
  std::int16_t claim_slot;
  std::int64_t fence;
  std::span<const std::int64_t> job_ids;
  std::span<const std::int64_t> run_leases;
};

// Whether the handle names a member of the batch, by every field. A handle of another slot, fence, job or lease is
// stale.
bool names_member(const ClaimBatch &batch, const Receipt &receipt) noexcept;

// Index of the receipt in the arrays of its batch; only for handles that name a member.
std::size_t member_index(const ClaimBatch &batch, const Receipt &receipt) noexcept;

// The receipts of those handles that name a member. `receipts` are sorted and distinct, and carry the batch's id.
RangeSet named_members(const ClaimBatch &batch, std::span<const Receipt> receipts, Memory &memory);

// Sets open[i] to whether receipts[i] names a member and is not in `closed`. The handles are distinct, so at most one
// handle of a receipt is open.
void judge_open(const ClaimBatch &batch, std::span<const Receipt> receipts, RangeView closed,
                std::span<bool> open) noexcept;

}  // namespace awa::core
