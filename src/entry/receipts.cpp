// receipt_state, receipt_states.

#include "entry/arguments.hpp"
#include "entry/distinct_receipts.hpp"
#include "pg/boundary.hpp"
#include "pg/memory.hpp"
#include "pg/result_set.hpp"
#include "receipt/state.hpp"

namespace {

namespace core = awa::core;
namespace pg = awa::pg;
namespace receipt = awa::receipt;

struct StateValues {
  Datum state;
  Datum outcome;
  bool outcome_null;
};

StateValues values_of(const receipt::ReceiptState &state) {
  const bool none = state.outcome.empty();
  return {pg::text_datum(state.state), none ? Datum{0} : pg::text_datum(state.outcome), none};
}

}  // namespace

AWA_SQL_FUNCTION(awa_receipt_state) {
  const awa::entry::Arguments arguments(fcinfo);
  const core::Receipt handle = arguments.receipt(0);
  pg::ScratchContext scratch;
  receipt::ReceiptState state;
  receipt::states_of({&handle, 1}, {&state, 1}, scratch.memory());
  const StateValues shown = values_of(state);
  const Datum values[] = {shown.state, shown.outcome};
  const bool nulls[] = {false, shown.outcome_null};
  const pg::InContext caller(scratch.caller());
  return pg::composite(fcinfo, values, nulls);
}

AWA_SQL_FUNCTION(awa_receipt_states) {
  pg::ResultSet result(fcinfo);
  pg::ScratchContext scratch;
  const auto handles = awa::entry::Arguments(fcinfo).receipts(0);
  const awa::entry::DistinctReceipts distinct(handles, scratch.memory());
  core::Vec<receipt::ReceiptState> states(scratch.memory());
  states.resize(distinct.size());
  receipt::states_of(distinct.all(), states, scratch.memory());
  for (const core::Receipt &handle : handles) {
    const StateValues shown = values_of(states[distinct.at(handle)]);
    const Datum values[] = {PointerGetDatum(&handle), shown.state, shown.outcome};
    const bool nulls[] = {false, false, shown.outcome_null};
    pg::guarded([&] { result.add(values, nulls); });
  }
  return Datum{0};
}
