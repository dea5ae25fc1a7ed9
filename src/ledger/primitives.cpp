#include "ledger/primitives.hpp"

#include "ledger/flips.hpp"
#include "ledger/gates.hpp"
#include "ledger/ids.hpp"
#include "ledger/live_postings.hpp"
#include "ledger/open_transfers.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/planted_fault.hpp"

namespace awa::ledger {

namespace {

using pg::Sight;

constexpr Oid kIdsAndReservation[] = {INT8ARRAYOID, INT4ARRAYOID, INT8OID};
constexpr Oid kSpend[] = {TIDARRAYOID, INT8ARRAYOID, INT4ARRAYOID, INT8OID, INT8OID};

// Locks those postings of $1, $2 that reservation $3 holds (null: that are active), in the order of their ids. What was
// waited for is looked at again.
constinit pg::Statement lock_postings(R"sql(
  SELECT array_agg(at), array_agg(transfer_id), array_agg(idx)
  FROM (SELECT l.ctid AS at, l.transfer_id, l.idx
        FROM unnest($1, $2) w(transfer_id, idx)
             JOIN awa_ledger.postings p USING (transfer_id, idx)
             JOIN awa_ledger.live_postings l USING (account, subaccount, asset, transfer_id, idx)
        WHERE l.reservation IS NOT DISTINCT FROM $3
        ORDER BY l.transfer_id, l.idx
        FOR UPDATE OF l) locked)sql",
                                      kIdsAndReservation, pg::Planning::once_by_index);

// The rows at $1 are locked, so they stay there. The log's number is drawn now: it is greater than that of whoever changed
// one of them before.
constinit pg::Statement spend_postings(R"sql(
  WITH gone AS (
    DELETE FROM awa_ledger.live_postings l USING unnest($1) k(at) WHERE l.ctid = k.at RETURNING l.transfer_id, l.idx
  ), logged AS (
    INSERT INTO awa_ledger.reservation_log (seq, reservation, op, items)
    SELECT pg_catalog.nextval('awa_ledger.log_seq'), $5, 'consume', array_agg(awa_ledger.id_of(i.transfer_id, i.idx))
    FROM unnest($2, $3) i(transfer_id, idx)
    WHERE $5 IS NOT NULL
    HAVING count(*) > 0
  )
  INSERT INTO awa_ledger.spends (transfer_id, idx, spent_by)
  SELECT g.transfer_id, g.idx, $4 FROM gone g)sql",
                                       kSpend, pg::Planning::once_by_index);

struct IdArrays {
  IdArrays(std::span<const core::PostingId> ids, core::Memory &memory) {
    core::Vec<std::int64_t> transfer_ids(memory);
    core::Vec<std::int32_t> places(memory);
    transfer_ids.reserve(ids.size());
    places.reserve(ids.size());
    for (const core::PostingId &id : ids) {
      transfer_ids.push_back(id.transfer.value);
      places.push_back(id.idx);
    }
    transfers = pg::int8_array(transfer_ids);
    idxs = pg::int4_array(places);
  }
  Datum transfers;
  Datum idxs;
};

// Rows of live_postings that are locked, and what they are, as arrays.
struct Locked {
  Datum at;
  Datum transfers;
  Datum idxs;
  bool none;
};

// `held_by` null: those that are active.
Locked lock(pg::Sql &sql, std::span<const core::PostingId> ids, const core::ReservationId *held_by,
            core::Memory &memory) {
  lock_live_postings();
  const IdArrays arrays(ids, memory);
  const Datum values[] = {arrays.transfers, arrays.idxs, held_by == nullptr ? Datum{0} : pg::datum(*held_by)};
  const bool nulls[] = {false, false, held_by == nullptr};
  sql.run(lock_postings, values, nulls, Sight::of_transaction);
  Locked locked{};
  Datum *const parts[] = {&locked.at, &locked.transfers, &locked.idxs};
  for (int column = 1; column <= 3; ++column) {
    const Datum value = sql.value(0, column, locked.none);
    if (locked.none) break;
    *parts[column - 1] = pg::guarded([=] { return pg::copied(value, false, -1); });
  }
  return locked;
}

// Shares the gates of the postings' owners, and returns these.
core::Vec<core::Owner> share_gates_of(std::span<const Placed> postings, core::Memory &memory) {
  core::Vec<core::Owner> owners(memory);
  owners.reserve(postings.size());
  for (const Placed &posting : postings) owners.push_back(posting.wallet.owner);
  std::sort(owners.begin(), owners.end());
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  share_gates(owners, memory);
  return owners;
}

std::int32_t spend(pg::Sql &sql, std::span<const core::PostingId> ids, const Locked &locked, core::TransferId spent_by,
                   const core::ReservationId *reservation, core::Memory &memory) {
  if (locked.none) return 0;
  if (!open_transfers(sql, {&spent_by.value, 1}, memory).empty()) refuse_complete(spent_by.value);
  remember_spends(ids);
  const Datum values[] = {locked.at, locked.transfers, locked.idxs, pg::datum(spent_by),
                          reservation == nullptr ? Datum{0} : pg::datum(*reservation)};
  const bool nulls[] = {false, false, false, false, reservation == nullptr};
  return static_cast<std::int32_t>(sql.run(spend_postings, values, nulls, Sight::of_transaction));
}

}  // namespace

std::int32_t reserve(std::span<const core::PostingId> ids, core::ReservationId reservation, core::Memory &memory) {
  pg::Sql sql;
  refuse_foreign_reservation(sql, reservation);
  const core::Vec<Placed> postings = placed(ids, memory);
  const core::Vec<core::Owner> owners = share_gates_of(postings, memory);
  const std::int32_t reserved = flip(postings, reservation, Flip::reserve, memory);
  if (reserved > 0) require_open(owners);
  return reserved;
}

std::int32_t release(std::span<const core::PostingId> ids, core::ReservationId reservation, core::Memory &memory) {
  pg::Sql sql;
  refuse_foreign_reservation(sql, reservation);
  if (AWA_PLANTED(lost_release)) return static_cast<std::int32_t>(ids.size());
  return flip(placed(ids, memory), reservation, Flip::release, memory);
}

std::int32_t consume(std::span<const core::PostingId> ids, core::ReservationId reservation, core::TransferId spent_by,
                     core::Memory &memory) {
  pg::Sql sql;
  refuse_foreign_reservation(sql, reservation);
  refuse_undrawn(sql, "spent_by", spent_by.value);
  const core::Vec<core::Owner> owners = share_gates_of(placed(ids, memory), memory);
  const Locked locked = lock(sql, ids, AWA_PLANTED(unguarded_consume) ? nullptr : &reservation, memory);
  if (!locked.none) require_open(owners);
  return spend(sql, ids, locked, spent_by, &reservation, memory);
}

std::int32_t deactivate(std::span<const core::PostingId> ids, core::TransferId spent_by, core::Memory &memory) {
  pg::Sql sql;
  refuse_undrawn(sql, "spent_by", spent_by.value);
  const core::Vec<core::Owner> owners = share_gates_of(placed(ids, memory), memory);
  const Locked locked = lock(sql, ids, nullptr, memory);
  if (!locked.none) require_open(owners);
  return spend(sql, ids, locked, spent_by, nullptr, memory);
}

}  // namespace awa::ledger
