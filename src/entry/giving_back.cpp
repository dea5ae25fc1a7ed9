// fail, fail_many, snooze, release, release_many.

#include "outcome/giving_back.hpp"

#include "entry/arguments.hpp"
#include "entry/distinct_receipts.hpp"
#include "pg/boundary.hpp"
#include "pg/error_context.hpp"
#include "pg/memory.hpp"
#include "pg/result_set.hpp"
#include "pg/transaction.hpp"

namespace {

namespace core = awa::core;
namespace entry = awa::entry;
namespace outcome = awa::outcome;
namespace pg = awa::pg;
using entry::Arguments;
using State = std::optional<core::JobState>;

std::string_view word_of(const State &state) noexcept { return state ? core::name_of(*state) : "stale"; }

// The failures of fail_many, one for each receipt.
core::Vec<outcome::Failed> failures_of(const Arguments &arguments, std::size_t count, core::Memory &memory) {
  const auto errors = arguments.parallel(1, "errors", count, "receipts", pg::NullElements::refused);
  const auto delays = arguments.parallel(2, "retry_after", count, "receipts");
  const auto terminal = arguments.parallel(3, "terminal", count, "receipts");
  if (!errors && count > 0) entry::refuse_null("errors");
  core::Vec<outcome::Failed> failures(memory);
  failures.resize(count);
  pg::ElementContext context("retry_after");
  for (std::size_t i = 0; i < count; ++i) {
    context.at(i + 1);
    failures[i].error = pg::text_view(errors->values[i]);
    if (terminal && !terminal->nulls[i]) failures[i].terminal = DatumGetBool(terminal->values[i]);
    if (!delays || delays->nulls[i]) continue;
    failures[i].retry_after = entry::checked_interval("retry_after", delays->values[i], Arguments::Zero::at_once);
  }
  return failures;
}

}  // namespace

AWA_SQL_FUNCTION(awa_fail) {
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  const core::Receipt receipt = arguments.receipt(0);
  arguments.require(1, "error");
  const outcome::Failed failed{.error = pg::text_view(arguments.datum(1)),
                               .terminal = arguments.boolean(3, "terminal"),
                               .retry_after = arguments.optional_interval(2, "retry_after", Arguments::Zero::at_once)};
  pg::require_writable("awa.fail()");
  State state;
  outcome::fail({&receipt, 1}, {&failed, 1}, {&state, 1}, scratch.memory());
  const pg::InContext caller(scratch.caller());
  return pg::text_datum(word_of(state));
}

AWA_SQL_FUNCTION(awa_fail_many) {
  pg::ResultSet rows(fcinfo);
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  const auto receipts = arguments.receipts(0);
  const auto given = failures_of(arguments, receipts.size(), scratch.memory());
  pg::require_writable("awa.fail_many()");

  const entry::DistinctReceipts distinct(receipts, scratch.memory());
  core::Vec<outcome::Failed> failures(scratch.memory());
  for (std::size_t at = 0; at < distinct.size(); ++at) failures.push_back(given[distinct.first_place(at)]);
  core::Vec<State> states(scratch.memory());
  states.resize(distinct.size());
  outcome::fail(distinct.all(), failures, states, scratch.memory());
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    const std::size_t at = distinct.at(receipts[i]);
    const State state = distinct.first_place(at) == i ? states[at] : State{};
    const Datum values[] = {PointerGetDatum(&receipts[i]), pg::text_datum(word_of(state))};
    const bool nulls[] = {false, false};
    pg::guarded([&] { rows.add(values, nulls); });
  }
  return Datum{0};
}

AWA_SQL_FUNCTION(awa_snooze) {
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  const core::Receipt receipt = arguments.receipt(0);
  const core::Micros delay = arguments.interval(1, "delay", Arguments::Zero::at_once);
  pg::require_writable("awa.snooze()");
  return pg::datum(outcome::snooze(receipt, delay, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_release) {
  pg::ScratchContext scratch;
  const core::Receipt receipt = Arguments(fcinfo).receipt(0);
  pg::require_writable("awa.release()");
  return pg::datum(outcome::release({&receipt, 1}, scratch.memory()) > 0);
}

AWA_SQL_FUNCTION(awa_release_many) {
  pg::ScratchContext scratch;
  const auto receipts = Arguments(fcinfo).receipts(0);
  pg::require_writable("awa.release_many()");
  const core::Vec<core::Receipt> distinct = core::sorted_unique(receipts, scratch.memory());
  return pg::datum(outcome::release(distinct, scratch.memory()));
}
