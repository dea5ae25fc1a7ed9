#include "core/backoff.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "support.hpp"

namespace awa::core {
namespace {

constexpr Micros kSecond = 1'000'000;
constexpr Micros kDay = 86'400 * kSecond;
constexpr Micros kHundredYears = 36'500 * kDay;
constexpr std::uint32_t kMostJitter = std::numeric_limits<std::uint32_t>::max();

TEST(Backoff, DoublesWithEachAttempt) {
  Micros expected = kSecond;
  for (int attempt = 1; attempt <= 16; ++attempt) {
    EXPECT_EQ(backoff(attempt, kSecond, kDay, 0), expected);
    EXPECT_LT(backoff(attempt, kSecond, kDay, kMostJitter), expected + expected / 4 + 1);
    EXPECT_GT(backoff(attempt, kSecond, kDay, kMostJitter), expected + expected / 5);
    expected *= 2;
  }
}

// F-7: from the 43rd attempt on the power was out of range, or a negative interval.
TEST(Backoff, NoAttemptOverflows) {
  for (const int attempt : {18, 42, 43, 44, 62, 63, 64, 65, 1000, 32767, std::numeric_limits<int>::max()}) {
    EXPECT_EQ(backoff(attempt, kSecond, kDay, 0), kDay - kDay / 5) << attempt;
    EXPECT_LE(backoff(attempt, kSecond, kDay, kMostJitter), kDay) << attempt;
    EXPECT_GT(backoff(attempt, kSecond, kDay, kMostJitter), kDay - 2 * kSecond) << attempt;
    EXPECT_GT(backoff(attempt, kHundredYears, kHundredYears, kMostJitter), 0) << attempt;
    EXPECT_LE(backoff(attempt, kHundredYears, kHundredYears, kMostJitter), kHundredYears) << attempt;
    EXPECT_EQ(backoff(attempt, 1, 1, kMostJitter), 1) << attempt;
  }
}

TEST(Backoff, NeverMoreThanTheCapNeverNothing) {
  Random random;
  for (int round = 0; round < 20'000; ++round) {
    const Micros base = random.one_in(2) ? random.between(1, kDay) : random.between(1, kHundredYears);
    const Micros cap = random.one_in(2) ? random.between(1, kDay) : random.between(1, kHundredYears);
    const int attempt = static_cast<int>(random.one_in(2) ? random.between(1, 40) : random.between(1, 40'000));
    const auto jitter = static_cast<std::uint32_t>(random.between(0, kMostJitter));
    const Micros delay = backoff(attempt, base, cap, jitter);
    ASSERT_GE(delay, 1);
    ASSERT_LE(delay, cap);
    ASSERT_LE(delay, backoff(attempt + 1, base, cap, jitter));
    ASSERT_LE(backoff(attempt, base, cap, 0), delay);
    if (attempt == 1 && base <= cap - cap / 5) {
      ASSERT_GE(delay, base);
    }
  }
}

TEST(Backoff, ACapBelowTheBaseCuts) {
  EXPECT_EQ(backoff(1, kDay, 10 * kSecond, 0), 8 * kSecond);
  EXPECT_EQ(backoff(5, kDay, 10 * kSecond, 0), 8 * kSecond);
}

}  // namespace
}  // namespace awa::core
