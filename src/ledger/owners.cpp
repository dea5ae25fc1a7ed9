#include "ledger/owners.hpp"

#include "core/places.hpp"
#include "ledger/refusals.hpp"
#include "ledger/tables.hpp"
#include "pg/index_reader.hpp"
#include "pg/table_locks.hpp"

namespace awa::ledger {

namespace {

// Where this session found the head of an account. Another account may push it out; the head may have moved since.
struct KnownPlace {
  core::Owner owner;
  ItemPointerData place;  // zeroes: nowhere
};
constinit core::Places<KnownPlace, 12> known_places;

KnownPlace &known_place(const core::Owner &owner) noexcept {
  return known_places.of(core::mixed(owner.account, owner.subaccount));
}

}  // namespace

void lock_account_heads() { pg::lock_table(pg::our_relation("account_heads", "awa_ledger"), RowExclusiveLock); }

Heads::Heads(const pg::FreshSnapshot &snapshot)
    : table_(account_heads::table(), AccessShareLock), blocks_(table_.blocks()), snapshot_(snapshot) {}

Head Heads::of(const core::Owner &owner) const {
  namespace column = account_heads;
  Head head{};
  auto take = [&](const pg::Row &row) {
    head = {row.int4(column::version), DatumGetBool(row.value(column::frozen)), DatumGetBool(row.value(column::closed)),
            DatumGetBool(row.value(column::limited)), row.place()};
  };
  // An account has one head that a snapshot sees: if that is where it was, the index need not be asked.
  KnownPlace &known = known_place(owner);
  if (known.owner == owner) {
    pg::look_at(table_, known.place, blocks_, snapshot_.get(), [&](const pg::Row &row) {
      if (row.int8(column::account) == owner.account && row.int8(column::subaccount) == owner.subaccount) take(row);
    });
    if (head.version > 0) return head;
  }
  ScanKeyData keys[] = {pg::key_equal(1, owner.account), pg::key_equal(2, owner.subaccount)};
  pg::walk(table_, table_.index(column::by_owner), snapshot_.get(), keys, [&](const pg::Row &row) {
    take(row);
    return pg::Walk::stop;
  });
  if (head.version == 0) refuse_unknown_account(owner);
  known = {owner, head.place};
  return head;
}

Head Heads::open(const core::Owner &owner) const {
  const Head head = of(owner);
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
