#include "ledger/owners.hpp"

#include "ledger/refusals.hpp"
#include "ledger/tables.hpp"
#include "pg/index_reader.hpp"
#include "pg/table_locks.hpp"

namespace awa::ledger {

void lock_account_heads() { pg::lock_table(pg::our_relation("account_heads", "awa_ledger"), RowExclusiveLock); }

Head head_of(const core::Owner &owner, const pg::FreshSnapshot &snapshot) {
  namespace column = account_heads;
  const pg::OpenTable table(account_heads::table(), AccessShareLock);
  ScanKeyData keys[] = {pg::key_equal(1, owner.account), pg::key_equal(2, owner.subaccount)};
  Head head{};
  pg::walk(table, table.index(column::by_owner), snapshot.get(), keys, [&](const pg::Row &row) {
    head = {row.int4(column::version), DatumGetBool(row.value(column::frozen)), DatumGetBool(row.value(column::closed)),
            DatumGetBool(row.value(column::limited)), row.place()};
    return pg::Walk::stop;
  });
  if (head.version == 0) refuse_unknown_account(owner);
  return head;
}

Head open_head_of(const core::Owner &owner, const pg::FreshSnapshot &snapshot) {
  const Head head = head_of(owner, snapshot);
  if (head.closed) {
    pg::raise({.sqlstate = kClosed,
               .message = pg::format("account %s is closed", shown(owner)),
               .hint = "It cannot be opened again; use another account."});
  }
  if (head.frozen) {
    pg::raise({.sqlstate = kFrozen,
               .message = pg::format("account %s is frozen", shown(owner)),
               .hint = "See awa_ledger.unfreeze_account()."});
  }
  return head;
}

Limits limits_of(const core::Wallet &wallet, const pg::FreshSnapshot &snapshot) {
  namespace column = limits;
  const pg::OpenTable table(limits::table(), AccessShareLock);
  ScanKeyData keys[] = {pg::key_equal(1, wallet.owner.account), pg::key_equal(2, wallet.owner.subaccount),
                        pg::key_equal(3, wallet.asset)};
  Limits found;
  auto take_newest = [&](const pg::Row &row) {
    found.version = row.int4(column::version);
    found.floor.reset();
    if (!row.is_null(column::floor)) found.floor = row.int8(column::floor);
    if (!row.is_null(column::ceiling)) found.ceiling = row.int8(column::ceiling);
    return pg::Walk::stop;
  };
  pg::walk(table, table.index(column::by_owner), snapshot.get(), keys, take_newest, BackwardScanDirection);
  return found;
}

void require_asset(std::int32_t asset, const pg::FreshSnapshot &snapshot) {
  const pg::OpenTable table(assets::table(), AccessShareLock);
  ScanKeyData keys[] = {pg::key_equal(1, asset)};
  bool found = false;
  pg::walk(table, table.index(assets::by_number), snapshot.get(), keys, [&](const pg::Row &) {
    found = true;
    return pg::Walk::stop;
  });
  if (!found) refuse_unknown_asset(asset);
}

}  // namespace awa::ledger
