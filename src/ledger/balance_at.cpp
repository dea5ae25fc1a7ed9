#include "ledger/balance_at.hpp"

#include "ledger/booking.hpp"
#include "ledger/refusals.hpp"
#include "ledger/tables.hpp"
#include "pg/datum.hpp"
#include "pg/index_reader.hpp"
#include "pg/snapshot.hpp"
#include "pg/spi.hpp"
#include "pg/table_locks.hpp"
#include "pg/transaction.hpp"
#include "pg/writers.hpp"

namespace awa::ledger {

namespace {

constexpr Oid kWalletAndTime[] = {INT8OID, INT8OID, INT4OID, TIMESTAMPTZOID};

constinit pg::Statement sum_at(R"sql(
  SELECT coalesce(sum(p.value), 0)::bigint
  FROM awa_ledger.postings p
       JOIN awa_ledger.transfers t USING (transfer_id)
       LEFT JOIN awa_ledger.spends s ON s.transfer_id = p.transfer_id AND s.idx = p.idx
       LEFT JOIN awa_ledger.transfers b ON b.transfer_id = s.spent_by
  WHERE p.account = $1 AND p.subaccount = $2 AND p.asset = $3
    AND t.committed_at <= $4 AND (b.transfer_id IS NULL OR b.committed_at > $4))sql",
                               kWalletAndTime, pg::Planning::once_by_index);

const char *shown(core::Micros at) {
  return pg::guarded([=] { return DatumGetCString(DirectFunctionCall1(timestamptz_out, TimestampTzGetDatum(at))); });
}

// As events() does.
[[noreturn]] void refuse_untold() {
  pg::raise({.sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
             .message = "the ledger was restored from another cluster, and has not been told",
             .hint = "CALL awa.after_restore() once."});
}

// Transfers of transactions that have not ended can be read, though not seen. A prepared one has made all of its.
core::Micros oldest_unended(core::Micros oldest, core::Memory &memory) {
  namespace column = transfers;
  struct Stamp {
    core::Xid xid;
    core::Micros at;
  };
  core::Vec<Stamp> stamps(memory);
  const pg::FreshSnapshot snapshot;
  const core::XidSnapshot xids = snapshot.over_xids(memory);
  const pg::OpenTable table(transfers::table(), AccessShareLock);
  ScanKeyData keys[] = {pg::key_equal(1, current_epoch()), pg::key_at_least(2, xids.xmin)};
  pg::walk_any(table, table.index(column::by_xid), snapshot.get(), keys, [&](const pg::Row &row) {
    stamps.push_back({row.xid8(column::xid), DatumGetTimestampTz(row.value(column::committed_at))});
    return pg::Walk::on;
  });
  const core::Xid own = pg::own_xid_if_any();
  const core::Xid next = pg::next_xid();
  for (const Stamp &stamp : stamps) {
    if (stamp.xid >= next) refuse_untold();
    if (stamp.xid == own || stamp.at > oldest || pg::fate_of(stamp.xid) != pg::XidFate::running) continue;
    oldest = stamp.at - 1;
  }
  return oldest;
}

// No writer but this one stamps a transfer, or has stamped one that cannot be seen yet, at that time or before.
core::Micros settled(core::Micros now, core::Memory &memory) {
  const core::Micros began = pg::writers_began(pg::our_relation("live_postings", "awa_ledger"), now);
  return oldest_unended(began, memory);
}

}  // namespace

std::int64_t balance_at(const core::Wallet &wallet, core::Micros at, core::Memory &memory) {
  const core::Micros until = settled(pg::now(), memory);
  if (at > until) {
    pg::raise({.sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
               .message = pg::format("what was at %s is not settled yet", shown(at)),
               .detail = pg::format("It is up to %s; a transaction that is older than that time may still be writing.",
                                    shown(until)),
               .hint = "Ask for a time before that, or again when it has ended."});
  }
  pg::Sql sql;
  const Datum values[] = {pg::datum(wallet.owner.account), pg::datum(wallet.owner.subaccount), pg::datum(wallet.asset),
                          pg::datum(at)};
  sql.run(sum_at, values);
  bool is_null = false;
  return DatumGetInt64(sql.value(0, 1, is_null));
}

}  // namespace awa::ledger
