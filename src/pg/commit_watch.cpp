#include "pg/commit_watch.hpp"

#include "pg/boundary.hpp"
#include "pg/early_release.hpp"

namespace awa::pg {

namespace {

constinit CommitWatcher *watchers = nullptr;

void look(CommitWatcher *first) {
  boundary([=] {
    for (CommitWatcher *watcher = first; watcher != nullptr; watcher = watcher->next) watcher->before_commit();
    return Datum{0};
  });
}

void be_over(CommitWatcher *first) noexcept {
  for (CommitWatcher *watcher = first; watcher != nullptr; watcher = watcher->next) watcher->over();
}

void at_event(XactEvent event, void *) {
  switch (event) {
    case XACT_EVENT_PRE_COMMIT:
      look(watchers);
      commit_without_flush();
      break;
    case XACT_EVENT_PRE_PREPARE:
      look(watchers);
      break;
    case XACT_EVENT_COMMIT:
      release_and_flush();
      be_over(watchers);
      break;
    case XACT_EVENT_ABORT:
    case XACT_EVENT_PREPARE:
      forget_early_release();
      be_over(watchers);
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
