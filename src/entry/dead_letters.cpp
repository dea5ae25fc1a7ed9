// retry_dead_letter, retry_dead_letters, purge_dead_letters.

#include "outcome/dead_letters.hpp"

#include "entry/arguments.hpp"
#include "entry/job_options.hpp"
#include "pg/boundary.hpp"
#include "pg/memory.hpp"
#include "pg/transaction.hpp"

namespace {

namespace outcome = awa::outcome;
namespace pg = awa::pg;
using awa::entry::Arguments;

// Arguments queue, kind, everything: which dead letters a call is about. All of them only on demand.
outcome::DeadLetterFilter filter_of(const Arguments &arguments) {
  outcome::DeadLetterFilter filter;
  if (!arguments.is_null(0)) filter.queue = arguments.queue_name(0);
  if (!arguments.is_null(1)) {
    arguments.text(1, "kind", awa::entry::kLongestKind);
    filter.kind = arguments.datum(1);
  }
  const bool everything = arguments.boolean(2, "everything");
  if (!everything && !filter.queue && filter.kind == 0) {
    pg::raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
               .message = "neither queue nor kind is given",
               .hint = "Pass everything => true if all dead letters are meant."});
  }
  return filter;
}

// Counts are int; more than that was not done in one transaction by anybody.
Datum count_of(std::int64_t count) noexcept {
  return pg::datum(static_cast<std::int32_t>(std::min<std::int64_t>(count, PG_INT32_MAX)));
}

}  // namespace

AWA_SQL_FUNCTION(awa_retry_dead_letter) {
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  arguments.require(0, "job_id");
  std::optional<awa::core::Micros> run_at;
  if (!arguments.is_null(1)) run_at = awa::entry::checked_run_at(DatumGetTimestampTz(arguments.datum(1)));
  std::optional<std::string_view> queue;
  if (!arguments.is_null(2)) queue = arguments.queue_name(2);
  pg::require_writable("awa.retry_dead_letter()");
  return pg::datum(outcome::retry_dead_letter({DatumGetInt64(arguments.datum(0))}, run_at, queue, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_retry_dead_letters) {
  pg::ScratchContext scratch;
  const auto filter = filter_of(Arguments(fcinfo));
  pg::require_writable("awa.retry_dead_letters()");
  return count_of(outcome::retry_dead_letters(filter, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_purge_dead_letters) {
  pg::ScratchContext scratch;
  const auto filter = filter_of(Arguments(fcinfo));
  pg::require_writable("awa.purge_dead_letters()");
  return count_of(outcome::purge_dead_letters(filter, scratch.memory()));
}
