// Ids from receipt_seq: receipts, claim batches, frontiers.
#pragma once

#include <cstdint>

#include "core/blocks.hpp"

namespace awa::receipt {

// The first of a block of core::kReceiptBlock ids that nobody else has. Ids drawn under a lane lock rise on the lane.
std::int64_t draw_receipt_block();

}  // namespace awa::receipt
