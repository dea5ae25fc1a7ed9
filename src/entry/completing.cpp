// complete, complete_one, complete_each.

#include "entry/completing.hpp"

#include "entry/arguments.hpp"
#include "entry/distinct_receipts.hpp"
#include "pg/as_owner.hpp"
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
  const pg::AsOwner owner;
  return pg::datum(entry::complete_distinct(receipts, strict, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_complete_one) {
  pg::ScratchContext scratch;
  const entry::Arguments arguments(fcinfo);
  const core::Receipt handle = arguments.receipt(0);
  const receipt::Result result{arguments.datum(1), !arguments.is_null(1)};
  if (result.given) entry::check_size("result", result.value);
  pg::require_writable("awa.complete_one()");
  const pg::AsOwner owner;
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
  const pg::AsOwner owner;

  const entry::DistinctReceipts distinct(receipts, scratch.memory());
  core::Vec<receipt::Result> results(scratch.memory());
  results.resize(distinct.size());
  for (std::size_t at = 0; at < distinct.size(); ++at) {
    const std::size_t place = distinct.first_place(at);
    if (given && !given->nulls[place]) results[at] = {given->values[place], true};
  }
  core::Vec<bool> completed(scratch.memory());
  completed.resize(distinct.size());
  receipt::complete(distinct.all(), results, receipt::Strictness::lenient, completed, scratch.memory());
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    const std::size_t at = distinct.at(receipts[i]);
    const Datum values[] = {PointerGetDatum(&receipts[i]), pg::datum(completed[at] && distinct.first_place(at) == i)};
    const bool nulls[] = {false, false};
    pg::guarded([&] { rows.add(values, nulls); });
  }
  return Datum{0};
}
