// Tests of what becomes of errors that destructors meet. Only in builds with pause points; test/specs/paused_guard.spec makes
// the SQL function and calls it.
#include "pg/boundary.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/subtransaction.hpp"

namespace {

namespace pg = awa::pg;

constexpr int kWanted = ERRCODE_LOCK_NOT_AVAILABLE;

void defer(int sqlstate, const char *message) {
  pg::guarded_in_destructor([=] { ereport(ERROR, (errcode(sqlstate), errmsg_internal("%s", message))); });
}

const char *outcome(bool done) { return done ? "done" : "undone"; }

const char *run(int test) {
  switch (test) {
    case 1:  // what was met outside waits for its own scope
      defer(ERRCODE_INTERNAL_ERROR, "met outside");
      if (!pg::subtransaction_unless(kWanted, [] {})) return "a subtransaction failed for what was met outside";
      return "done";
    case 2:  // what is met inside goes with the work that fails
      return outcome(pg::subtransaction_unless(kWanted, [] {
        defer(ERRCODE_INTERNAL_ERROR, "met inside");
        pg::raise({.sqlstate = kWanted, .message = "wanted"});
      }));
    case 3:  // the work is not done if a destructor failed
      return outcome(pg::subtransaction_unless(kWanted, [] { defer(ERRCODE_INTERNAL_ERROR, "met inside"); }));
    case 4:
      return outcome(pg::subtransaction_unless(kWanted, [] { defer(kWanted, "met inside"); }));
    case 5:  // one that was met inside does not hide the one outside
      defer(ERRCODE_INTERNAL_ERROR, "met outside");
      if (pg::subtransaction_unless(kWanted, [] { defer(kWanted, "met inside"); })) return "nothing was met inside";
      return "undone";
    case 6:  // of several the first is told
      defer(ERRCODE_INTERNAL_ERROR, "met first");
      defer(ERRCODE_INTERNAL_ERROR, "met second");
      return "done";
    default:
      return "there is no such test";
  }
}

}  // namespace

AWA_SQL_FUNCTION(awa_guard_self_test) { return pg::text_datum(run(PG_GETARG_INT32(0))); }
