#include "core/posting_id.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <system_error>

#include "core/text.hpp"

namespace awa::core {

std::size_t format(const PostingId &id, std::span<char, kPostingIdTextSize> text) noexcept {
  char *const end = text.data() + text.size();
  char *at = std::to_chars(text.data(), end, id.transfer.value).ptr;
  *at++ = ':';
  at = std::to_chars(at, end, id.idx).ptr;
  *at = '\0';
  return static_cast<std::size_t>(at - text.data());
}

bool parse(std::string_view text, PostingId &id) noexcept {
  text = trimmed(text);
  const char *at = text.data();
  const char *const end = at + text.size();
  PostingId read;
  const auto [colon, transfer_error] = std::from_chars(at, end, read.transfer.value);
  if (transfer_error != std::errc{} || colon == end || *colon != ':') return false;
  const auto [rest, idx_error] = std::from_chars(colon + 1, end, read.idx);
  if (idx_error != std::errc{} || rest != end || read.idx < 0) return false;
  id = read;
  return true;
}

void sort_unique(Vec<PostingId> &ids) {
  if (std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end()) return;
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace awa::core
