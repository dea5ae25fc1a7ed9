#include "core/posting_id.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support.hpp"

namespace awa::core {

void PrintTo(const PostingId &id, std::ostream *out) { *out << id.transfer.value << ':' << id.idx; }

namespace {

constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
constexpr auto kMostIdx = std::numeric_limits<std::int32_t>::max();

std::string text_of(const PostingId &id) {
  char text[kPostingIdTextSize];
  const std::size_t length = format(id, text);
  EXPECT_LT(length, kPostingIdTextSize);
  EXPECT_EQ(text[length], '\0');
  return {text, length};
}

// Also shows that a refused text leaves the id as it was.
std::optional<PostingId> parsed(std::string_view text) {
  const PostingId before{{1}, 2};
  PostingId id = before;
  if (parse(text, id)) return id;
  EXPECT_EQ(id, before);
  return std::nullopt;
}

PostingId any_id(Random &random) {
  const std::int64_t transfer = random.one_in(4) ? (random.one_in(2) ? kMost : kLeast) : random.between(kLeast, kMost);
  const auto idx = static_cast<std::int32_t>(random.one_in(4) ? kMostIdx : random.between(0, kMostIdx));
  return {{transfer}, idx};
}

TEST(PostingId, text_there_and_back) {
  EXPECT_EQ(text_of({{17}, 0}), "17:0");
  EXPECT_EQ(text_of({{kLeast}, kMostIdx}), "-9223372036854775808:2147483647");
  Random random;
  for (int round = 0; round < 10000; ++round) {
    const PostingId id = any_id(random);
    EXPECT_EQ(parsed(text_of(id)), id);
    EXPECT_EQ(parsed(" \t" + text_of(id) + "\n"), id);
  }
}

TEST(PostingId, refuses_what_is_none) {
  for (const char *text : {"",
                           ":",
                           "1",
                           "1:",
                           ":1",
                           "1:1:",
                           "1:1:1",
                           "1:-1",
                           "1: 1",
                           "1 :1",
                           "+1:1",
                           "1:+1",
                           "1:1x",
                           "x1:1",
                           "1.0:1",
                           "1;1",
                           "0x1:1",
                           "1:2147483648",
                           "9223372036854775808:0",
                           "-9223372036854775809:0",
                           "1:99999999999999999999"}) {
    EXPECT_EQ(parsed(text), std::nullopt) << text;
  }
  EXPECT_EQ(parsed(std::string_view("1:1\0", 4)), std::nullopt);
}

TEST(PostingId, order_is_of_transfer_then_place) {
  const std::vector<PostingId> rising{{{kLeast}, 0}, {{-1}, kMostIdx}, {{0}, 0}, {{9}, 9}, {{9}, 10}, {{10}, 0}};
  for (std::size_t i = 0; i < rising.size(); ++i) {
    for (std::size_t k = 0; k < rising.size(); ++k) {
      EXPECT_EQ(rising[i] < rising[k], i < k);
      EXPECT_EQ(rising[i] == rising[k], i == k);
    }
  }
}

TEST(PostingId, sort_unique_is_a_set) {
  Random random;
  for (int round = 0; round < 1000; ++round) {
    Vec<PostingId> ids(memory());
    std::set<PostingId> expected;
    for (std::size_t n = random.below(20); n > 0; --n) {
      const PostingId id{{static_cast<std::int64_t>(random.below(4))}, static_cast<std::int32_t>(random.below(4))};
      ids.push_back(id);
      expected.insert(id);
    }
    sort_unique(ids);
    EXPECT_TRUE(std::equal(ids.begin(), ids.end(), expected.begin(), expected.end()));
  }
}

}  // namespace
}  // namespace awa::core
