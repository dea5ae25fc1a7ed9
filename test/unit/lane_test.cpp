#include "core/lane.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "support.hpp"

namespace awa::core {
namespace {

constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();

TEST(Lane, IdAndLaneAreOneAndTheSame) {
  EXPECT_EQ(lane_id({QueueId{1}, 1, 0}), LaneId{256});
  EXPECT_EQ(lane_id({QueueId{1}, 2, 3}), LaneId{256 + 64 + 3});
  EXPECT_EQ(lane_id({QueueId{kMaxQueueId}, kPriorities, kMaxShards - 1}), LaneId{std::numeric_limits<int>::max()});

  Random random;
  for (int round = 0; round < 200; ++round) {
    const QueueId queue{static_cast<std::int32_t>(random.between(1, kMaxQueueId))};
    for (int priority = 1; priority <= kPriorities; ++priority) {
      for (int shard = 0; shard < kMaxShards; ++shard) {
        const Lane lane{queue, priority, shard};
        ASSERT_EQ(lane_of(lane_id(lane)), lane);
      }
    }
  }
}

TEST(Lane, AShardIsOneOfTheQueue) {
  EXPECT_EQ(shard_of(std::numeric_limits<std::uint64_t>::max(), 1), 0);
  EXPECT_EQ(shard_of(std::numeric_limits<std::uint64_t>::max(), 64), 63);
  EXPECT_EQ(shard_of(130, 64), 2);
}

TEST(Lane, WaitingBettersThePriorityStepByStep) {
  struct Case {
    int priority;
    Micros waited;
    Micros aging;
    int expected;
  };
  // clang-format off
  const Case cases[] = {
      {4, 0, 10, 4},   {4, 9, 10, 4},   {4, 10, 10, 3},     {4, 29, 10, 2},   {4, 30, 10, 1},
      {4, 31, 10, 1},  {4, 1000, 10, 1}, {1, 1000, 10, 1},  {2, 10, 10, 1},
      {4, -10, 10, 4}, {4, kLeast, 1, 4}, {4, kMost, 1, 1}, {4, kMost, kMost, 3},
      {4, 1000, 0, 4}, {4, 1000, -1, 4}, {4, kLeast, -1, 4}, {3, kMost, kLeast, 3},
      {4, 4294967296, 1, 1}, {2, 4294967296, 4294967297, 2},
  };
  // clang-format on
  for (const Case &c : cases) {
    EXPECT_EQ(aged_priority(c.priority, c.waited, c.aging), c.expected)
        << c.priority << " waited " << c.waited << " aging " << c.aging;
  }
}

TEST(Lane, WaitingLongerNeverMakesItWorse) {
  Random random;
  for (int round = 0; round < 10000; ++round) {
    const int priority = static_cast<int>(random.between(1, kPriorities));
    const Micros aging = random.one_in(2) ? random.between(1, 100) : random.between(1, kMost);
    const Micros waited = random.one_in(2) ? random.between(0, 500) : random.between(0, kMost - 1);
    const int now = aged_priority(priority, waited, aging);
    ASSERT_GE(now, 1);
    ASSERT_LE(now, priority);
    ASSERT_LE(aged_priority(priority, waited + 1, aging), now);
  }
}

}  // namespace
}  // namespace awa::core
