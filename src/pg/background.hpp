// What PostgreSQL wants to know of background workers, and what tells one that it is to go on. All of it is of the C room:
// it may ereport, so that C++ calls it inside guarded.
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

// What a worker is started with. It is copied bit by bit into shared memory, and outlives a crash of the server.
struct WorkerStart {
  Oid database = InvalidOid;
  core::Xid after{};  // it begins when this transaction has ended well; 0 = at once
};

// A kind of worker. All wait until recovery is over: none runs on a standby.
struct WorkerKind {
  const char *function;  // the extern "C" function of the library
  const char *type;      // what pg_stat_activity shows as backend_type
  int restart_after;     // seconds after an end that was not its own wish; BGW_NEVER_RESTART
};

// Has the server start a worker, now. Returns whether there was a slot for it among max_worker_processes.
// `handle`, if wanted: to see how it fares; the server then wakes the caller when it starts and ends.
bool register_worker(const WorkerKind &kind, const WorkerStart &start, BackgroundWorkerHandle **handle = nullptr);

// While the server starts, in a library that is preloaded: has it start a worker whenever it is up.
void register_permanent_worker(const WorkerKind &kind);
bool is_being_preloaded() noexcept;

// Whether the server runs for pg_upgrade: no worker does.
bool is_binary_upgrade() noexcept;

// At the beginning of a worker: what it was started with; it listens to signals and has a connection to the database, or to
// none (InvalidOid). SIGTERM ends it, SIGUSR2 asks it to leave (is_asked_to_leave). Settings that are meant for clients are put
// out of force. A database that is not there any more ends it for good, with a FATAL in the log.
WorkerStart begin_worker();
void connect_worker(Oid database, const char *name);

bool is_asked_to_leave() noexcept;

// Sleeps until there is a signal, or something for the latch; then does what interrupts and a new configuration ask for.
// `until`: microseconds of PostgreSQL's epoch.
void sleep_worker(core::Micros until);

// What pg_stat_activity shows.
void show_at_work(const char *what);
void show_idle();

// Ends the process: for good, or to be started again after restart_after.
[[noreturn]] void leave_for_good();
[[noreturn]] void leave_for_now();

// Waits until a worker has ended, at most that long after it began. Whoever waits registered it.
void wait_for_end(BackgroundWorkerHandle *handle, core::Micros longest);

// Something for the log.
void log_line(const char *message, const char *detail, const char *hint);

// Whether nobody holds or awaits a lock on the database that would wait for its sessions to leave: DROP, RENAME, SET TABLESPACE,
// being a template. In a transaction.
bool is_database_free(Oid database);

// Whether there is such a database, and it takes connections. In a transaction.
bool is_database_there(Oid database);

// The databases that take connections and are no templates, in memory of the current context. In a transaction.
List *databases_at_work();

}  // namespace awa::pg
