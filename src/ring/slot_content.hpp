// What the current slot of a ring holds, as far as it matters for turning away from it.
#pragma once

#include "core/cadence.hpp"
#include "core/containers.hpp"
#include "ring/tables.hpp"

namespace awa::ring {

// Looked at without waiting for anybody. What `limits` does not ask for is not counted.
core::SlotContent content_of_current(Ring ring, const core::TurnLimits &limits, core::Memory &memory);

}  // namespace awa::ring
