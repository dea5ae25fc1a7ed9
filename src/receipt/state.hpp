// What became of receipts.
#pragma once

#include <span>
#include <string_view>

#include "core/receipt.hpp"

namespace awa::receipt {

struct ReceiptState {
  std::string_view state = "unknown";  // open, leased, closed, unknown
  std::string_view outcome;            // how it was closed; empty unless closed
};

// Sets states[i] for each receipts[i], sorted and distinct: what was committed, or done in this transaction, by now.
void states_of(std::span<const core::Receipt> receipts, std::span<ReceiptState> states, core::Memory &memory);

}  // namespace awa::receipt
