// Eviction: attempts that run for long leave the rings, so that the slots they are of can be emptied. They go on with the
// same receipt, in a lease that needs nothing of the rings.
#pragma once

#include <span>

#include "core/containers.hpp"
#include "rescue/held_by_trying.hpp"
#include "ring/tables.hpp"

namespace awa::rescue {

// Receipts of what is live in a slot: of the claim ring, attempts that were claimed in it; of the queue ring, attempts of its
// entries; of the lease ring, leases in it. Sorted, at most `most`.
core::Vec<core::Receipt> live_attempts(ring::Ring ring, core::Slot slot, std::size_t most, core::Memory &memory);

// Moves those of the attempts that are live in the slot still into the current slot of the lease ring. Keys are tried; then
// a fresh snapshot, then evidence. Sets fates[i]: over (moved, or not there any more), busy, or left for another transaction.
// Returns how many were moved.
std::int32_t move_to_leases(ring::Ring ring, core::Slot slot, std::span<const core::Receipt> receipts,
                            std::span<Fate> fates, core::Memory &memory);

}  // namespace awa::rescue
