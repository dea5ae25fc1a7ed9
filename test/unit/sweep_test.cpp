#include "core/sweep.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace awa::core {
namespace {

SweepPosition at(Micros time) { return {time, 1, 1}; }

TEST(Sweep, PositionsGoByTimeFirst) {
  EXPECT_LT(kSweepStart, at(std::numeric_limits<Micros>::min()));
  EXPECT_LT((SweepPosition{1, 9, 9}), (SweepPosition{2, 1, 1}));
  EXPECT_LT((SweepPosition{1, 1, 9}), (SweepPosition{1, 2, 1}));
  EXPECT_LT((SweepPosition{1, 1, 1}), (SweepPosition{1, 1, 2}));
}

TEST(Sweep, TheCursorStaysWhereAllWasSeen) {
  const std::vector<SweepVisit> passable{{at(1), true}, {at(2), true}};
  const std::vector<SweepVisit> stuck{{at(1), true}, {at(2), false}};
  EXPECT_EQ(cursor_after(passable, Sweep::saw_all), std::nullopt);
  EXPECT_EQ(cursor_after(stuck, Sweep::saw_all), std::nullopt);
  EXPECT_EQ(cursor_after({}, Sweep::saw_all), std::nullopt);
}

TEST(Sweep, TheCursorGoesUpToWhatCannotBePassed) {
  EXPECT_EQ(cursor_after(std::vector<SweepVisit>{{at(1), true}, {at(2), true}}, Sweep::saw_some), at(2));
  EXPECT_EQ(cursor_after(std::vector<SweepVisit>{{at(1), true}, {at(2), false}, {at(3), true}}, Sweep::saw_some),
            at(1));
  EXPECT_EQ(cursor_after(std::vector<SweepVisit>{{at(1), false}, {at(2), true}}, Sweep::saw_some), std::nullopt);
  EXPECT_EQ(cursor_after({}, Sweep::saw_some), std::nullopt);
}

TEST(Sweep, TheCursorMayWrap) {
  EXPECT_EQ(cursor_after(std::vector<SweepVisit>{{at(8), true}, {at(9), true}, {at(1), true}, {at(2), false}},
                         Sweep::saw_some),
            at(1));
}

}  // namespace
}  // namespace awa::core
