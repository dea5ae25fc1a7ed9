#include "ledger/answers.hpp"

#include "pg/datum.hpp"
#include "pg/error.hpp"

namespace awa::ledger {

Datum answer_of(core::TransferId id) {
  const char *const text = pg::format("{\"transfer_id\": %lld}", static_cast<long long>(id.value));
  return pg::guarded([=] { return DirectFunctionCall1(jsonb_in, CStringGetDatum(text)); });
}

core::TransferId transfer_in(Datum answer) {
  const std::int64_t id = pg::guarded([=] {
    Jsonb *const json = DatumGetJsonbP(answer);
    JsonbValue value;
    const JsonbValue *const found = getKeyJsonValueFromContainer(&json->root, "transfer_id", 11, &value);
    if (found == nullptr || found->type != jbvNumeric) return std::int64_t{0};
    return std::int64_t{DatumGetInt64(DirectFunctionCall1(numeric_int8, NumericGetDatum(found->val.numeric)))};
  });
  if (id > 0) return {id};
  pg::raise({.sqlstate = ERRCODE_DATA_CORRUPTED, .message = "the answer that was kept is not that of a transfer"});
}

}  // namespace awa::ledger
