// The background worker of a database: one process, which does what CALL awa.maintain() does whenever something is due.
//
// It lives as long as the extension is installed. It makes way for whoever wants its database to itself, and an usher, which has
// no connection to the database, calls it back. Where the library is preloaded a launcher starts one in each database: it leaves
// where there is no extension.
#pragma once

#include "pg/background.hpp"
#include "pg/keys.hpp"

namespace awa::worker {

// It comes back within the cadence of its duties.
constexpr pg::WorkerKind kWorker{"awa_worker_main", "awa_ring worker", 1};
constexpr pg::WorkerKind kUsher{"awa_usher_main", "awa_ring usher", 5};

constexpr pg::WorkerKind kLauncher{"awa_launcher_main", "awa_ring launcher", 5};

// Held by the worker as long as it lives, once it has found that it is wanted.
constexpr pg::Key kWorkerKey{pg::KeyClass::worker, 0};

// The processes. C room.
[[noreturn]] void run_worker();
[[noreturn]] void run_usher();
[[noreturn]] void run_launcher();

}  // namespace awa::worker
