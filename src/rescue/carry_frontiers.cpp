#include "rescue/carry_frontiers.hpp"

#include "core/lane.hpp"
#include "pg/keys.hpp"
#include "pg/pause_point.hpp"
#include "pg/snapshot.hpp"
#include "queue/frontiers.hpp"
#include "queue/queues.hpp"
#include "ring/generation.hpp"

namespace awa::rescue {

core::Vec<core::LaneId> lanes_to_carry(core::Slot slot, core::Memory &memory) {
  queue::Frontiers frontiers;
  core::Vec<core::LaneId> lanes(memory);
  {
    const pg::FreshSnapshot snapshot;
    for (const core::LaneId lane : frontiers.lanes_in(slot, snapshot, memory)) {
      if (!frontiers.only_in(slot, lane, snapshot)) continue;
      const auto queue = queue::look_up(core::lane_of(lane).queue, snapshot);
      if (queue && !queue->dropped) lanes.push_back(lane);
    }
  }
  frontiers.unlock_all();
  return lanes;
}

void carry_frontiers(core::Slot slot, std::span<const core::LaneId> lanes, core::Memory &memory) {
  AWA_PAUSE_POINT("carry.before_lane");
  struct Carried {
    core::LaneId lane;
    queue::StoredFrontier frontier;
  };
  core::Vec<Carried> carried(memory);
  for (const core::LaneId lane : lanes.first(std::min(lanes.size(), kMostLanesCarried))) {
    if (!pg::try_lock({pg::KeyClass::lane, lane.value}, pg::LockStrength::exclusive)) continue;
    const pg::FreshSnapshot snapshot;
    queue::Frontiers frontiers;
    if (const auto newest = frontiers.only_in(slot, lane, snapshot)) carried.push_back({lane, *newest});
  }
  AWA_PAUSE_POINT("carry.before_rows");
  if (carried.empty()) return;
  const ring::CurrentLeaf leaf = ring::open_current(ring::Ring::claim, ring::lane_frontiers_leaf);
  for (const Carried &each : carried) {
    store(leaf.table, each.lane, each.frontier.id, each.frontier.frontier, queue::Origin::carried);
  }
}

}  // namespace awa::rescue
