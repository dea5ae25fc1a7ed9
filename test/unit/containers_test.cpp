#include "core/containers.hpp"

#include <new>
#include <type_traits>

#include <gtest/gtest.h>

#include "support.hpp"

namespace awa::core {
namespace {

// No way to a vector that does not name its memory.
static_assert(!std::is_default_constructible_v<Vec<int>>);
static_assert(!std::is_copy_constructible_v<Vec<int>>);
static_assert(!std::is_copy_assignable_v<Vec<int>>);
static_assert(std::is_nothrow_move_constructible_v<Vec<int>>);
static_assert(std::is_convertible_v<const Vec<int> &, std::span<const int>>);
static_assert(!std::is_convertible_v<const Vec<int> &, std::span<int>>);

TEST(Containers, TheDefaultMemoryIsRefusedHere) {
  FlatMap<int, int> stray;
  EXPECT_THROW(stray.emplace(1, 1), std::bad_alloc);
  FlatMap<int, int> named(&memory());
  EXPECT_TRUE(named.emplace(1, 1).second);
}

TEST(Containers, MovingKeepsTheMemory) {
  constexpr int kThree[] = {1, 2, 3};
  Vec<int> from(kThree, memory());
  const int *const data = from.data();
  const Vec<int> to = std::move(from);
  EXPECT_EQ(to.data(), data);
  EXPECT_EQ(to.get_allocator().resource(), &memory());
  EXPECT_EQ(std::span<const int>(to).size(), 3U);
}

}  // namespace
}  // namespace awa::core
