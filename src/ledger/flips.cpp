#include "ledger/flips.hpp"

#include "ledger/live_postings.hpp"
#include "ledger/tables.hpp"
#include "pg/datum.hpp"
#include "pg/index_reader.hpp"
#include "pg/row_writer.hpp"
#include "pg/spi.hpp"

namespace awa::ledger {

namespace {

constexpr Oid kFlipped[] = {INT8ARRAYOID, INT4ARRAYOID, INT8OID, BOOLOID};

// The postings are locked by now. So the log's number is greater than that of whoever changed one of them before.
constinit pg::Statement log_flip(R"sql(
  INSERT INTO awa_ledger.reservation_log (seq, reservation, op, items)
  SELECT pg_catalog.nextval('awa_ledger.log_seq'), $3, CASE WHEN $4 THEN 'reserve' ELSE 'release' END,
         array_agg(awa_ledger.id_of(i.transfer_id, i.idx))
  FROM unnest($1, $2) i(transfer_id, idx))sql",
                                 kFlipped, pg::Planning::once_by_index);

// A live posting that the call wants to change.
struct Wanted {
  Placed posting;
  std::int64_t value;
  ItemPointerData row;
};

class Flipping {
 public:
  Flipping(const pg::OpenTable &live, core::ReservationId reservation, Flip flip, core::Memory &memory)
      : live_(live), reservation_(reservation), flip_(flip), memory_(memory) {}

  // Those that the guard lets through.
  core::Vec<Wanted> look(std::span<const Placed> postings, const pg::FreshSnapshot &snapshot) const {
    namespace column = live_postings;
    core::Vec<Wanted> wanted(memory_);
    wanted.reserve(postings.size());
    ScanKeyData keys[] = {pg::key_equal(1, std::int64_t{0}), pg::key_equal(2, std::int64_t{0}), pg::key_equal(3, 0),
                          pg::key_equal(4, std::int64_t{0}), pg::key_equal(5, 0)};
    pg::walk_each(
        live_, live_.index(column::by_owner), snapshot.get(), keys, postings.size(),
        [&](std::size_t i) {
          const Placed &posting = postings[i];
          keys[0].sk_argument = pg::datum(posting.wallet.owner.account);
          keys[1].sk_argument = pg::datum(posting.wallet.owner.subaccount);
          keys[2].sk_argument = pg::datum(posting.wallet.asset);
          keys[3].sk_argument = pg::datum(posting.id.transfer);
          keys[4].sk_argument = pg::datum(posting.id.idx);
        },
        [&](std::size_t i, const pg::Row &row) {
          if (passes(row)) wanted.push_back({postings[i], row.int8(column::value), row.place()});
          return pg::Walk::stop;
        });
    return wanted;
  }

  // Waits for others; false when they were faster.
  bool change(Wanted wanted) const {
    for (;;) {
      const pg::Replaced result = pg::replace_waiting(live_, wanted.row, [&](pg::NewRow row) {
        namespace column = live_postings;
        const Placed &posting = wanted.posting;
        row.set(column::transfer_id, pg::datum(posting.id.transfer));
        row.set(column::idx, pg::datum(posting.id.idx));
        row.set(column::asset, pg::datum(posting.wallet.asset));
        row.set(column::account, pg::datum(posting.wallet.owner.account));
        row.set(column::subaccount, pg::datum(posting.wallet.owner.subaccount));
        row.set(column::value, pg::datum(wanted.value));
        if (flip_ == Flip::reserve) row.set(column::reservation, pg::datum(reservation_));
      });
      if (result != pg::Replaced::changed) return result == pg::Replaced::done;
      const pg::FreshSnapshot snapshot(pg::Sight::of_transaction);
      const core::Vec<Wanted> now = look({&wanted.posting, 1}, snapshot);
      if (now.empty()) return false;
      wanted = now.front();
    }
  }

 private:
  bool passes(const pg::Row &row) const {
    namespace column = live_postings;
    if (flip_ == Flip::reserve) return row.is_null(column::reservation);
    return !row.is_null(column::reservation) && row.int8(column::reservation) == reservation_.value;
  }

  const pg::OpenTable &live_;
  core::ReservationId reservation_;
  Flip flip_;
  core::Memory &memory_;
};

}  // namespace

core::Vec<Placed> placed(std::span<const core::PostingId> ids, core::Memory &memory) {
  namespace column = postings;
  core::Vec<Placed> found(memory);
  found.reserve(ids.size());
  const pg::FreshSnapshot snapshot;
  const pg::OpenTable table(postings::table(), AccessShareLock);
  ScanKeyData keys[] = {pg::key_equal(1, std::int64_t{0}), pg::key_equal(2, 0)};
  pg::walk_each(
      table, table.index(column::by_id), snapshot.get(), keys, ids.size(),
      [&](std::size_t i) {
        keys[0].sk_argument = pg::datum(ids[i].transfer);
        keys[1].sk_argument = pg::datum(ids[i].idx);
      },
      [&](std::size_t i, const pg::Row &row) {
        found.push_back({ids[i], {{row.int8(column::account), row.int8(column::subaccount)}, row.int4(column::asset)}});
        return pg::Walk::stop;
      });
  return found;
}

std::int32_t flip(std::span<const Placed> postings, core::ReservationId reservation, Flip flip, core::Memory &memory) {
  const pg::OpenTable live = open_live_postings();
  const Flipping flipping(live, reservation, flip, memory);
  core::Vec<std::int64_t> transfers(memory);
  core::Vec<std::int32_t> idxs(memory);
  // Held until all are changed: rows that it sees stay where they are, others too that were there since.
  const pg::FreshSnapshot snapshot(pg::Sight::of_transaction);
  for (const Wanted &wanted : flipping.look(postings, snapshot)) {
    if (!flipping.change(wanted)) continue;
    transfers.push_back(wanted.posting.id.transfer.value);
    idxs.push_back(wanted.posting.id.idx);
  }
  if (transfers.empty()) return 0;
  const Datum values[] = {pg::int8_array(transfers), pg::int4_array(idxs), pg::datum(reservation),
                          pg::datum(flip == Flip::reserve)};
  pg::Sql sql;
  sql.run(log_flip, values);
  return static_cast<std::int32_t>(transfers.size());
}

}  // namespace awa::ledger
