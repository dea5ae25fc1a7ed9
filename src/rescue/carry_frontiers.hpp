// Carrying of frontiers: the newest frontier of a lane is copied into the current slot of the claim ring before the slot that
// it is in is emptied, so that the lane's next claim need not rebuild it.
#pragma once

#include <span>

#include "core/containers.hpp"
#include "core/ids.hpp"

namespace awa::rescue {

// How many lanes are carried in one transaction, which holds their locks.
constexpr std::size_t kMostLanesCarried = 64;

// The lanes whose newest frontier would be lost with the slot, ascending; those of dropped queues excepted.
core::Vec<core::LaneId> lanes_to_carry(core::Slot slot, core::Memory &memory);

// Copies the frontiers of the lanes, at most kMostLanesCarried, as far as nobody has the lanes: for each the lane is tried, then
// a fresh snapshot is taken, then the frontier is read. The copy keeps its id: emission evidence that is younger than the
// frontier must stay so.
void carry_frontiers(core::Slot slot, std::span<const core::LaneId> lanes, core::Memory &memory);

}  // namespace awa::rescue
