#include "ledger/system_holds.hpp"

#include "ledger/booking.hpp"
#include "ledger/primitives.hpp"
#include "pg/datum.hpp"
#include "pg/spi.hpp"
#include "pg/transaction.hpp"

namespace awa::ledger {

namespace {

constexpr Oid kHold[] = {INT8OID, INT8OID, INT8OID, INT4OID, INT8OID, TIMESTAMPTZOID};
constexpr Oid kReservations[] = {INT8ARRAYOID};
constexpr Oid kOutcome[] = {INT8OID, TIMESTAMPTZOID};

constinit pg::Statement insert_hold(R"sql(
  WITH made AS (
    INSERT INTO awa_ledger.holds (reservation, account, subaccount, asset, amount, created_at, purpose, is_floor)
    VALUES ($1, $2, $3, $4, $5, $6, 'floor', true) RETURNING reservation
  )
  INSERT INTO awa_ledger.open_holds (reservation) SELECT reservation FROM made)sql",
                                    kHold);
constinit pg::Statement select_floor(R"sql(
  SELECT h.reservation
  FROM unnest($1) w(reservation)
       JOIN awa_ledger.holds h USING (reservation) JOIN awa_ledger.open_holds o USING (reservation)
  WHERE h.is_floor)sql",
                                     kReservations, pg::Planning::once_by_index);
constinit pg::Statement end_hold(R"sql(
  WITH gone AS (DELETE FROM awa_ledger.open_holds WHERE reservation = $1 RETURNING reservation)
  INSERT INTO awa_ledger.hold_outcomes (reservation, outcome, ended_at) SELECT reservation, 'voided', $2 FROM gone)sql",
                                 kOutcome);

}  // namespace

void keep_back(const core::Wallet &wallet, const core::PostingId &id, std::int64_t value, core::Memory &memory) {
  const core::ReservationId reservation{draw_transfer().value};  // one sequence for both
  reserve_for_hold({&id, 1}, reservation, memory);
  const Datum values[] = {pg::datum(reservation),
                          pg::datum(wallet.owner.account),
                          pg::datum(wallet.owner.subaccount),
                          pg::datum(wallet.asset),
                          pg::datum(value),
                          pg::datum(pg::now())};
  pg::Sql sql;
  sql.run(insert_hold, values);
}

bool let_go(std::span<const LivePosting> postings, core::Memory &memory) {
  core::Vec<std::int64_t> reservations(memory);
  for (const LivePosting &posting : postings) {
    if (posting.reservation) reservations.push_back(posting.reservation->value);
  }
  if (reservations.empty()) return false;
  core::ReservationId reservation;
  {
    const Datum values[] = {pg::int8_array(reservations)};
    pg::Sql sql;
    if (sql.run(select_floor, values) == 0) return false;
    bool is_null = false;
    reservation = {DatumGetInt64(sql.value(0, 1, is_null))};
    const Datum ended[] = {pg::datum(reservation), pg::datum(pg::now())};
    sql.run(end_hold, ended);
  }
  core::Vec<core::PostingId> ids(memory);
  for (const LivePosting &posting : postings) {
    if (posting.reservation == reservation) ids.push_back(posting.id);
  }
  core::sort_unique(ids);
  release_for_hold(ids, reservation, memory);
  return true;
}

}  // namespace awa::ledger
