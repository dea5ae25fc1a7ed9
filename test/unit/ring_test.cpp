#include "core/ring.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace awa::core {
namespace {

TEST(Ring, GenerationsGoRoundTheSlots) {
  EXPECT_EQ(slot_of(Generation{0}, kQueueSlots), Slot{0});
  EXPECT_EQ(slot_of(Generation{15}, kQueueSlots), Slot{15});
  EXPECT_EQ(slot_of(Generation{16}, kQueueSlots), Slot{0});
  EXPECT_EQ(slot_of(Generation{17}, kClaimSlots), Slot{1});
  EXPECT_EQ(slot_of(Generation{std::numeric_limits<std::int64_t>::max()}, kLeaseSlots), Slot{7});
}

TEST(Ring, TheNewestGenerationOfASlot) {
  EXPECT_EQ(newest_generation_in(Slot{3}, Generation{3}, 8), Generation{3});
  EXPECT_EQ(newest_generation_in(Slot{4}, Generation{3}, 8), Generation{-4}) << "never current";
  EXPECT_EQ(newest_generation_in(Slot{4}, Generation{11}, 8), Generation{4});
  EXPECT_EQ(newest_generation_in(Slot{2}, Generation{11}, 8), Generation{10});
  for (std::int64_t current = 0; current < 100; ++current) {
    for (std::int32_t slot = 0; slot < kQueueSlots; ++slot) {
      const Generation newest = newest_generation_in(Slot{slot}, Generation{current}, kQueueSlots);
      ASSERT_LE(newest.value, current);
      ASSERT_GT(newest.value, current - kQueueSlots);
      ASSERT_TRUE(newest.value < 0 || slot_of(newest, kQueueSlots) == Slot{slot});
    }
  }
}

}  // namespace
}  // namespace awa::core
