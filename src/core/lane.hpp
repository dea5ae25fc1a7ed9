// Lanes: the arithmetic between a lane and its id, the choice of a shard, and aging.
#pragma once

#include <cstdint>

#include "core/ids.hpp"

namespace awa::core {

constexpr int kPriorities = 4;  // 1 is served first
constexpr int kMaxShards = 64;
constexpr int kDefaultPriority = 2;
constexpr std::int32_t kMaxQueueId = 8388607;  // so that every lane id fits an int

struct Lane {
  QueueId queue;
  int priority;  // 1..kPriorities
  int shard;     // 0..kMaxShards - 1
  friend constexpr auto operator<=>(const Lane &, const Lane &) = default;
};

// lane_id = queue_id * 256 + (priority - 1) * 64 + shard
constexpr LaneId lane_id(const Lane &lane) noexcept {
  return {lane.queue.value * 256 + (lane.priority - 1) * kMaxShards + lane.shard};
}

constexpr Lane lane_of(LaneId id) noexcept {
  return {{id.value / 256}, (id.value % 256) / kMaxShards + 1, id.value % kMaxShards};
}

// The shard of an ordering key, given any well-mixed hash of it. shards >= 1.
constexpr int shard_of(std::uint64_t hash, int shards) noexcept {
  return static_cast<int>(hash % static_cast<std::uint64_t>(shards));
}

// The priority a lane counts with when its first job has waited for `waited`: one better for each `aging` of waiting,
// at best 1. aging <= 0 means none. Computed in 64 bits; negative waits (a clock set back) count as none.
int aged_priority(int priority, Micros waited, Micros aging) noexcept;

}  // namespace awa::core
