// Waiting for a wake-up.
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

// Sleeps until the session's latch is set, at most that long. A cancel, a termination or the end of the server comes through.
// Whoever wakes us may have had something else in mind.
void wait_until_woken(core::Micros longest);

// Wakes the background workers of this database, whoever they are: a hint that there may be something to do.
void nudge_workers() noexcept;

}  // namespace awa::pg
