#include "pg/result_set.hpp"

namespace awa::pg {

ResultSet::ResultSet(FunctionCallInfo call) : info_(reinterpret_cast<ReturnSetInfo *>(call->resultinfo)) {
  guarded([=] { InitMaterializedSRF(call, 0); });
}

void ResultSet::add(const Datum *values, const bool *nulls) {
  tuplestore_putvalues(info_->setResult, info_->setDesc, const_cast<Datum *>(values), const_cast<bool *>(nulls));
}

Datum composite(FunctionCallInfo call, const Datum *values, const bool *nulls) {
  return guarded([=] {
    TupleDesc descriptor = nullptr;
    if (get_call_result_type(call, nullptr, &descriptor) != TYPEFUNC_COMPOSITE) {
      elog(ERROR, "return type must be a row type");
    }
    HeapTuple const tuple =
        heap_form_tuple(BlessTupleDesc(descriptor), const_cast<Datum *>(values), const_cast<bool *>(nulls));
    return HeapTupleGetDatum(tuple);
  });
}

}  // namespace awa::pg
