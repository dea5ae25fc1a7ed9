#include "core/ranges.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "support.hpp"

namespace awa::core {

void PrintTo(const Range &range, std::ostream *out) { *out << '[' << range.lo << ',' << range.hi << ')'; }

namespace {

using Members = std::set<std::int64_t>;
using Ranges = std::vector<Range>;

constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();

RangeSet set_of(const Ranges &ranges) { return RangeSet(ranges, memory()); }

RangeSet set_of(const Members &members) {
  RangeSet set(memory());
  for (const std::int64_t value : members) append(set, value);
  return set;
}

Ranges listed(RangeView set) { return Ranges(set.begin(), set.end()); }

Members members_of(RangeView set) {
  Members members;
  for (const Range &range : set) {
    for (std::int64_t value = range.lo; value < range.hi; ++value) members.insert(members.end(), value);
  }
  return members;
}

bool is_canonical(RangeView set) {
  const auto is_empty = [](const Range &range) { return range.lo >= range.hi; };
  const auto touch = [](const Range &a, const Range &b) { return a.hi >= b.lo; };
  return std::none_of(set.begin(), set.end(), is_empty) &&
         std::adjacent_find(set.begin(), set.end(), touch) == set.end();
}

// Dense and sparse sets alike, now and then an empty one; half of them in a narrow stretch, so that pairs meet or not.
Members random_members(Random &random) {
  const std::int64_t lo = random.between(-40, 30);
  const std::int64_t hi = random.between(lo, random.one_in(2) ? lo + 10 : 40);
  const int sparsity = static_cast<int>(random.between(1, 6));
  Members members;
  for (std::int64_t value = lo; value < hi; ++value) {
    if (random.one_in(sparsity)) members.insert(value);
  }
  return members;
}

TEST(Ranges, AppendGrowsTheLastRangeOrAddsOne) {
  RangeSet set(memory());
  for (const std::int64_t value : {kLeast, kLeast + 1, std::int64_t{-1}, std::int64_t{0}, std::int64_t{5}, kMost - 1}) {
    append(set, value);
  }
  EXPECT_EQ(listed(set), (Ranges{{kLeast, kLeast + 2}, {-1, 1}, {5, 6}, {kMost - 1, kMost}}));
}

TEST(Ranges, UniteJoinsWhatOverlapsOrTouches) {
  struct Case {
    Ranges set;
    Ranges other;
    Ranges expected;
  };
  const Case cases[] = {
      {{}, {}, {}},
      {{{1, 2}}, {}, {{1, 2}}},
      {{}, {{1, 2}, {4, 6}}, {{1, 2}, {4, 6}}},
      {{{1, 2}}, {{2, 3}}, {{1, 3}}},
      {{{2, 3}}, {{1, 2}}, {{1, 3}}},
      {{{1, 2}}, {{3, 4}}, {{1, 2}, {3, 4}}},
      {{{5, 6}}, {{1, 2}}, {{1, 2}, {5, 6}}},
      {{{1, 2}, {3, 4}, {5, 6}}, {{2, 3}}, {{1, 4}, {5, 6}}},
      {{{1, 2}, {3, 4}, {5, 6}}, {{2, 3}, {4, 5}}, {{1, 6}}},
      {{{1, 2}, {3, 4}, {5, 6}}, {{0, 9}}, {{0, 9}}},
      {{{0, 9}}, {{1, 2}, {3, 4}, {5, 6}}, {{0, 9}}},
      {{{0, 9}, {20, 30}}, {{8, 21}}, {{0, 30}}},
      {{{1, 2}}, {{1, 2}}, {{1, 2}}},
      {{{1, 5}}, {{1, 2}}, {{1, 5}}},
      {{{1, 2}}, {{1, 5}}, {{1, 5}}},
      {{{kLeast, 0}}, {{0, kMost}}, {{kLeast, kMost}}},
  };
  for (const Case &c : cases) {
    RangeSet set = set_of(c.set);
    unite(set, c.other);
    EXPECT_EQ(listed(set), c.expected);
  }
}

TEST(Ranges, DifferenceCuts) {
  struct Case {
    Ranges a;
    Ranges b;
    Ranges expected;
  };
  const Case cases[] = {
      {{}, {}, {}},
      {{}, {{1, 2}}, {}},
      {{{1, 2}}, {}, {{1, 2}}},
      {{{1, 9}}, {{1, 9}}, {}},
      {{{1, 9}}, {{0, 10}}, {}},
      {{{1, 9}}, {{0, 1}, {9, 10}}, {{1, 9}}},
      {{{1, 9}}, {{0, 2}, {4, 5}, {8, 12}}, {{2, 4}, {5, 8}}},
      {{{1, 3}, {5, 7}, {9, 11}}, {{2, 10}}, {{1, 2}, {10, 11}}},
      {{{kLeast, kMost}}, {{-1, 1}}, {{kLeast, -1}, {1, kMost}}},
      {{{kLeast, kMost}}, {{kLeast, 0}, {1, kMost}}, {{0, 1}}},
  };
  for (const Case &c : cases) EXPECT_EQ(listed(difference(c.a, c.b, memory())), c.expected);
}

TEST(Ranges, ContainsAtTheEdges) {
  const Ranges set{{kLeast, kLeast + 1}, {3, 5}, {7, kMost}};
  for (const std::int64_t in : {kLeast, std::int64_t{3}, std::int64_t{4}, std::int64_t{7}, kMost - 1}) {
    EXPECT_TRUE(contains(set, in)) << in;
  }
  for (const std::int64_t out : {kLeast + 1, std::int64_t{2}, std::int64_t{5}, std::int64_t{6}, kMost}) {
    EXPECT_FALSE(contains(set, out)) << out;
  }
  EXPECT_FALSE(contains({}, 0));
}

TEST(Ranges, CardinalityOfTheWidestThatFits) {
  EXPECT_EQ(cardinality({}), 0);
  EXPECT_EQ(cardinality(Ranges{{kLeast, -1}}), kMost);
  EXPECT_EQ(cardinality(Ranges{{0, kMost}}), kMost);
}

TEST(Ranges, TheyBehaveAsSets) {
  Random random;
  for (int round = 0; round < 20000; ++round) {
    const Members a = random_members(random);
    const Members b = random_members(random);
    const RangeSet x = set_of(a);
    const RangeSet y = set_of(b);
    ASSERT_TRUE(is_canonical(x));
    ASSERT_EQ(members_of(x), a);
    ASSERT_EQ(cardinality(x), static_cast<std::int64_t>(a.size()));
    for (std::int64_t value = -42; value <= 42; ++value) ASSERT_EQ(contains(x, value), a.contains(value));

    Members both = a;
    both.insert(b.begin(), b.end());
    RangeSet united(x, memory());
    unite(united, y);
    ASSERT_TRUE(is_canonical(united));
    ASSERT_EQ(members_of(united), both);

    Members left;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(left, left.end()));
    const RangeSet rest = difference(x, y, memory());
    ASSERT_TRUE(is_canonical(rest));
    ASSERT_EQ(members_of(rest), left);

    ASSERT_EQ(intersects(x, y), left.size() != a.size());
    ASSERT_EQ(intersects(y, x), intersects(x, y));
  }
}

TEST(Ranges, ManySmallUnionsInAnyOrderAreOneSet) {
  Random random;
  for (int round = 0; round < 50; ++round) {
    std::vector<std::int64_t> values(500);
    for (std::int64_t &value : values) value = random.between(0, 700);
    RangeSet set(memory());
    for (const std::int64_t value : values) {
      const Range one{value, value + 1};
      unite(set, {&one, 1});
    }
    ASSERT_TRUE(is_canonical(set));
    ASSERT_EQ(members_of(set), Members(values.begin(), values.end()));
  }
}

}  // namespace
}  // namespace awa::core
