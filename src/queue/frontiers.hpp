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
  core::Slot slot;
};

class Frontiers {
 public:
  // The frontier in the current slot of the claim ring, if the lane has one there.
  std::optional<StoredFrontier> current(core::LaneId lane, const pg::FreshSnapshot &snapshot);

  // Whether this session saw a frontier of the lane in the slot that was current when it looked last: the lane is in use. False
  // says nothing.
  static bool is_known(core::LaneId lane) noexcept;

  // The newest frontier of the lane, in whatever slot it is.
  std::optional<StoredFrontier> newest(core::LaneId lane, const pg::FreshSnapshot &snapshot);

  // The newest frontier of the lane, if it is in this slot and no other has it, or a newer one: it would be lost with it.
  std::optional<StoredFrontier> only_in(core::Slot slot, core::LaneId lane, const pg::FreshSnapshot &snapshot);

  // The lanes that have frontiers in the slot, ascending.
  core::Vec<core::LaneId> lanes_in(core::Slot slot, const pg::FreshSnapshot &snapshot, core::Memory &memory);

  // Gives back the locks on what was read.
  void unlock_all();

 private:
  // Null when the leaf has no blocks.
  pg::OpenTable *leaf(core::Slot slot);
  // The newest with an id of at least `from`.
  std::optional<StoredFrontier> in_slot(core::Slot slot, core::LaneId lane, const pg::FreshSnapshot &snapshot,
                                        core::FrontierId from = {});

  std::array<std::optional<pg::OpenTable>, core::kClaimSlots> open_;
};

enum class Origin : std::uint8_t {
  claim,    // a claim moved it on
  carried,  // maintenance copied it from a slot that is to be emptied, with its id
};

// Appends a frontier to the leaf of the current claim slot.
void store(const pg::OpenTable &leaf, core::LaneId lane, core::FrontierId id, const core::Frontier &frontier,
           Origin origin = Origin::claim);

}  // namespace awa::queue
