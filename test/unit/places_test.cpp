#include "core/places.hpp"

#include <set>

#include <gtest/gtest.h>

namespace awa::core {
namespace {

struct Entry {
  std::int64_t key = 0;
};

TEST(Places, AKeyHasOnePlaceAndItsNeighboursHaveOthers) {
  static constinit Places<Entry, 6> places;
  std::set<const Entry *> seen;
  for (std::int64_t key = 1; key <= 32; ++key) {
    Entry &entry = places.of(mixed(key));
    EXPECT_EQ(&entry, &places.of(mixed(key)));
    seen.insert(&entry);
  }
  EXPECT_GE(seen.size(), 24u) << "keys one after the other hardly push each other out";
}

TEST(Places, AllAreReachedAndNoneBeyond) {
  static constinit Places<Entry, 4> places;
  std::set<const Entry *> seen;
  for (std::int64_t key = -500; key < 500; ++key) seen.insert(&places.of(mixed(key)));
  EXPECT_EQ(seen.size(), 16u);
}

TEST(Places, EveryPartOfAKeyCounts) {
  EXPECT_NE(mixed(std::int64_t{1}, std::int64_t{0}, 0), mixed(std::int64_t{0}, std::int64_t{1}, 0));
  EXPECT_NE(mixed(std::int64_t{1}, std::int64_t{0}, 0), mixed(std::int64_t{1}, std::int64_t{0}, 1));
  EXPECT_NE(mixed(-1), mixed(1));
}

}  // namespace
}  // namespace awa::core
