// How attempts that went on outside the rings ended: their claims do not tell.
#pragma once

#include <string_view>

#include "core/receipt.hpp"

namespace awa::receipt {

// The outcome that history, deferred jobs and dead letters know of the attempt; empty = they know nothing of it. The view is
// in memory of the current context.
std::string_view outcome_in_history(const core::Receipt &receipt);

}  // namespace awa::receipt
