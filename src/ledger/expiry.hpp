// Holds whose time has passed.
#pragma once

#include "core/containers.hpp"
#include "core/ids.hpp"

namespace awa::ledger {

// How many holds a call of a duty ends: each may take several keys.
constexpr std::int32_t kMostExpired = 200;

// Ends up to `max_rows` of them, those that are due longest first, as expired. It waits for nobody: holds that others are at are
// passed by. Returns how many it ended.
std::int32_t expire_due(std::int32_t max_rows, core::Memory &memory);

}  // namespace awa::ledger
