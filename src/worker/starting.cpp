#include "worker/starting.hpp"

#include <csignal>

#include "pg/error.hpp"
#include "pg/spi.hpp"
#include "pg/transaction.hpp"
#include "worker/worker.hpp"

namespace awa::worker {

namespace {

constexpr core::Micros kLongestStop = 10'000'000;
constexpr core::Micros kBetweenLooks = 10'000;

constinit pg::Statement find_worker("SELECT pid FROM awa.worker_sessions()", {});

// The process of the worker, 0 = there is none.
int worker_pid() {
  pg::Sql sql;
  if (sql.run(find_worker, {}) == 0) return 0;
  bool is_null = false;
  return DatumGetInt32(sql.value(0, 1, is_null));
}

}  // namespace

bool start_worker() {
  if (pg::is_binary_upgrade()) return false;
  const bool is_there = worker_pid() != 0;
  const pg::WorkerStart start{.database = MyDatabaseId, .after = pg::own_xid_if_any()};
  // One that is there may be that of an extension which was dropped, and leave before the caller commits.
  if (is_there && start.after == core::Xid{}) return false;
  if (pg::guarded([&] { return pg::register_worker(kWorker, start); })) return !is_there;
  pg::warn(
      {.sqlstate = ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
       .message = "no background worker was started for awa_ring",
       .detail = "All background worker slots are in use.",
       .hint =
           "Raise max_worker_processes and SELECT awa.start_worker(); until then CALL awa.maintain() now and then."});
  return false;
}

bool stop_worker() {
  const int pid = worker_pid();
  if (pid == 0) return false;
  kill(pid, SIGUSR2);
  for (const core::Micros until = pg::now() + kLongestStop; worker_pid() == pid;) {
    if (pg::now() >= until) {
      pg::raise({.sqlstate = ERRCODE_LOCK_NOT_AVAILABLE,
                 .message = pg::format("the worker, process %d, did not leave in time", pid),
                 .hint = "It leaves at the end of the step that it is at."});
    }
    pg::pause(kBetweenLooks);
  }
  return true;
}

}  // namespace awa::worker
