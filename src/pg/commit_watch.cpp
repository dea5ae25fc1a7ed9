#include "pg/commit_watch.hpp"

#include "pg/boundary.hpp"

namespace awa::pg {

namespace {

constinit CommitWatcher *watchers = nullptr;

void look(CommitWatcher *first) {
  boundary([=] {
    for (CommitWatcher *watcher = first; watcher != nullptr; watcher = watcher->next) watcher->before_commit();
    return Datum{0};
  });
}

void at_event(XactEvent event, void *) {
  switch (event) {
    case XACT_EVENT_PRE_COMMIT:
    case XACT_EVENT_PRE_PREPARE:
      look(watchers);
      break;
    case XACT_EVENT_COMMIT:
    case XACT_EVENT_ABORT:
    case XACT_EVENT_PREPARE:
      for (CommitWatcher *watcher = watchers; watcher != nullptr; watcher = watcher->next) watcher->over();
      break;
    default:
      break;
  }
}

}  // namespace

void watch_commits(CommitWatcher &watcher) noexcept {
  watcher.next = watchers;
  watchers = &watcher;
}

void watch_transactions() { RegisterXactCallback(at_event, nullptr); }

}  // namespace awa::pg
