// complete, complete_one, complete_each.

#include "entry/completing.hpp"

#include "entry/arguments.hpp"
#include "pg/boundary.hpp"
#include "pg/error_context.hpp"
#include "pg/memory.hpp"
#include "pg/result_set.hpp"
#include "pg/transaction.hpp"
#include "receipt/completion.hpp"

namespace awa::entry {

std::int32_t complete_distinct(std::span<const core::Receipt> receipts, bool strict, core::Memory &memory) {
  const core::Vec<core::Receipt> distinct = core::sorted_unique(receipts, memory);
  core::Vec<bool> completed(memory);
  completed.resize(distinct.size());
  receipt::complete(distinct, {}, strict ? receipt::Strictness::strict : receipt::Strictness::lenient, completed,
                    memory);
  return static_cast<std::int32_t>(std::count(completed.begin(), completed.end(), true));
}

}  // namespace awa::entry

namespace {

namespace core = awa::core;
namespace entry = awa::entry;
namespace pg = awa::pg;
namespace receipt = awa::receipt;

// The results of complete_each: null, or as long as the receipts.
std::optional<pg::ArrayElements> results_of(const entry::Arguments &arguments, std::size_t receipts) {
  const auto results = arguments.parallel(1, "results", receipts, "receipts");
  pg::ElementContext context("results");
  for (std::size_t i = 0; results && i < results->count; ++i) {
    context.at(i + 1);
    if (!results->nulls[i]) entry::check_size("result", results->values[i]);
  }
  return results;
}

}  // namespace

AWA_SQL_FUNCTION(awa_complete) {
  pg::ScratchContext scratch;
  const entry::Arguments arguments(fcinfo);
  const auto receipts = arguments.receipts(0);
  const bool strict = arguments.boolean(1, "strict");
  pg::require_writable("awa.complete()");
  return pg::datum(entry::complete_distinct(receipts, strict, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_complete_one) {
  pg::ScratchContext scratch;
  const entry::Arguments arguments(fcinfo);
  arguments.require(0, "receipt");
  core::Receipt handle;
  memcpy(static_cast<void *>(&handle), DatumGetPointer(arguments.datum(0)), sizeof handle);
  const receipt::Result result{arguments.datum(1), !arguments.is_null(1)};
  if (result.given) entry::check_size("result", result.value);
  pg::require_writable("awa.complete_one()");
  bool completed = false;
  receipt::complete({&handle, 1}, {&result, 1}, receipt::Strictness::lenient, {&completed, 1}, scratch.memory());
  return pg::datum(completed);
}

AWA_SQL_FUNCTION(awa_complete_each) {
  pg::ResultSet rows(fcinfo);
  pg::ScratchContext scratch;
  const entry::Arguments arguments(fcinfo);
  const auto receipts = arguments.receipts(0);
  const auto given = results_of(arguments, receipts.size());
  pg::require_writable("awa.complete_each()");

  const core::Vec<core::Receipt> distinct = core::sorted_unique(receipts, scratch.memory());
  const auto place = [&](const core::Receipt &handle) {
    return static_cast<std::size_t>(std::lower_bound(distinct.begin(), distinct.end(), handle) - distinct.begin());
  };
  // The first place of a receipt counts: its result is kept, its row answers.
  core::Vec<receipt::Result> results(scratch.memory());
  core::Vec<std::size_t> first_place(scratch.memory());
  results.resize(distinct.size());
  first_place.resize(distinct.size(), receipts.size());
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    const std::size_t at = place(receipts[i]);
    if (first_place[at] != receipts.size()) continue;
    first_place[at] = i;
    if (given && !given->nulls[i]) results[at] = {given->values[i], true};
  }
  core::Vec<bool> completed(scratch.memory());
  completed.resize(distinct.size());
  receipt::complete(distinct, results, receipt::Strictness::lenient, completed, scratch.memory());
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    const std::size_t at = place(receipts[i]);
    const Datum values[] = {PointerGetDatum(&receipts[i]), pg::datum(completed[at] && first_place[at] == i)};
    const bool nulls[] = {false, false};
    pg::guarded([&] { rows.add(values, nulls); });
  }
  return Datum{0};
}
