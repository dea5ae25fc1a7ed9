#include "core/blocks.hpp"

#include <gtest/gtest.h>

namespace awa::core {
namespace {

TEST(Blocks, ABlockIsTakenFromItsFirstToItsLast) {
  BlockLeftover left;
  EXPECT_TRUE(left.empty());
  left.refill(kEntryBlock * 7, kEntryBlock);
  for (std::int64_t i = 0; i < kEntryBlock; ++i) {
    ASSERT_FALSE(left.empty());
    EXPECT_EQ(left.take(), kEntryBlock * 7 + i);
  }
  EXPECT_TRUE(left.empty());
}

}  // namespace
}  // namespace awa::core
