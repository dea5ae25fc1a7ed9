// What complete and complete_and_claim share.
#pragma once

#include <span>

#include "core/receipt.hpp"
#include "pg/guard.hpp"

namespace awa::entry {

// Completes the attempts of the receipts, each once however often it is named. Returns how many were completed now.
std::int32_t complete_distinct(std::span<const core::Receipt> receipts, bool strict, core::Memory &memory);

}  // namespace awa::entry
