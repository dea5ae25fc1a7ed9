// Blocks of ids: one draw from a sequence yields a block of consecutive numbers, the value drawn being the first.
#pragma once

#include <cstdint>

namespace awa::core {

// The INCREMENT of entry_seq and receipt_seq (sql/schema/sequences.sql says the same numbers).
constexpr std::int64_t kEntryBlock = 32;
constexpr std::int64_t kReceiptBlock = 16384;

// The most receipts one claim hands out; with the frontier's id they fit one block.
constexpr int kMaxClaim = 10000;
static_assert(kMaxClaim + 1 < kReceiptBlock);

// What is left of the block drawn last. Plain data: it lives as long as its owner says.
struct BlockLeftover {
  std::int64_t next = 0;
  std::int64_t end = 0;

  bool empty() const noexcept { return next == end; }
  std::int64_t take() noexcept { return next++; }
  void refill(std::int64_t first, std::int64_t size) noexcept {
    next = first;
    end = first + size;
  }
};

}  // namespace awa::core
