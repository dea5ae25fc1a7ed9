#include "core/receipt.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <system_error>

#include "core/text.hpp"

namespace awa::core {

std::size_t format(const Receipt &receipt, std::span<char, kReceiptTextSize> text) noexcept {
  char *at = text.data();
  const auto put = [&](auto number, char after) {
    at = std::to_chars(at, text.data() + text.size(), number).ptr;
    *at++ = after;
  };
  put(receipt.claim_slot, ':');
  put(receipt.batch.value, ':');
  put(receipt.receipt.value, ':');
  put(receipt.job.value, ':');
  put(receipt.lease.value, ':');
  put(receipt.fence, '\0');
  return static_cast<std::size_t>(at - text.data()) - 1;
}

bool parse(std::string_view text, Receipt &receipt) noexcept {
  text = trimmed(text);
  const char *at = text.data();
  const char *const end = at + text.size();
  const auto number = [&](auto &value) {
    const auto [next, error] = std::from_chars(at, end, value);
    at = next;
    return error == std::errc{};
  };
  const auto colon = [&] { return at != end && *at++ == ':'; };

  Receipt read;
  const bool well_formed = number(read.claim_slot) && colon() && number(read.batch.value) && colon() &&
                           number(read.receipt.value) && colon() && number(read.job.value) && colon() &&
                           number(read.lease.value) && colon() && number(read.fence) && at == end;
  if (well_formed) receipt = read;
  return well_formed;
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
