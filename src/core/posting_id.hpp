// What names a posting of the ledger: the transfer that created it, and its place there. Its text form and its order.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "core/containers.hpp"
#include "core/ids.hpp"

namespace awa::core {

// A place is 0 or more.
struct PostingId {
  TransferId transfer;
  std::int32_t idx = 0;
  friend constexpr auto operator<=>(const PostingId &, const PostingId &) = default;
};

// As stored in a column of type awa_ledger.posting_id: the two fields without padding.
constexpr std::size_t kPostingIdSize = 12;
static_assert(offsetof(PostingId, idx) == 8 && sizeof(PostingId) >= kPostingIdSize);

// Room for the longest text form and its final zero byte.
constexpr std::size_t kPostingIdTextSize = 20 + 1 + 10 + 1;

// Writes transfer:idx in decimal and a final zero byte; returns the length without it.
std::size_t format(const PostingId &id, std::span<char, kPostingIdTextSize> text) noexcept;

// Reads the text form: two decimal numbers within their types joined by ':', the second not negative, white space around
// the whole allowed. Returns false, and leaves `id` as it was, for anything else.
bool parse(std::string_view text, PostingId &id) noexcept;

// Sorts, and drops repetitions.
void sort_unique(Vec<PostingId> &ids);

}  // namespace awa::core
