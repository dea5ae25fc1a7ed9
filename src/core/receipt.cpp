#include "core/receipt.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include "core/text.hpp"

namespace awa::core {

namespace {

constexpr std::size_t kPairs = 100;

// "00" to "99", one behind the other.
constexpr std::array<char, 2 *kPairs> kDigitPairs = [] {
  std::array<char, 2 * kPairs> digits{};
  for (std::size_t i = 0; i < kPairs; ++i) {
    digits[2 * i] = static_cast<char>('0' + i / 10);
    digits[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return digits;
}();

// Handles go out as text and come back for each attempt: nothing here is done more often. Writes the number so that it ends at
// `end`, returns where it begins.
char *put_before(char *end, std::int64_t number) noexcept {
  auto rest = number < 0 ? -static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  for (; rest >= kPairs; rest /= kPairs) std::memcpy(end -= 2, &kDigitPairs[2 * (rest % kPairs)], 2);
  if (rest >= 10) {
    std::memcpy(end -= 2, &kDigitPairs[2 * rest], 2);
  } else {
    *--end = static_cast<char>('0' + rest);
  }
  if (number < 0) *--end = '-';
  return end;
}

// Reads a number from the front of the text and takes it away. False: there is none, or it does not fit.
bool take(std::string_view &text, std::int64_t &number) noexcept {
  constexpr std::ptrdiff_t kDigitsThatFit = 18;
  const char *at = text.data();
  const char *const end = at + text.size();
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  const char *const first = at;
  const char *const sure = first + std::min(end - first, kDigitsThatFit);
  std::uint64_t value = 0;
  const auto digit = [&] { return static_cast<unsigned char>(*at - '0'); };
  for (; at != sure && digit() <= 9; ++at) value = value * 10 + digit();
  if (at == first) return false;
  bool fits = true;
  if (at == sure) {
    for (; at != end && digit() <= 9; ++at) {
      fits = fits && !__builtin_mul_overflow(value, 10U, &value) && !__builtin_add_overflow(value, digit(), &value);
    }
  }
  const std::uint64_t most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + (negative ? 1 : 0);
  if (!fits || value > most) return false;
  number = static_cast<std::int64_t>(negative ? -value : value);
  text.remove_prefix(static_cast<std::size_t>(at - text.data()));
  return true;
}

}  // namespace

std::size_t format(const Receipt &receipt, std::span<char, kReceiptTextSize> text) noexcept {
  char written[kReceiptTextSize];
  char *const end = std::end(written);
  char *first = end;
  *--first = '\0';
  first = put_before(first, receipt.fence);
  for (const std::int64_t field : {receipt.lease.value, receipt.job.value, receipt.receipt.value, receipt.batch.value,
                                   std::int64_t{receipt.claim_slot}}) {
    *--first = ':';
    first = put_before(first, field);
  }
  const auto size = static_cast<std::size_t>(end - first);
  std::memcpy(text.data(), first, size);
  return size - 1;
}

bool parse(std::string_view text, Receipt &receipt) noexcept {
  text = trimmed(text);
  std::array<std::int64_t, 6> fields;
  for (std::int64_t &field : fields) {
    if (&field != &fields.front()) {
      if (!text.starts_with(':')) return false;
      text.remove_prefix(1);
    }
    if (!take(text, field)) return false;
  }
  if (!text.empty() || !std::in_range<std::int16_t>(fields[0])) return false;
  receipt = {};
  receipt.claim_slot = static_cast<std::int16_t>(fields[0]);
  receipt.batch = {fields[1]};
  receipt.receipt = {fields[2]};
  receipt.job = {fields[3]};
  receipt.lease = {fields[4]};
  receipt.fence = fields[5];
  return true;
}

Vec<Receipt> sorted_unique(std::span<const Receipt> receipts, Memory &memory) {
  Vec<Receipt> sorted(receipts, memory);
  // Workers mostly hand back what they claimed, in the order they got it.
  if (std::adjacent_find(sorted.begin(), sorted.end(), std::greater_equal<>()) == sorted.end()) return sorted;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

}  // namespace awa::core
