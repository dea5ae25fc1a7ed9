#include "core/floor.hpp"

#include <gtest/gtest.h>

namespace awa::core {

namespace {

TEST(Floor, BelowZeroIsAPair) {
  const FloorPlan made = plan_floor(0, -100);
  EXPECT_EQ(made.add, 100);
  EXPECT_FALSE(made.renew);
  EXPECT_EQ(made.needs(), 0);
  EXPECT_EQ(plan_floor(100, -150).add, 50);
  EXPECT_EQ(plan_floor(0, -kGreatestValue).add, kGreatestValue);
}

TEST(Floor, RaisedItIsPaidFor) {
  const FloorPlan less = plan_floor(100, -30);
  EXPECT_EQ(less.add, 0);
  EXPECT_TRUE(less.renew);
  EXPECT_EQ(less.below, 30);
  EXPECT_EQ(less.pay, 70);
  const FloorPlan none = plan_floor(100, 0);
  EXPECT_EQ(none.below, 0);
  EXPECT_EQ(none.needs(), 100);
  const FloorPlan above = plan_floor(100, 20);
  EXPECT_EQ(above.needs(), 120);
  EXPECT_EQ(above.keep, 20);
}

TEST(Floor, AsItIs) {
  const FloorPlan same = plan_floor(100, -100);
  EXPECT_EQ(same.add, 0);
  EXPECT_FALSE(same.renew);
  EXPECT_EQ(same.needs(), 0);
}

// However it moves: what the account comes to stays, and what is below 0 is what the floor says.
TEST(Floor, KeepsWhatTheAccountComesTo) {
  for (std::int64_t below = 0; below < 40; ++below) {
    for (std::int64_t floor = -40; floor < 40; ++floor) {
      const FloorPlan plan = plan_floor(below, floor);
      const Wide change_below = plan.renew ? plan.below - below : plan.add;
      const Wide change_above = plan.add - plan.pay;
      EXPECT_EQ(change_above, change_below);
      EXPECT_EQ(below + change_below, floor < 0 ? -floor : 0);
    }
  }
}

}  // namespace

}  // namespace awa::core
