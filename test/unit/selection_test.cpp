#include "core/selection.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "core/movements.hpp"
#include "support.hpp"

namespace awa::core {

namespace {

std::vector<Candidate> free_ones(std::initializer_list<std::int64_t> values) {
  std::vector<Candidate> seen;
  for (const std::int64_t value : values) seen.push_back({value, false});
  return seen;
}

std::vector<std::uint32_t> plain(const Vec<std::uint32_t> &places) { return {places.begin(), places.end()}; }
using Places = std::vector<std::uint32_t>;

TEST(Selection, OneThatSufficesIsEnough) {
  const auto seen = free_ones({3, 10, 7, 20});
  const Selection selection = select(seen, 7, memory());
  EXPECT_TRUE(selection.covered);
  EXPECT_EQ(plain(selection.alternatives), (Places{1, 2, 3}));
  EXPECT_TRUE(selection.needed.empty());
  EXPECT_TRUE(selection.extra.empty());
}

TEST(Selection, OtherwiseTheGreatest) {
  const auto seen = free_ones({3, 10, 7, 8});
  const Selection selection = select(seen, 18, memory());
  EXPECT_TRUE(selection.covered);
  EXPECT_TRUE(selection.alternatives.empty());
  EXPECT_EQ(plain(selection.needed), (Places{1, 3}));
}

TEST(Selection, ContestedOnesDoNotCount) {
  const std::vector<Candidate> seen{{10, true}, {4, false}, {5, false}};
  const Selection enough = select(seen, 9, memory());
  EXPECT_TRUE(enough.covered);
  EXPECT_FALSE(enough.crowded);
  EXPECT_EQ(plain(enough.needed), (Places{2, 1}));
  const Selection short_of = select(seen, 10, memory());
  EXPECT_FALSE(short_of.covered);
  EXPECT_EQ(short_of.available, 9);
  EXPECT_EQ(short_of.contested, 10);
}

TEST(Selection, NothingThere) {
  const Selection selection = select({}, 1, memory());
  EXPECT_FALSE(selection.covered);
  EXPECT_FALSE(selection.crowded);
}

TEST(Selection, TooManyAreMergedFromTheFarEnd) {
  std::vector<Candidate> seen(17, Candidate{5, false});
  const Selection selection = select(seen, 5, memory());
  EXPECT_EQ(selection.alternatives.front(), 0U);
  EXPECT_EQ(plain(selection.extra), (Places{16, 15, 14, 13, 12, 11, 10}));
  // and none twice
  const Selection many = select(seen, 5 * 17, memory());
  EXPECT_EQ(many.needed.size(), 17U);
  EXPECT_TRUE(many.extra.empty());
}

TEST(Selection, OthersAreLeftRoom) {
  std::vector<Candidate> seen(17, Candidate{5, false});
  EXPECT_FALSE(select(seen, 5, memory()).crowded);
  for (std::size_t i = 0; i < 6; ++i) seen[i].contested = true;
  EXPECT_TRUE(select(seen, 5, memory()).extra.empty());
  EXPECT_FALSE(select(seen, 5, memory()).crowded);
  for (std::size_t i = 6; i < 9; ++i) seen[i].contested = true;
  EXPECT_TRUE(select(seen, 5, memory()).crowded);
}

TEST(Selection, SumsBeyondSixtyFourBits) {
  const auto seen = free_ones({kGreatestValue - 1, kGreatestValue - 1, kGreatestValue - 1});
  const Selection selection = select(seen, kGreatestValue, memory());
  EXPECT_EQ(selection.available, 3 * Wide{kGreatestValue - 1});
  EXPECT_EQ(selection.needed.size(), 2U);
}

// What is needed suffices, is minimal in number, has nothing contested and nothing twice.
TEST(Selection, Random) {
  Random random;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<Candidate> seen(random.below(30));
    Wide available = 0;
    std::vector<std::int64_t> values;
    for (Candidate &candidate : seen) {
      candidate = {random.between(1, 50), random.one_in(5)};
      if (!candidate.contested) {
        available += candidate.value;
        values.push_back(candidate.value);
      }
    }
    const std::int64_t amount = random.between(1, 200);
    const Selection selection = select(seen, amount, memory());
    ASSERT_EQ(selection.available, available);
    ASSERT_EQ(selection.covered, available >= amount);
    if (!selection.covered) continue;
    Places chosen = plain(selection.needed);
    if (!selection.alternatives.empty()) {
      for (const std::uint32_t place : selection.alternatives) ASSERT_GE(seen[place].value, amount);
      chosen = {selection.alternatives.front()};
    }
    Wide sum = 0;
    for (const std::uint32_t place : chosen) sum += seen[place].value;
    ASSERT_GE(sum, amount);
    std::sort(values.rbegin(), values.rend());
    Wide greatest = 0;
    for (std::size_t i = 0; i + 1 < chosen.size(); ++i) greatest += values[i];
    ASSERT_LT(greatest, amount);
    for (const std::uint32_t place : selection.extra) chosen.push_back(place);
    for (const std::uint32_t place : chosen) ASSERT_FALSE(seen[place].contested);
    std::sort(chosen.begin(), chosen.end());
    ASSERT_TRUE(std::adjacent_find(chosen.begin(), chosen.end()) == chosen.end());
    // Change from what is needed is less than the least of it, so it is a value.
    ASSERT_LT(sum - amount, kGreatestValue);
  }
}

// Accounts that pay one another at random stay small.
TEST(Selection, AccountsStaySmall) {
  Random random;
  std::vector<std::vector<std::int64_t>> accounts(100, {1'000'000});
  std::size_t most = 0;
  for (int round = 0; round < 100'000; ++round) {
    auto &payer = accounts[random.below(accounts.size())];
    auto &receiver = accounts[random.below(accounts.size())];
    if (&payer == &receiver) continue;
    const std::int64_t amount = random.between(1, 1000);
    std::vector<Candidate> seen;
    for (std::size_t i = payer.size(); i-- > 0;) seen.push_back({payer[i], false});
    const Selection selection = select(seen, amount, memory());
    if (!selection.covered) continue;
    Places taken = selection.alternatives.empty() ? plain(selection.needed) : Places{selection.alternatives.front()};
    for (const std::uint32_t place : selection.extra) taken.push_back(place);
    std::int64_t sum = 0;
    std::sort(taken.begin(), taken.end());
    for (const std::uint32_t place : taken) {
      sum += seen[place].value;
      payer.erase(payer.begin() + static_cast<std::ptrdiff_t>(seen.size() - 1 - place));
    }
    if (sum > amount) payer.push_back(sum - amount);
    receiver.push_back(amount);
    most = std::max({most, payer.size(), receiver.size()});
  }
  std::size_t all = 0;
  for (const auto &account : accounts) all += account.size();
  EXPECT_LE(all, 10 * accounts.size());
  EXPECT_LE(most, 32U);
}

TEST(Change, IsSplitInACrowdOnly) {
  const auto parts = [](std::int64_t change, bool crowded) {
    const auto made = change_parts(change, crowded);
    return std::vector<std::int64_t>(made.begin(), made.end());
  };
  using Values = std::vector<std::int64_t>;
  EXPECT_EQ(parts(0, true), (Values{}));
  EXPECT_EQ(parts(7, false), (Values{7}));
  EXPECT_EQ(parts(7, true), (Values{3, 4}));
  EXPECT_EQ(parts(1, true), (Values{1}));
  EXPECT_EQ(parts(kGreatestValue, true), (Values{kGreatestValue / 2, kGreatestValue - kGreatestValue / 2}));
}

TEST(Movements, ComeToOneChangeForEachWallet) {
  const Leg legs[] = {{{1, 0}, {2, 0}, 7, 10}, {{2, 0}, {3, 0}, 7, 10}, {{1, 0}, {3, 5}, 7, 4}, {{3, 0}, {1, 0}, 8, 1}};
  const Vec<Change> changes = changes_of(legs, memory());
  ASSERT_EQ(changes.size(), 6U);
  EXPECT_EQ(changes[0].wallet, (Wallet{{1, 0}, 7}));
  EXPECT_EQ(changes[0].amount, -14);
  EXPECT_EQ(changes[1].wallet, (Wallet{{1, 0}, 8}));
  EXPECT_EQ(changes[1].amount, 1);
  EXPECT_EQ(changes[2].amount, 0);  // passes on what it receives
  EXPECT_EQ(changes[3].amount, 10);
  EXPECT_EQ(changes[4].amount, -1);
  EXPECT_EQ(changes[5].wallet, (Wallet{{3, 5}, 7}));
}

TEST(Movements, AreAddedUpExactly) {
  std::vector<Leg> legs(3, Leg{{1, 0}, {2, 0}, 1, kGreatestValue});
  const Vec<Change> changes = changes_of(legs, memory());
  EXPECT_EQ(changes[0].amount, -3 * Wide{kGreatestValue});
  EXPECT_FALSE(is_value(changes[0].amount));
  EXPECT_TRUE(is_value(-Wide{kGreatestValue}));
}

}  // namespace

}  // namespace awa::core
