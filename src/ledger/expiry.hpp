// Holds whose time has passed.
#pragma once

#include "core/containers.hpp"
#include "core/ids.hpp"

namespace awa::ledger {

// How many holds a turn of the duty ends: each may take several keys.
constexpr std::int32_t kMostExpired = 200;

// Ends up to `max_rows` of them, those that are due longest first, as expired. It waits for nobody: holds that others are at are
// passed by. Returns how many it ended.
std::int32_t expire_due(std::int32_t max_rows, core::Memory &memory);

// The same for a duty, which looks again and again: up to kMostExpired, of those that became due since it looked last and those
// that were passed by then; once a minute of all, for what was committed late. Holds that were ended may stay in the index for
// long, where an old snapshot is held, and are not to be waded through each time.
std::int32_t expire_newly_due(core::Memory &memory);

}  // namespace awa::ledger
