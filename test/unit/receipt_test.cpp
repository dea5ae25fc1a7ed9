#include "core/receipt.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support.hpp"

namespace awa::core {

void PrintTo(const Receipt &r, std::ostream *out) {
  *out << r.claim_slot << ':' << r.batch.value << ':' << r.receipt.value << ':' << r.job.value << ':' << r.lease.value
       << ':' << r.fence;
}

namespace {

constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int16_t kMostSlot = std::numeric_limits<std::int16_t>::max();
constexpr std::int16_t kLeastSlot = std::numeric_limits<std::int16_t>::min();

Receipt handle(std::int16_t slot, std::int64_t batch, std::int64_t receipt, std::int64_t job, std::int64_t lease,
               std::int64_t fence) {
  Receipt r;
  r.claim_slot = slot;
  r.batch = {batch};
  r.receipt = {receipt};
  r.job = {job};
  r.lease = {lease};
  r.fence = fence;
  return r;
}

std::string text_of(const Receipt &receipt) {
  char text[kReceiptTextSize];
  const std::size_t length = format(receipt, text);
  EXPECT_LT(length, kReceiptTextSize);
  EXPECT_EQ(text[length], '\0');
  return {text, length};
}

// Also shows that a refused text leaves the handle as it was.
std::optional<Receipt> parsed(std::string_view text) {
  const Receipt before = handle(1, 2, 3, 4, 5, 6);
  Receipt receipt = before;
  if (parse(text, receipt)) return receipt;
  EXPECT_EQ(receipt, before);
  return std::nullopt;
}

std::int64_t any_number(Random &random) {
  constexpr std::array<std::int64_t, 8> kEdges{0, 1, -1, 16384, kMost, kMost - 1, kLeast, kLeast + 1};
  if (random.one_in(3)) return kEdges[random.below(kEdges.size())];
  return random.one_in(2) ? random.between(kLeast, kMost) : random.between(-1000000, 1000000);
}

Receipt any_handle(Random &random) {
  return handle(static_cast<std::int16_t>(random.between(kLeastSlot, kMostSlot)), any_number(random),
                any_number(random), any_number(random), any_number(random), any_number(random));
}

// Reads one number the slow way: by comparing digits with those of the limit.
std::optional<std::int64_t> number_of(std::string_view text, std::string_view most, std::string_view least) {
  const bool negative = text.starts_with('-');
  std::string digits(text.substr(negative ? 1 : 0));
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  const std::string_view limit = negative ? least : most;
  if (digits.size() > limit.size() || (digits.size() == limit.size() && digits > limit)) return std::nullopt;
  return std::strtoll(((negative ? "-" : "") + digits).c_str(), nullptr, 10);
}

// What parse should say of a text, by other means.
std::optional<Receipt> read_slowly(std::string text) {
  const auto is_space = [](char c) { return c != '\0' && std::strchr(" \t\n\v\f\r", c) != nullptr; };
  while (!text.empty() && is_space(text.back())) text.pop_back();
  while (!text.empty() && is_space(text.front())) text.erase(0, 1);
  std::vector<std::int64_t> numbers;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(':', from), text.size());
    const std::string_view field = std::string_view(text).substr(from, to - from);
    const auto number = numbers.empty() ? number_of(field, "32767", "32768")
                                        : number_of(field, "9223372036854775807", "9223372036854775808");
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    from = to + 1;
  }
  if (numbers.size() != 6) return std::nullopt;
  return handle(static_cast<std::int16_t>(numbers[0]), numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
}

TEST(Receipt, TextFormOfTheExtremes) {
  EXPECT_EQ(text_of({}), "0:0:0:0:0:0");
  EXPECT_EQ(text_of(handle(3, 16384, 16385, 32, 1, -7)), "3:16384:16385:32:1:-7");
  const std::string longest = text_of(handle(kLeastSlot, kLeast, kLeast, kLeast, kLeast, kLeast));
  EXPECT_EQ(longest.size(), 6 + 5 * 21U);
  EXPECT_EQ(parsed(longest), handle(kLeastSlot, kLeast, kLeast, kLeast, kLeast, kLeast));
  EXPECT_EQ(parsed(text_of(handle(kMostSlot, kMost, kMost, kMost, kMost, kMost))),
            handle(kMostSlot, kMost, kMost, kMost, kMost, kMost));
}

TEST(Receipt, AcceptsDecimalNumbersWithWhiteSpaceAroundTheWhole) {
  const Receipt expected = handle(1, 2, 3, 4, 5, 6);
  for (const char *text : {"1:2:3:4:5:6", " 1:2:3:4:5:6", "1:2:3:4:5:6 ", "\t\n\v\f\r 1:2:3:4:5:6\r\n",
                           "01:002:3:4:5:6", "1:2:3:4:5:00000000000000000000000000000006"}) {
    EXPECT_EQ(parsed(text), expected) << text;
  }
  EXPECT_EQ(parsed("-0:0:0:0:0:-0"), Receipt{});
}

TEST(Receipt, RefusesEverythingElse) {
  using namespace std::string_view_literals;
  // clang-format off
  const std::string_view texts[] = {
      // not six numbers
      ""sv, " "sv, ":"sv, ":::::"sv, "1"sv, "1:2:3:4:5"sv, "1:2:3:4:5:"sv, ":2:3:4:5:6"sv, "1::3:4:5:6"sv,
      "1:2:3:4:5:6:"sv, "1:2:3:4:5:6:7"sv, "1,2,3,4,5,6"sv, "1;2;3;4;5;6"sv, "(1:2:3:4:5:6)"sv, "NULL"sv,
      // white space inside
      "1:2:3:4:5:6 7"sv, "1: 2:3:4:5:6"sv, "1 :2:3:4:5:6"sv, "1:2:3:4:5:\n6"sv,
      // not decimal
      "+1:2:3:4:5:6"sv, "1:2:3:4:5:+6"sv, "--1:2:3:4:5:6"sv, "-:2:3:4:5:6"sv, "1:2:3:4:5:-"sv, "1:2:3:4:5:6-"sv,
      "1.0:2:3:4:5:6"sv, "1e1:2:3:4:5:6"sv, "0x1:2:3:4:5:6"sv, "a:b:c:d:e:f"sv, "NaN:2:3:4:5:6"sv,
      // zero bytes; a no-break space, an Arabic one, a byte order mark, a full-width colon, no UTF-8
      "\0"sv, "\0" "1:2:3:4:5:6"sv, "1:2:3:4:5:6\0"sv, "1:2:3\0:4:5:6"sv,
      "\xc2\xa0" "1:2:3:4:5:6"sv, "\xd9\xa1:2:3:4:5:6"sv, "\xef\xbb\xbf" "1:2:3:4:5:6"sv, "1\xef\xbc\x9a" "2:3:4:5:6"sv,
      "1:2:3:4:5:\xff"sv,
      // out of range
      "32768:2:3:4:5:6"sv, "-32769:2:3:4:5:6"sv, "65537:2:3:4:5:6"sv, "1:9223372036854775808:3:4:5:6"sv,
      "1:2:-9223372036854775809:4:5:6"sv, "1:2:3:18446744073709551617:5:6"sv, "1:2:3:4:5:9223372036854775808"sv,
      "1:2:3:4:99999999999999999999999999:6"sv,
  };
  // clang-format on
  for (const std::string_view text : texts) EXPECT_EQ(parsed(text), std::nullopt) << text;
  EXPECT_EQ(parsed(std::string_view()), std::nullopt);
  EXPECT_EQ(parsed(std::string(100000, '1')), std::nullopt);
  EXPECT_EQ(parsed(std::string(100000, ':')), std::nullopt);
  EXPECT_EQ(parsed("1:2:3:4:5:6" + std::string(100000, ' ') + "7"), std::nullopt);
}

TEST(Receipt, TextAndBackIsTheSameBytes) {
  Random random;
  for (int round = 0; round < 50000; ++round) {
    const Receipt receipt = any_handle(random);
    const auto back = parsed(text_of(receipt));
    ASSERT_EQ(back, receipt);
    ASSERT_EQ(std::memcmp(&*back, &receipt, sizeof receipt), 0);
  }
}

TEST(Receipt, GarbageIsReadAsTheSlowReaderReadsIt) {
  using namespace std::string_view_literals;
  // clang-format off
  const std::string_view pieces[] = {
      ":"sv, "-"sv, "+"sv, " "sv, "\n"sv, "\0"sv, "0"sv, "9"sv, "00"sv, "."sv, "x"sv, "\xc2\xa0"sv, "\xd9\xa1"sv,
      "\xff"sv, "32767"sv, "32768"sv, "9223372036854775807"sv, "9223372036854775808"sv, "-9223372036854775808"sv,
      "18446744073709551616"sv,
  };
  // clang-format on
  Random random;
  int accepted = 0;
  for (int round = 0; round < 200000; ++round) {
    std::string text = text_of(any_handle(random));
    for (std::size_t edits = random.below(4); edits != 0; --edits) {
      const std::size_t at = random.below(text.size() + 1);
      const std::string_view piece = pieces[random.below(std::size(pieces))];
      switch (random.below(4)) {
        case 0:
          text.insert(at, piece);
          break;
        case 1:
          text.erase(at, random.below(3));
          break;
        case 2:
          text.replace(at, random.below(22), piece);
          break;
        default:
          text.insert(random.one_in(2) ? 0 : text.size(), random.one_in(2) ? " " : "\t");
          break;
      }
    }
    const auto read = parsed(text);
    ASSERT_EQ(read, read_slowly(text)) << text;
    accepted += read.has_value();
  }
  EXPECT_GT(accepted, 20000);
  EXPECT_LT(accepted, 180000);
}

TEST(Receipt, AnyBytesAreReadAsTheSlowReaderReadsThem) {
  Random random;
  for (int round = 0; round < 100000; ++round) {
    constexpr std::string_view kLikely = "0123456789::::--  ";
    std::string text(random.below(40), '\0');
    for (char &c : text) {
      c = random.one_in(10) ? static_cast<char>(random.between(-128, 127)) : kLikely[random.below(kLikely.size())];
    }
    ASSERT_EQ(parsed(text), read_slowly(text)) << text;
  }
}

TEST(Receipt, OrderBringsTheMembersOfABatchTogether) {
  EXPECT_LT(handle(0, 9, 9, 9, 9, 9), handle(1, 0, 0, 0, 0, 0));
  EXPECT_LT(handle(0, 1, 9, 9, 9, 9), handle(0, 2, 0, 0, 0, 0));
  EXPECT_LT(handle(0, 1, 1, 9, 9, 9), handle(0, 1, 2, 0, 0, 0));
  EXPECT_LT(handle(0, 1, 1, 1, 9, 9), handle(0, 1, 1, 2, 0, 0));
  EXPECT_LT(handle(0, 1, 1, 1, 1, 9), handle(0, 1, 1, 1, 2, 0));
  EXPECT_LT(handle(0, 1, 1, 1, 1, 1), handle(0, 1, 1, 1, 1, 2));
}

TEST(Receipt, SortedUniqueIsWhatASetHolds) {
  Random random;
  for (int round = 0; round < 2000; ++round) {
    std::vector<Receipt> receipts(random.below(30));
    for (Receipt &r : receipts) {
      r = handle(static_cast<std::int16_t>(random.between(0, 1)), random.between(-1, 1), random.between(0, 2),
                 random.between(0, 1), 1, random.between(0, 1));
    }
    const std::set<Receipt> expected(receipts.begin(), receipts.end());
    if (random.one_in(3)) std::sort(receipts.begin(), receipts.end());
    if (random.one_in(3)) receipts.assign(expected.begin(), expected.end());
    const Vec<Receipt> got = sorted_unique(receipts, memory());
    ASSERT_TRUE(std::equal(got.begin(), got.end(), expected.begin(), expected.end()));
    ASSERT_EQ(got.get_allocator().resource(), &memory());
  }
}

}  // namespace
}  // namespace awa::core
