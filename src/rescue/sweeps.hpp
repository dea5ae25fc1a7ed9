// The rescue duties: sweeps over the claims of all slots and over the leases, for attempts that are due to end.
//
// Sweeps are bounded in what they visit and in what they end, and go round (core/sweep.hpp): whatever lies in front of an
// attempt that is due, it is come to. They wait for nobody.
#pragma once

#include "core/containers.hpp"

namespace awa::rescue {

// Each rescues at most awa_ring.rescue_limit attempts and returns how many it did. The transaction must be writable.

// Attempts that run without a heartbeat for too long.
std::int32_t rescue_stale(core::Memory &memory);
// Attempts whose deadline has passed.
std::int32_t rescue_deadlines(core::Memory &memory);
// Attempts that waited for a callback for too long.
std::int32_t rescue_callbacks(core::Memory &memory);

}  // namespace awa::rescue
