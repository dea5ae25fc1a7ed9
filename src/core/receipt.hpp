// The receipt handle: what a worker carries to end its attempt. Its text form, its order, and grouping by claim batch.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/containers.hpp"
#include "core/ids.hpp"

namespace awa::core {

// 48 bytes, as stored in a column of type awa.receipt. Default-initialised handles are all zero, padding included, so
// that equal handles are equal bytes.
struct Receipt {
  std::int16_t claim_slot = 0;
  std::int16_t padding[3] = {0, 0, 0};
  BatchId batch;
  ReceiptId receipt;
  JobId job;
  RunLease lease;
  std::int64_t fence = 0;
  friend constexpr auto operator<=>(const Receipt &a, const Receipt &b) noexcept {
    // Sorting brings the members of a claim batch together.
    if (auto c = a.claim_slot <=> b.claim_slot; c != 0) return c;
    if (auto c = a.batch <=> b.batch; c != 0) return c;
    if (auto c = a.receipt <=> b.receipt; c != 0) return c;
    if (auto c = a.job <=> b.job; c != 0) return c;
    if (auto c = a.lease <=> b.lease; c != 0) return c;
    return a.fence <=> b.fence;
  }
  friend constexpr bool operator==(const Receipt &a, const Receipt &b) noexcept { return (a <=> b) == 0; }
};
static_assert(sizeof(Receipt) == 48);

// Room for the longest text form and its final zero byte.
constexpr std::size_t kReceiptTextSize = 6 + 1 + 5 * 21 + 1;

// Writes slot:batch:receipt:job:lease:fence in decimal and a final zero byte; returns the length without it.
std::size_t format(const Receipt &receipt, std::span<char, kReceiptTextSize> text) noexcept;

// Reads the text form: exactly six decimal numbers within their types, joined by ':', white space around the whole
// allowed. Returns false, and leaves `receipt` as it was, for anything else.
bool parse(std::string_view text, Receipt &receipt) noexcept;

// The distinct receipts, sorted.
Vec<Receipt> sorted_unique(std::span<const Receipt> receipts, Memory &memory);

}  // namespace awa::core
