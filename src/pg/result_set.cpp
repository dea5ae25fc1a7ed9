#include "pg/result_set.hpp"

namespace awa::pg {

ResultSet::ResultSet(FunctionCallInfo call) : info_(reinterpret_cast<ReturnSetInfo *>(call->resultinfo)) {
  // The plan knows the row type, and is made anew when the function changes.
  guarded([=] { InitMaterializedSRF(call, MAT_SRF_USE_EXPECTED_DESC); });
}

void ResultSet::add(const Datum *values, const bool *nulls) {
  tuplestore_putvalues(info_->setResult, info_->setDesc, const_cast<Datum *>(values), const_cast<bool *>(nulls));
}

namespace {

// The row types of functions that this session has called, as long as no function changes.
struct KnownType {
  Oid function;
  TupleDesc row;
};
constinit KnownType known_types[4] = {};

// From here on: the C room.

TupleDesc learn(FunctionCallInfo call) {
  TupleDesc descriptor = nullptr;
  if (get_call_result_type(call, nullptr, &descriptor) != TYPEFUNC_COMPOSITE) {
    elog(ERROR, "return type must be a row type");
  }
  return BlessTupleDesc(descriptor);
}

TupleDesc row_type(FunctionCallInfo call) {
  const Oid function = call->flinfo->fn_oid;
  KnownType &known = known_types[function % std::size(known_types)];
  if (known.function == function) return known.row;
  TupleDesc const learnt = learn(call);
  MemoryContext const before = MemoryContextSwitchTo(TopMemoryContext);
  TupleDesc const kept = CreateTupleDescCopy(learnt);
  MemoryContextSwitchTo(before);
  if (known.row != nullptr) FreeTupleDesc(known.row);
  known = {function, kept};
  return kept;
}

}  // namespace

void watch_row_types() {
  CacheRegisterSyscacheCallback(
      PROCOID,
      [](Datum, int, uint32) {
        for (KnownType &known : known_types) known.function = InvalidOid;
      },
      Datum{0});
}

Datum composite(FunctionCallInfo call, const Datum *values, const bool *nulls) {
  return guarded([=] {
    HeapTuple const tuple = heap_form_tuple(row_type(call), const_cast<Datum *>(values), const_cast<bool *>(nulls));
    return HeapTupleGetDatum(tuple);
  });
}

}  // namespace awa::pg
