// What the claim plane says about compact receipts: the claim batches they name, and which of their members are closed. The
// other shape of claims: row_claims.hpp.
#pragma once

#include <optional>
#include <span>

#include "core/completion.hpp"
#include "core/receipt.hpp"
#include "pg/cached_table.hpp"
#include "pg/snapshot.hpp"

namespace awa::receipt {

// How a claim is stored. Its closures have the same shape, whatever their reason.
enum class ClaimShape : std::uint8_t {
  compact,    // lease_claim_batches: receipts of one claim
  row_local,  // lease_claims: one receipt, of a claim of one job, or of a job with a deadline of its own
};

// A claim as read, with what a closure of its members needs: a row-local one is a batch of one. It lives in the memory it
// was read into.
struct StoredBatch {
  ClaimShape shape = ClaimShape::compact;
  core::ClaimBatch batch;
  core::Slot claim_slot;
  core::Slot ready_slot;
  core::Generation ready_generation;
  core::LaneId lane;
  core::Micros claimed_at;
  core::Micros deadline_at;  // 0 = none
  std::span<const std::int64_t> lane_seqs;
  std::span<const std::int16_t> attempts;
  Datum keyed_receipts = 0;  // int8multirange: receipts of jobs that hold a unique key while they run; 0 = none
};

// The two leaves of a claim slot that decide about its receipts. Opened before the snapshot is taken: then the slot
// cannot be emptied between the look at its claims and the look at its closures.
struct ClaimLeaves {
  pg::OpenTable claims;
  pg::OpenTable closures;
};

// `closures_mode` is what the caller wants the closures' leaf for.
ClaimLeaves open_claim_leaves(ClaimShape shape, core::Slot claim_slot, LOCKMODE closures_mode);

// The batch, or nothing if there is none of that id.
std::optional<StoredBatch> find_batch(const ClaimLeaves &leaves, core::BatchId batch,
                                      const pg::FreshSnapshot &snapshot);

// A closure: some receipts of a batch, and how they ended.
// NOLINTNEXTLINE(bugprone-exception-escape): its set is a container that says that it may throw when it is moved
struct Closure {
  core::RangeSet receipts;
  std::string_view outcome;
};

// The closures of `batch` that touch any of `receipts`, members of it; they may name more receipts than those.
core::Vec<Closure> find_closures(const ClaimLeaves &leaves, const core::ClaimBatch &batch, core::RangeView receipts,
                                 const pg::FreshSnapshot &snapshot, core::Memory &memory);

// Calls visit(members) for each run of receipts of one claim slot and batch. `receipts` are sorted.
template <typename Visit>
void for_each_batch(std::span<const core::Receipt> receipts, Visit &&visit) {
  while (!receipts.empty()) {
    const core::Receipt &first = receipts.front();
    std::size_t count = 1;
    while (count < receipts.size() && receipts[count].batch == first.batch &&
           receipts[count].claim_slot == first.claim_slot) {
      ++count;
    }
    visit(receipts.first(count));
    receipts = receipts.subspan(count);
  }
}

}  // namespace awa::receipt
