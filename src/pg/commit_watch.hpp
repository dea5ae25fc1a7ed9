// Who wants to look at a transaction before it commits, and to know that it is over.
//
// A watcher is static and registered once, when the library is loaded. Its functions are called in every transaction of
// the session, so they return at once when there is nothing to do. Workers of a parallel query are not watched.
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

struct CommitWatcher {
  // Before the transaction commits or is prepared, after its deferred triggers: it can still read and fail. C++ room;
  // what it throws aborts the transaction.
  void (*before_commit)();
  // The transaction is over, whatever became of it. Its memory is about to go.
  void (*over)() noexcept;
  CommitWatcher *next = nullptr;
};

void watch_commits(CommitWatcher &watcher) noexcept;

// Called once, when the library is loaded.
void watch_transactions();

}  // namespace awa::pg
