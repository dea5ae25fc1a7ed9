#include "core/cadence.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "core/duty.hpp"
#include "support.hpp"

namespace awa::core {
namespace {

constexpr Micros kSecond = 1'000'000;
constexpr Micros kHour = 3600 * kSecond;
constexpr Micros kNow = 800'000'000 * kSecond;
constexpr Cadence kEachSecond{kSecond, 30 * kSecond};
constexpr std::uint32_t kMostJitter = std::numeric_limits<std::uint32_t>::max();

TEST(Duty, NamesAreDistinctAndFound) {
  std::set<std::string_view> names(kDutyNames.begin(), kDutyNames.end());
  EXPECT_EQ(names.size(), kDuties);
  for (std::size_t i = 0; i < kDuties; ++i) {
    const auto duty = static_cast<Duty>(i);
    EXPECT_EQ(duty_of(name_of(duty)), duty);
  }
  EXPECT_EQ(name_of(Duty::apply_retention), "apply_retention");
  EXPECT_EQ(name_of(Duty::expire_holds), "expire_holds");
  EXPECT_EQ(name_of(Duty::consolidate), "consolidate");
  EXPECT_EQ(duty_of("rotate"), std::nullopt);
  EXPECT_EQ(duty_of(""), std::nullopt);
}

// What was claimed is looked after before what waits, and a ring turns before room is made in it.
TEST(Duty, TheOrderOfARound) {
  EXPECT_LT(Duty::rescue_stale, Duty::rotate_claim);
  EXPECT_LT(Duty::rotate_claim, Duty::make_room_claim);
  EXPECT_LT(Duty::rotate_queue, Duty::make_room_claim);
  EXPECT_LT(Duty::make_room_claim, Duty::make_room_queue);
  EXPECT_LT(Duty::make_room_lease, Duty::make_room_queue);
}

TEST(Cadence, WhatNeverRanIsDue) {
  EXPECT_TRUE(is_due({}, kEachSecond, kNow));
  EXPECT_TRUE(is_due({kNow, 0, 0}, kEachSecond, kNow));
  EXPECT_FALSE(is_due({kNow + 1, 0, 0}, kEachSecond, kNow));
}

TEST(Cadence, AClockThatWasSetBackStopsNothing) {
  EXPECT_FALSE(is_due({kNow + kLongestBackoff, 9, 0}, kEachSecond, kNow));
  EXPECT_TRUE(is_due({kNow + kLongestBackoff + 1, 9, 0}, kEachSecond, kNow));
  EXPECT_TRUE(is_due({kNow + kHour, 0, 0}, kEachSecond, kNow));
  EXPECT_FALSE(is_due({kNow + kHour, 0, 0}, {kHour, 0}, kNow));
  EXPECT_TRUE(is_due({kNow + kHour + 1, 0, 0}, {kHour, 0}, kNow));
}

TEST(Cadence, AnotherCadenceHoldsAtOnce) {
  const Pace pace = after_run({}, RunEnd::done, {kHour, 0}, kNow, 0, 0);
  EXPECT_FALSE(is_due(pace, {kHour, 0}, kNow));
  EXPECT_TRUE(is_due(pace, kEachSecond, kNow));
  EXPECT_TRUE(is_due({kNow + 2 * kSecond, 0, 0}, kEachSecond, kNow));
  // … but who backs off does
  EXPECT_FALSE(is_due({kNow + 2 * kSecond, 1, 0}, kEachSecond, kNow));
  EXPECT_FALSE(is_due({kNow + 2 * kSecond, 0, 1}, kEachSecond, kNow));
}

TEST(Cadence, RunsThatGoWellComeRegularly) {
  for (const RunEnd end : {RunEnd::not_needed, RunEnd::idle, RunEnd::done}) {
    EXPECT_EQ(after_run({}, end, kEachSecond, kNow, 0, 7), (Pace{kNow + kSecond, 0, 0}));
    // … also after troubles
    EXPECT_EQ(after_run({kNow, 5, 0}, end, kEachSecond, kNow, 0, 7), (Pace{kNow + kSecond, 0, 0}));
    EXPECT_EQ(after_run({kNow, 0, 5}, end, kEachSecond, kNow, 0, 7), (Pace{kNow + kSecond, 0, 0}));
  }
  EXPECT_EQ(after_run({kNow, 5, 5}, RunEnd::more, kEachSecond, kNow, 0, 7), (Pace{kNow, 0, 0}));
}

TEST(Cadence, WhatIsKnownToComeIsWokenFor) {
  const auto next = [](RunEnd end, Micros wake_at) {
    return after_run({}, end, kEachSecond, kNow, wake_at, 0).next_due;
  };
  EXPECT_EQ(next(RunEnd::done, kNow + kSecond / 2), kNow + kSecond / 2);
  EXPECT_EQ(next(RunEnd::idle, kNow + kSecond / 2), kNow + kSecond / 2);
  EXPECT_EQ(next(RunEnd::idle, kNow + kHour), kNow + kSecond);  // never later than the interval
  EXPECT_EQ(next(RunEnd::idle, kNow - kHour), kNow);            // nor in the past
  EXPECT_EQ(next(RunEnd::more, kNow + kSecond / 2), kNow);
  // a failing duty is not woken
  EXPECT_GE(next(RunEnd::failed, kNow + 1), kNow + kFirstBackoff);
}

TEST(Cadence, FailuresBackOffFromASecondToAMinute) {
  Pace pace{};
  Micros expected = kSecond;
  for (int failures = 1; failures <= 6; ++failures) {
    pace = after_run(pace, RunEnd::failed, kEachSecond, kNow, 0, 0);
    EXPECT_EQ(pace, (Pace{kNow + std::min(expected, kLongestBackoff - kLongestBackoff / 5), failures, 0}));
    expected *= 2;
  }
  for (int more = 0; more < 10'000; ++more) {
    pace = after_run(pace, RunEnd::failed, kEachSecond, kNow, 0, kMostJitter);
    ASSERT_LE(pace.next_due, kNow + kLongestBackoff);
    ASSERT_GT(pace.next_due, kNow + kLongestBackoff / 2);
  }
  EXPECT_EQ(pace.failures, 10'006);
  const int most =
      after_run({0, std::numeric_limits<int>::max() - 1, 0}, RunEnd::failed, kEachSecond, kNow, 0, 0).failures;
  EXPECT_GT(after_run({0, most, 0}, RunEnd::failed, kEachSecond, kNow, 0, 0).failures, 0);
}

// Two duties that began to fail together do not go on together.
TEST(Cadence, BackoffHasJitter) {
  const Micros least = after_run({0, 4, 0}, RunEnd::failed, kEachSecond, kNow, 0, 0).next_due;
  const Micros most = after_run({0, 4, 0}, RunEnd::failed, kEachSecond, kNow, 0, kMostJitter).next_due;
  EXPECT_GT(most - least, 3 * kSecond);
}

TEST(Cadence, RunsInVainComeSeldomer) {
  Pace pace{};
  Micros before = 0;
  for (int in_vain = 1; in_vain <= 8; ++in_vain) {
    pace = after_run(pace, RunEnd::in_vain, kEachSecond, kNow, 0, 0);
    EXPECT_EQ(pace.in_vain, in_vain);
    EXPECT_EQ(pace.failures, 0);
    EXPECT_GE(pace.next_due - kNow, before);
    EXPECT_LE(pace.next_due - kNow, kEachSecond.longest_vain);
    before = pace.next_due - kNow;
  }
  EXPECT_EQ(before, 24 * kSecond);
  // … and never more often than the others
  EXPECT_EQ(after_run({}, RunEnd::in_vain, {kSecond, 0}, kNow, 0, 0).next_due, kNow + kSecond);
  EXPECT_GE(after_run({0, 0, 50}, RunEnd::in_vain, {kHour, kSecond}, kNow, 0, 0).next_due, kNow + kHour);
}

TEST(Cadence, WhateverHappensTheNextRunIsNearAndNotBefore) {
  Random random;
  for (int round = 0; round < 20'000; ++round) {
    const Cadence cadence{random.between(1, kHour), random.between(0, kHour)};
    Pace pace{kNow, static_cast<int>(random.between(0, 100)), static_cast<int>(random.between(0, 100))};
    const auto end = static_cast<RunEnd>(random.between(0, 5));
    const Micros wake_at = random.one_in(2) ? 0 : kNow + random.between(-kHour, kHour);
    pace = after_run(pace, end, cadence, kNow, wake_at, static_cast<std::uint32_t>(random.between(0, kMostJitter)));
    ASSERT_GE(pace.next_due, kNow);
    ASSERT_LE(pace.next_due - kNow, std::max({cadence.interval, cadence.longest_vain, kLongestBackoff}));
    ASSERT_EQ(pace.failures > 0, end == RunEnd::failed);
    ASSERT_EQ(pace.in_vain > 0, end == RunEnd::in_vain);
    // so is_due never takes it for one of a clock that was set back
    ASSERT_EQ(is_due(pace, cadence, kNow), pace.next_due == kNow);
    ASSERT_TRUE(is_due(pace, cadence, pace.next_due));
  }
}

TEST(Turning, AnEmptySlotIsNeverTurnedAwayFrom) {
  EXPECT_FALSE(is_due_to_turn({true, 0, 0, 0}, {1, 1, 1}, kNow));
  EXPECT_FALSE(is_due_to_turn({true, kNow - kHour, 9, 9}, {1, 1, 1}, kNow));
}

TEST(Turning, ByAgeByClaimsAndBySize) {
  const TurnLimits limits{60 * kSecond, 100, 1000};
  const Micros young = kNow - 60 * kSecond + 1;
  EXPECT_FALSE(is_due_to_turn({false, young, 99, 999}, limits, kNow));
  EXPECT_TRUE(is_due_to_turn({false, kNow - 60 * kSecond, 0, 0}, limits, kNow));
  EXPECT_TRUE(is_due_to_turn({false, young, 100, 0}, limits, kNow));
  EXPECT_TRUE(is_due_to_turn({false, young, 0, 1000}, limits, kNow));
  // no limit
  EXPECT_FALSE(is_due_to_turn({false, young, 1'000'000, 1'000'000'000}, {60 * kSecond, 0, 0}, kNow));
  // an age that nobody knows (a restore), or that is yet to come (the clock was set back)
  EXPECT_TRUE(is_due_to_turn({false, 0, 0, 0}, limits, kNow));
  EXPECT_TRUE(is_due_to_turn({false, kNow + 1, 0, 0}, limits, kNow));
}

// 16 slots, of which one is current and three are to be empty: what is kept fills twelve, and one more is on its way out.
TEST(Turning, KeptHistoryFitsIntoTheRing) {
  EXPECT_EQ(turn_age_for(kHour), 300 * kSecond);
  EXPECT_EQ(turn_age_for(0), kSecond);
  EXPECT_EQ(turn_age_for(6 * kSecond), kSecond);
  for (const Micros retention : {12 * kSecond, kHour, 366 * 24 * kHour}) {
    EXPECT_LE(retention / turn_age_for(retention), 12);
  }
}

TEST(Noting, TroubleAtOnceAllElseOnceAMinute) {
  const Unnoted nothing{}, ran{true, false, false}, did{true, true, false}, trouble{true, false, true};
  const Noted never{}, just{kNow - 1, true}, long_ago{kNow - kNoteInterval, true}, by_another{kNow - 1, false};
  for (const Noted &noted : {never, just, long_ago, by_another}) {
    EXPECT_FALSE(is_to_be_noted(nothing, noted, kNow));
    EXPECT_TRUE(is_to_be_noted(trouble, noted, kNow));
  }
  EXPECT_TRUE(is_to_be_noted(ran, never, kNow));
  EXPECT_FALSE(is_to_be_noted(ran, just, kNow));
  EXPECT_FALSE(is_to_be_noted(ran, by_another, kNow));
  EXPECT_TRUE(is_to_be_noted(ran, long_ago, kNow));
  EXPECT_FALSE(is_to_be_noted(did, just, kNow));
  EXPECT_TRUE(is_to_be_noted(did, by_another, kNow));
  EXPECT_TRUE(is_to_be_noted(did, long_ago, kNow));
  EXPECT_TRUE(is_to_be_noted(ran, {kNow + kHour, true}, kNow));  // the clock was set back
}

}  // namespace
}  // namespace awa::core
