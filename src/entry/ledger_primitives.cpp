// insert_postings, reserve, release, consume, deactivate.

#include "entry/ledger_arguments.hpp"
#include "ledger/primitives.hpp"
#include "pg/boundary.hpp"
#include "pg/error_context.hpp"
#include "pg/memory.hpp"
#include "pg/transaction.hpp"

namespace {

namespace core = awa::core;
namespace entry = awa::entry;
namespace ledger = awa::ledger;
namespace pg = awa::pg;

core::ReservationId reservation_of(const entry::Arguments &arguments) {
  return {entry::required_int8(arguments, 1, "reservation")};
}

// The six parallel arrays of insert_postings.
core::Vec<ledger::Posting> postings_of(const entry::Arguments &arguments, core::Memory &memory) {
  constexpr const char *kNames[] = {"transfer_ids", "idxs", "accounts", "subaccounts", "assets", "vals"};
  pg::ArrayElements arrays[6];
  for (int i = 0; i < 6; ++i) {
    arrays[i] = entry::numbers(arguments, i, kNames[i]);
    if (arrays[i].count == arrays[0].count) continue;
    pg::raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
               .message = pg::format("%s must have as many elements as %s", kNames[i], kNames[0]),
               .detail = pg::format("It has %zu, %s has %zu.", arrays[i].count, kNames[0], arrays[0].count),
               .hint = "Elements belong together by their place."});
  }
  const auto int8 = [&](int array, std::size_t i) { return DatumGetInt64(arrays[array].values[i]); };
  const auto int4 = [&](int array, std::size_t i) { return DatumGetInt32(arrays[array].values[i]); };
  core::Vec<ledger::Posting> postings(memory);
  postings.reserve(arrays[0].count);
  for (std::size_t i = 0; i < arrays[0].count; ++i) {
    postings.push_back({{{int8(0, i)}, int4(1, i)}, int4(4, i), int8(2, i), int8(3, i), int8(5, i)});
  }
  return postings;
}

void check(std::span<const ledger::Posting> postings) {
  pg::ElementContext context("the arrays");
  for (std::size_t i = 0; i < postings.size(); ++i) {
    context.at(i + 1);
    const ledger::Posting &posting = postings[i];
    if (posting.id.idx < 0) entry::refuse_value("idx", pg::format("%d", posting.id.idx), "0 or more");
    if (posting.value == std::numeric_limits<std::int64_t>::min()) {
      entry::refuse_value("value", "-9223372036854775808", "from -9223372036854775807 to 9223372036854775807");
    }
  }
}

}  // namespace

AWA_SQL_FUNCTION(awa_ledger_insert_postings) {
  pg::ScratchContext scratch;
  auto postings = postings_of(entry::LedgerArguments(fcinfo), scratch.memory());
  check(postings);
  pg::require_writable("awa_ledger.insert_postings()");
  return pg::datum(ledger::insert_postings(postings, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_ledger_reserve) {
  pg::ScratchContext scratch;
  const entry::LedgerArguments arguments(fcinfo);
  const auto ids = entry::posting_ids(arguments, 0, scratch.memory());
  const auto reservation = reservation_of(arguments);
  pg::require_writable("awa_ledger.reserve()");
  return pg::datum(ledger::reserve(ids, reservation, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_ledger_release) {
  pg::ScratchContext scratch;
  const entry::LedgerArguments arguments(fcinfo);
  const auto ids = entry::posting_ids(arguments, 0, scratch.memory());
  const auto reservation = reservation_of(arguments);
  pg::require_writable("awa_ledger.release()");
  return pg::datum(ledger::release(ids, reservation, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_ledger_consume) {
  pg::ScratchContext scratch;
  const entry::LedgerArguments arguments(fcinfo);
  const auto ids = entry::posting_ids(arguments, 0, scratch.memory());
  const auto reservation = reservation_of(arguments);
  const core::TransferId spent_by{entry::required_int8(arguments, 2, "spent_by")};
  pg::require_writable("awa_ledger.consume()");
  return pg::datum(ledger::consume(ids, reservation, spent_by, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_ledger_deactivate) {
  pg::ScratchContext scratch;
  const entry::LedgerArguments arguments(fcinfo);
  const auto ids = entry::posting_ids(arguments, 0, scratch.memory());
  const core::TransferId spent_by{entry::required_int8(arguments, 1, "spent_by")};
  pg::require_writable("awa_ledger.deactivate()");
  return pg::datum(ledger::deactivate(ids, spent_by, scratch.memory()));
}
