// Starting and stopping the background worker of this database.
#pragma once

#include "pg/guard.hpp"

namespace awa::worker {

// Has a worker started. If the caller's transaction wrote something, it begins when that has committed, and not at all if not.
// Returns whether there was none, and one was started; warns if there is no slot for one.
bool start_worker();

// Asks the worker to leave for good and waits for that: it comes to the end of its step. Returns whether there was one. Errors:
// 55P03 if it takes too long.
bool stop_worker();

}  // namespace awa::worker
