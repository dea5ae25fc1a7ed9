#include "ledger/reverse.hpp"

#include "ledger/refusals.hpp"
#include "ledger/tables.hpp"
#include "ledger/transfer_attempt.hpp"
#include "pg/datum.hpp"
#include "pg/index_reader.hpp"
#include "pg/keys.hpp"
#include "pg/settings.hpp"
#include "pg/spi.hpp"

namespace awa::ledger {

namespace {

constexpr Oid kTransfer[] = {INT8OID};

constinit pg::Statement moved_by(R"sql(
  SELECT account, subaccount, asset, value FROM awa_ledger.postings WHERE transfer_id = $1
  UNION ALL
  SELECT p.account, p.subaccount, p.asset, -p.value
  FROM awa_ledger.spends s JOIN awa_ledger.postings p ON p.transfer_id = s.transfer_id AND p.idx = s.idx
  WHERE s.spent_by = $1)sql",
                                 kTransfer, pg::Planning::once_by_index);

// Who reverses it, if anybody does. Errors: 42704.
std::optional<core::TransferId> reversed_by(core::TransferId original) {
  namespace column = transfers;
  const pg::FreshSnapshot snapshot;
  const pg::OpenTable table(transfers::table(), AccessShareLock);
  ScanKeyData keys[] = {pg::key_equal(1, original.value)};
  bool found = false;
  pg::walk(table, table.index(column::by_id), snapshot.get(), keys, [&](const pg::Row &) {
    found = true;
    return pg::Walk::stop;
  });
  if (!found) {
    pg::raise({.sqlstate = ERRCODE_UNDEFINED_OBJECT,
               .message = pg::format("transfer %lld does not exist", static_cast<long long>(original.value)),
               .hint = "See awa_ledger.transfers."});
  }
  std::optional<core::TransferId> reversal;
  pg::walk(table, table.index(column::by_reversed), snapshot.get(), keys, [&](const pg::Row &row) {
    reversal = core::TransferId{row.int8(column::transfer_id)};
    return pg::Walk::stop;
  });
  return reversal;
}

}  // namespace

void reverse(core::TransferId original, core::TransferId id, const std::optional<Request> &request,
             core::Memory &memory) {
  const auto patience = static_cast<int>(pg::key_wait() / 1000);
  if (!pg::lock_within({pg::KeyClass::reversal, original.value}, pg::LockStrength::exclusive, patience)) {
    refuse_contended(pg::format("transfer %lld", static_cast<long long>(original.value)));
  }
  if (const auto reversal = reversed_by(original)) {
    pg::raise({.sqlstate = ERRCODE_UNIQUE_VIOLATION,
               .message = pg::format("transfer %lld was reversed already", static_cast<long long>(original.value)),
               .detail = pg::format("Transfer %lld reverses it.", static_cast<long long>(reversal->value)),
               .hint = "Reverse that one to undo it."});
  }
  Order order(memory);
  order.about.reverses = original;
  order.about.request = request;
  Plan plan(memory);
  {
    pg::Sql sql;
    const Datum values[] = {pg::datum(original)};
    const std::uint64_t count = sql.run(moved_by, values);
    for (std::uint64_t row = 0; row < count; ++row) {
      bool is_null = false;
      const auto int8 = [&](int column) { return DatumGetInt64(sql.value(row, column, is_null)); };
      const core::Wallet wallet{{int8(1), int8(2)}, DatumGetInt32(sql.value(row, 3, is_null))};
      plan.changes.push_back({wallet, -core::Wide{int8(4)}});
    }
  }
  core::merge_changes(plan.changes);
  carry_out(order, plan, id, memory);
}

}  // namespace awa::ledger
