// Claiming: which lanes a call looks at, in what order, and how long it waits for one that is busy.
#pragma once

#include <span>
#include <string_view>

#include "queue/lane_claim.hpp"
#include "queue/queues.hpp"

namespace awa::queue {

// A queue to claim from, with the terms that hold for it in this call.
struct ClaimTarget {
  Queue queue;
  std::string_view name;
  ClaimTerms terms;
};

enum class Patience : std::uint8_t {
  in_turn,  // waits in the queue of a busy lane, up to awa_ring.claim_wait in all
  trying,   // tries a busy lane with short pauses, for at most 50 ms: for a transaction that holds attempt keys
};

// Claims at most `most` jobs of the targets, the first target that has any first. The transaction must be writable.
// Returns the jobs in the order claimed; none when there is nothing, or the lanes stayed busy.
core::Vec<Claimed> claim(std::span<const ClaimTarget> targets, std::size_t most, Patience patience,
                         core::Memory &memory);

// Whether a claim of the targets may find something: a look under a snapshot of its own, which changes nothing. What others
// hold at present counts as well. Errors: 55000 as a claim.
bool may_find(std::span<const ClaimTarget> targets, core::Memory &memory);

}  // namespace awa::queue
