#include "ledger/hold_rows.hpp"

#include "ledger/booking.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/planted_fault.hpp"
#include "pg/spi.hpp"
#include "pg/transaction.hpp"

namespace awa::ledger {

namespace {

constexpr Oid kReservation[] = {INT8OID};
constexpr Oid kNewHold[] = {INT8OID, INT8OID, INT8OID, INT4OID, INT8OID, TIMESTAMPTZOID, TIMESTAMPTZOID,
                            TEXTOID, TEXTOID, INT8OID, INT8OID, BOOLOID, INT8OID,        INT4OID};
constexpr Oid kPosted[] = {INT8OID, TIMESTAMPTZOID, INT8OID};
constexpr Oid kFreed[] = {INT8ARRAYOID, TIMESTAMPTZOID, BOOLOID};
constexpr Oid kExtension[] = {INT8OID, INT4OID, TIMESTAMPTZOID, TIMESTAMPTZOID};

constinit pg::Statement select_hold(R"sql(
  SELECT h.account, h.subaccount, h.asset, h.amount, h.transfer_id, h.idx, coalesce(x.expires_at, h.expires_at),
         coalesce(x.extension, 0), h.job_id IS NOT NULL, h.run_lease IS NOT NULL, h.receipt, h.is_floor,
         o.outcome, o.ended_at, o.transfer_id
  FROM awa_ledger.holds h
       LEFT JOIN awa_ledger.hold_outcomes o ON o.reservation = h.reservation
       LEFT JOIN LATERAL (SELECT e.expires_at, e.extension FROM awa_ledger.hold_extensions e
                          WHERE e.reservation = h.reservation ORDER BY e.extension DESC LIMIT 1) x ON true
  WHERE h.reservation = $1)sql",
                                    kReservation, pg::Planning::once_by_index);

// The log's number is drawn when the posting is locked: it is greater than that of whoever held it before.
constinit pg::Statement insert_hold(R"sql(
  WITH made AS (
    INSERT INTO awa_ledger.holds (reservation, account, subaccount, asset, amount, created_at, expires_at, purpose, receipt, job_id,
                                  run_lease, is_floor, transfer_id, idx)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::awa.receipt, $10, $11, $12, $13, $14)
  ), opened AS (
    INSERT INTO awa_ledger.open_holds (reservation, expires_at, job_id, run_lease) VALUES ($1, $7, $10, $11)
  ), kept AS (
    UPDATE awa_ledger.live_postings l SET reservation = $1
    WHERE l.account = $2 AND l.subaccount = $3 AND l.asset = $4 AND l.transfer_id = $13 AND l.idx = $14 AND l.reservation IS NULL
    RETURNING l.transfer_id, l.idx
  )
  INSERT INTO awa_ledger.reservation_log (seq, reservation, op, items)
  SELECT pg_catalog.nextval('awa_ledger.log_seq'), $1, 'reserve', ARRAY[awa_ledger.id_of(k.transfer_id, k.idx)] FROM kept k)sql",
                                    kNewHold, pg::Planning::once_by_index);

constinit pg::Statement insert_posted(R"sql(
  WITH gone AS (
    DELETE FROM awa_ledger.open_holds WHERE reservation = $1
  ), logged AS (
    INSERT INTO awa_ledger.reservation_log (seq, reservation, op, items)
    SELECT pg_catalog.nextval('awa_ledger.log_seq'), $1, 'consume', ARRAY[awa_ledger.id_of(h.transfer_id, h.idx)]
    FROM awa_ledger.holds h WHERE h.reservation = $1
  )
  INSERT INTO awa_ledger.hold_outcomes (reservation, outcome, ended_at, transfer_id) VALUES ($1, 'posted', $2, $3))sql",
                                      kPosted, pg::Planning::once_by_index);

constinit pg::Statement insert_freed(R"sql(
  WITH gone AS (
    DELETE FROM awa_ledger.open_holds o USING unnest($1) w WHERE o.reservation = w
  ), over AS (
    INSERT INTO awa_ledger.hold_outcomes (reservation, outcome, ended_at, with_job)
    SELECT h.reservation, CASE WHEN coalesce(x.expires_at, h.expires_at) <= $2 THEN 'expired' ELSE 'voided' END, $2, $3
    FROM unnest($1) w
         JOIN awa_ledger.holds h ON h.reservation = w
         LEFT JOIN LATERAL (SELECT e.expires_at FROM awa_ledger.hold_extensions e
                            WHERE e.reservation = h.reservation ORDER BY e.extension DESC LIMIT 1) x ON true
    ORDER BY h.reservation
    ON CONFLICT (reservation) DO NOTHING
    RETURNING reservation
  ), freed AS (
    UPDATE awa_ledger.live_postings l SET reservation = NULL
    FROM over v JOIN awa_ledger.holds h ON h.reservation = v.reservation
    WHERE l.account = h.account AND l.subaccount = h.subaccount AND l.asset = h.asset
      AND l.transfer_id = h.transfer_id AND l.idx = h.idx AND l.reservation = h.reservation
    RETURNING h.reservation, l.transfer_id, l.idx
  )
  INSERT INTO awa_ledger.reservation_log (seq, reservation, op, items)
  SELECT pg_catalog.nextval('awa_ledger.log_seq'), f.reservation, 'release', ARRAY[awa_ledger.id_of(f.transfer_id, f.idx)]
  FROM freed f)sql",
                                     kFreed, pg::Planning::once_by_index);

constinit pg::Statement insert_extension(R"sql(
  WITH written AS (
    INSERT INTO awa_ledger.hold_extensions (reservation, extension, expires_at, extended_at) VALUES ($1, $2, $3, $4)
  )
  UPDATE awa_ledger.open_holds SET expires_at = $3 WHERE reservation = $1)sql",
                                         kExtension, pg::Planning::once_by_index);

core::Receipt receipt_of(Datum stored) {
  core::Receipt receipt;
  memcpy(static_cast<void *>(&receipt), DatumGetPointer(stored), sizeof receipt);
  return receipt;
}

std::string_view word_of(Datum outcome) {
  return pg::text_view(pg::guarded([=] { return SPI_datumTransfer(outcome, false, -1); }));
}

}  // namespace

std::optional<Hold> find_hold(core::ReservationId reservation) {
  pg::Sql sql;
  const Datum values[] = {pg::datum(reservation)};
  if (sql.run(select_hold, values) == 0) return std::nullopt;
  bool is_null = false;
  const auto value = [&](int column) { return sql.value(0, column, is_null); };
  Hold hold;
  hold.reservation = reservation;
  hold.wallet = {{DatumGetInt64(value(1)), DatumGetInt64(value(2))}, DatumGetInt32(value(3))};
  hold.amount = DatumGetInt64(value(4));
  hold.posting = {{DatumGetInt64(value(5))}, DatumGetInt32(value(6))};
  const Datum expires_at = value(7);
  if (!is_null) hold.expires_at = DatumGetTimestampTz(expires_at);
  hold.extensions = DatumGetInt32(value(8));
  if (DatumGetBool(value(9))) hold.binding = DatumGetBool(value(10)) ? Binding::attempt : Binding::job;
  const Datum receipt = value(11);
  if (!is_null) hold.receipt = receipt_of(receipt);
  hold.is_floor = DatumGetBool(value(12));
  const Datum outcome = value(13);
  if (is_null) return hold;
  hold.outcome = word_of(outcome);
  hold.ended_at = DatumGetTimestampTz(value(14));
  const Datum posted_with = value(15);
  if (!is_null) hold.posted_with = {DatumGetInt64(posted_with)};
  return hold;
}

core::ReservationId open_hold(const NewHold &hold, const core::PostingId &posting) {
  const core::ReservationId reservation{draw_transfer().value};  // one sequence for both
  const core::Micros now = pg::now();
  const bool is_bound = hold.binding != Binding::none;
  char receipt[core::kReceiptTextSize];
  core::format(hold.receipt, receipt);
  const Datum values[] = {pg::datum(reservation),
                          pg::datum(hold.wallet.owner.account),
                          pg::datum(hold.wallet.owner.subaccount),
                          pg::datum(hold.wallet.asset),
                          pg::datum(hold.amount),
                          pg::datum(now),
                          pg::datum(now + hold.expires_in.value_or(0)),
                          pg::text_datum(hold.purpose),
                          pg::text_datum(receipt),
                          pg::datum(hold.receipt.job),
                          pg::datum(hold.receipt.lease),
                          pg::datum(hold.is_floor),
                          pg::datum(posting.transfer),
                          pg::datum(posting.idx)};
  bool nulls[std::size(values)] = {};
  nulls[6] = !hold.expires_in || AWA_PLANTED(timeless_hold);
  nulls[7] = hold.purpose.empty();
  nulls[8] = nulls[9] = !is_bound;
  nulls[10] = hold.binding != Binding::attempt;
  pg::Sql sql;
  if (sql.run(insert_hold, values, nulls) == 1) return reservation;
  pg::raise(
      {.sqlstate = ERRCODE_INTERNAL_ERROR,
       .message = pg::format("the posting of hold %lld is not active", static_cast<long long>(reservation.value))});
}

void end_as_posted(const Hold &hold, core::TransferId transfer) {
  const Datum values[] = {pg::datum(hold.reservation), pg::datum(pg::now()), pg::datum(transfer)};
  pg::Sql sql;
  sql.run(insert_posted, values);
}

void free_holds(std::span<const std::int64_t> reservations, EndedBy ended_by, core::Micros now) {
  const Datum values[] = {pg::int8_array(reservations), pg::datum(now), pg::datum(ended_by == EndedBy::its_job)};
  pg::Sql sql;
  sql.run(insert_freed, values);
}

void write_extension(const Hold &hold, core::Micros expires_at) {
  const Datum values[] = {pg::datum(hold.reservation), pg::datum(hold.extensions + 1), pg::datum(expires_at),
                          pg::datum(pg::now())};
  pg::Sql sql;
  sql.run(insert_extension, values);
}

}  // namespace awa::ledger
