// Where errors of the background worker end: each body runs in a transaction of its own, and its error in the log. C room.
#pragma once

#include "pg/guard.hpp"

namespace awa::worker {

// Runs a body, of the C++ room, in a transaction, and commits it. Returns false when it failed: that is logged, rolled back and
// done with. The current memory context must be the caller's own; it is emptied.
bool in_transaction(void (*body)(void *), void *argument);

}  // namespace awa::worker
