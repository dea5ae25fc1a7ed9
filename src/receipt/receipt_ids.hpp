// Ids from receipt_seq: receipts, batches, frontiers, closures.
#pragma once

#include <cstdint>

#include "core/blocks.hpp"

namespace awa::receipt {

// The first of a block of core::kReceiptBlock ids that nobody else has. Ids drawn under a lane lock rise on the lane.
std::int64_t draw_receipt_block();

// Ids for the rows of one call, drawn as needed.
class ReceiptIds {
 public:
  std::int64_t next() {
    if (leftover_.empty()) leftover_.refill(draw_receipt_block(), core::kReceiptBlock);
    return leftover_.take();
  }

 private:
  core::BlockLeftover leftover_;
};

}  // namespace awa::receipt
