#include "ledger/answers.hpp"

#include "pg/datum.hpp"
#include "pg/error.hpp"

namespace awa::ledger {

namespace {

constexpr const char *kTransfer = "transfer_id";
constexpr const char *kReservation = "reservation";

Datum answer(const char *name, std::int64_t id) {
  return pg::guarded([=] {
    JsonbParseState *state = nullptr;
    pushJsonbValue(&state, WJB_BEGIN_OBJECT, nullptr);
    JsonbValue key;
    key.type = jbvString;
    key.val.string = {static_cast<int>(strlen(name)), const_cast<char *>(name)};
    pushJsonbValue(&state, WJB_KEY, &key);
    JsonbValue value;
    value.type = jbvNumeric;
    value.val.numeric = int64_to_numeric(id);
    pushJsonbValue(&state, WJB_VALUE, &value);
    return JsonbPGetDatum(JsonbValueToJsonb(pushJsonbValue(&state, WJB_END_OBJECT, nullptr)));
  });
}

std::int64_t id_in(Datum answer, const char *name) {
  const std::int64_t id = pg::guarded([=] {
    Jsonb *const json = DatumGetJsonbP(answer);
    JsonbValue value;
    const JsonbValue *const found =
        getKeyJsonValueFromContainer(&json->root, name, static_cast<int>(strlen(name)), &value);
    if (found == nullptr || found->type != jbvNumeric) return std::int64_t{0};
    return std::int64_t{DatumGetInt64(DirectFunctionCall1(numeric_int8, NumericGetDatum(found->val.numeric)))};
  });
  if (id > 0) return id;
  pg::raise({.sqlstate = ERRCODE_DATA_CORRUPTED, .message = pg::format("the answer that was kept has no %s", name)});
}

}  // namespace

Datum answer_of(core::TransferId id) { return answer(kTransfer, id.value); }
Datum answer_of(core::ReservationId id) { return answer(kReservation, id.value); }

core::TransferId transfer_in(Datum answer) { return {id_in(answer, kTransfer)}; }
core::ReservationId reservation_in(Datum answer) { return {id_in(answer, kReservation)}; }

}  // namespace awa::ledger
