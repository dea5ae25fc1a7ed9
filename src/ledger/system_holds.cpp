#include "ledger/system_holds.hpp"

#include "ledger/hold_rows.hpp"
#include "pg/datum.hpp"
#include "pg/spi.hpp"
#include "pg/transaction.hpp"

namespace awa::ledger {

namespace {

constexpr Oid kReservations[] = {INT8ARRAYOID};

constinit pg::Statement select_floor(R"sql(
  SELECT h.reservation
  FROM unnest($1) w(reservation)
       JOIN awa_ledger.holds h USING (reservation) JOIN awa_ledger.open_holds o USING (reservation)
  WHERE h.is_floor)sql",
                                     kReservations, pg::Planning::once_by_index);

}  // namespace

void keep_back(const core::Wallet &wallet, const core::PostingId &id, std::int64_t value) {
  open_hold({.wallet = wallet, .amount = value, .purpose = "floor", .is_floor = true}, id);
}

bool let_go(std::span<const LivePosting> postings, core::Memory &memory) {
  core::Vec<std::int64_t> reservations(memory);
  for (const LivePosting &posting : postings) {
    if (posting.reservation) reservations.push_back(posting.reservation->value);
  }
  if (reservations.empty()) return false;
  std::int64_t reservation = 0;
  {
    const Datum values[] = {pg::int8_array(reservations)};
    pg::Sql sql;
    if (sql.run(select_floor, values) == 0) return false;
    bool is_null = false;
    reservation = DatumGetInt64(sql.value(0, 1, is_null));
  }
  free_holds({&reservation, 1}, EndedBy::itself, pg::now());
  return true;
}

}  // namespace awa::ledger
