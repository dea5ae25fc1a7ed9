// Frontiers as stored: the newest row of a lane says where its next claim goes on.
#pragma once

#include <array>
#include <optional>

#include "core/ring.hpp"
#include "core/window.hpp"
#include "pg/cached_table.hpp"
#include "pg/snapshot.hpp"

namespace awa::queue {

struct StoredFrontier {
  core::FrontierId id;
  core::Frontier frontier;  // its snapshots are views of memory of the call
};

class Frontiers {
 public:
  // The frontier in the current slot of the claim ring, if the lane has one there.
  std::optional<StoredFrontier> current(core::LaneId lane, const pg::FreshSnapshot &snapshot);

  // The newest frontier of the lane, in whatever slot it is.
  std::optional<StoredFrontier> newest(core::LaneId lane, const pg::FreshSnapshot &snapshot);

  // Gives back the locks on what was read.
  void unlock_all();

 private:
  std::optional<StoredFrontier> in_slot(core::Slot slot, core::LaneId lane, const pg::FreshSnapshot &snapshot);

  std::array<std::optional<pg::OpenTable>, core::kClaimSlots> open_;
};

// Appends a frontier to the leaf of the current claim slot.
void store(const pg::OpenTable &leaf, core::LaneId lane, core::FrontierId id, const core::Frontier &frontier);

}  // namespace awa::queue
