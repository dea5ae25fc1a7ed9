#include "core/routing.hpp"

#include <string_view>

#include <gtest/gtest.h>

namespace awa::core {
namespace {

constexpr Micros kSecond = 1'000'000;
constexpr RetryPolicy kPlain{kSecond, 100 * kSecond, false};
constexpr RetryPolicy kLetters{kSecond, 100 * kSecond, true};

Route route(int attempt, int max_attempts, bool terminal, std::optional<Micros> after, const RetryPolicy &policy) {
  return route_failure({attempt, max_attempts, terminal, after}, policy, 0);
}

TEST(Routing, AttemptsAreUsedUpExactlyOnce) {
  for (const RetryPolicy &policy : {kPlain, kLetters}) {
    const Outcome end = policy.dead_letter ? Outcome::dead_letter : Outcome::failed;
    for (const std::optional<Micros> after : {std::optional<Micros>{}, std::optional<Micros>{0}}) {
      EXPECT_EQ(route(1, 3, false, after, policy).outcome, Outcome::retryable);
      EXPECT_EQ(route(2, 3, false, after, policy).outcome, Outcome::retryable);
      EXPECT_EQ(route(3, 3, false, after, policy).outcome, end);
      EXPECT_EQ(route(4, 3, false, after, policy).outcome, end);
      EXPECT_EQ(route(1, 1, false, after, policy).outcome, end);
      EXPECT_EQ(std::string_view(route(3, 3, false, after, policy).reason), "max_attempts_exhausted");
    }
  }
}

TEST(Routing, ATerminalErrorEndsTheJobAtOnce) {
  EXPECT_EQ(route(1, 25, true, std::nullopt, kPlain).outcome, Outcome::failed);
  EXPECT_EQ(route(1, 25, true, std::nullopt, kLetters).outcome, Outcome::dead_letter);
  EXPECT_EQ(route(1, 25, true, kSecond, kLetters).outcome, Outcome::dead_letter);
  EXPECT_EQ(std::string_view(route(25, 25, true, kSecond, kLetters).reason), "terminal_error");
}

TEST(Routing, TheDelayIsTheWorkersOrTheQueues) {
  EXPECT_EQ(route(1, 9, false, std::nullopt, kPlain).delay, kSecond);
  EXPECT_EQ(route(4, 9, false, std::nullopt, kPlain).delay, 8 * kSecond);
  EXPECT_EQ(route(4, 9, false, 0, kPlain).delay, 0);
  EXPECT_EQ(route(4, 9, false, 12345, kPlain).delay, 12345);
  EXPECT_EQ(route(999, 1000, false, std::nullopt, kPlain).delay, 80 * kSecond);
}

TEST(Routing, EachOutcomeHasAWordOfItsOwn) {
  constexpr Outcome all[] = {Outcome::completed,        Outcome::retryable,    Outcome::scheduled,
                             Outcome::cancelled,        Outcome::failed,       Outcome::dead_letter,
                             Outcome::released,         Outcome::rescued,      Outcome::deadline_expired,
                             Outcome::callback_timeout, Outcome::materialized, Outcome::deleted};
  for (const Outcome outcome : all) {
    EXPECT_NE(std::string_view(word_of(outcome)), "unknown");
    for (const Outcome other : all) {
      EXPECT_EQ(std::string_view(word_of(outcome)) == word_of(other), outcome == other);
    }
  }
}

}  // namespace
}  // namespace awa::core
