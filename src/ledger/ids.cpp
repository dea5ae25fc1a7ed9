#include "ledger/ids.hpp"

#include "pg/datum.hpp"
#include "pg/error.hpp"

namespace awa::ledger {

namespace {

constexpr Oid kId[] = {INT8OID};

constinit pg::Statement greatest_drawn(
    "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM awa_ledger.id_seq", {});
constinit pg::Statement hold_of("SELECT FROM awa_ledger.holds WHERE reservation = $1", kId,
                                pg::Planning::once_by_index);

}  // namespace

void refuse_undrawn(pg::Sql &sql, const char *name, std::int64_t least, std::int64_t greatest) {
  sql.run(greatest_drawn, {});
  bool is_null = false;
  const std::int64_t drawn = DatumGetInt64(sql.value(0, 1, is_null));
  if (least >= 1 && greatest <= drawn) return;
  const std::int64_t id = least < 1 ? least : greatest;
  pg::raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
             .message = pg::format("%s %lld was not drawn", name, static_cast<long long>(id)),
             .detail = pg::format("Ids are drawn from 1 on; the last was %lld.", static_cast<long long>(drawn)),
             .hint = "Draw ids with awa_ledger.new_ids(): no number is used twice then."});
}

void refuse_foreign_reservation(pg::Sql &sql, core::ReservationId reservation) {
  refuse_undrawn(sql, "reservation", reservation.value);
  const Datum values[] = {pg::datum(reservation)};
  if (sql.run(hold_of, values) == 0) return;
  pg::raise({.sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
             .message = pg::format("reservation %lld belongs to a hold", static_cast<long long>(reservation.value)),
             .hint = "Draw a reservation of your own with awa_ledger.new_ids()."});
}

}  // namespace awa::ledger
