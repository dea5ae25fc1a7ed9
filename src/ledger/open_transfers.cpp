#include "ledger/open_transfers.hpp"

#include "pg/as_owner.hpp"
#include "pg/commit_watch.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/planted_fault.hpp"
#include "pg/procedure.hpp"
#include "pg/table_locks.hpp"
#include "pg/transaction.hpp"

namespace awa::ledger {

namespace {

constexpr Oid kTransfers[] = {INT8ARRAYOID};
constexpr Oid kNewTransfers[] = {INT8ARRAYOID, TIMESTAMPTZOID};

constinit pg::Statement insert_transfers(R"sql(
  INSERT INTO awa_ledger.transfers (transfer_id, xid, committed_at, effective_at, epoch)
  SELECT t, pg_catalog.pg_current_xact_id(), $2, $2, e.last_value
  FROM unnest($1) t CROSS JOIN awa_ledger.epoch e
  ORDER BY t
  ON CONFLICT (transfer_id) DO NOTHING)sql",
                                         kNewTransfers, pg::Planning::once_by_index);

// Whether this transaction made them: by their stamp, and by their row. A stamp of another cluster may be this
// transaction's by chance, and so may the row's after billions of transactions; not both. (A sequence has no index: joined,
// it would make all plans equally bad, and the planner read the whole table.)
constinit pg::Statement present_transfers(R"sql(
  SELECT t.transfer_id,
         t.xid = pg_catalog.pg_current_xact_id() AND t.epoch = (SELECT e.last_value FROM awa_ledger.epoch e), t.xmin
  FROM unnest($1) w JOIN awa_ledger.transfers t ON t.transfer_id = w
  ORDER BY t.transfer_id)sql",
                                          kTransfers, pg::Planning::once_by_index);

constinit pg::Statement unbalanced_transfers(R"sql(
  SELECT format('transfer %s is unbalanced', transfer_id),
         format('Of asset %s it creates %s and consumes %s.', asset, coalesce(sum(created), 0), coalesce(sum(consumed), 0))
  FROM (SELECT p.transfer_id, p.asset, p.value AS created, NULL::bigint AS consumed
        FROM unnest($1) w JOIN awa_ledger.postings p ON p.transfer_id = w
        UNION ALL
        SELECT s.spent_by, p.asset, NULL, p.value
        FROM unnest($1) w JOIN awa_ledger.spends s ON s.spent_by = w
             JOIN awa_ledger.postings p ON p.transfer_id = s.transfer_id AND p.idx = s.idx) m
  GROUP BY transfer_id, asset
  HAVING coalesce(sum(created), 0) <> coalesce(sum(consumed), 0)
  ORDER BY transfer_id, asset
  LIMIT 1)sql",
                                             kTransfers, pg::Planning::once_by_index);

// Of the current transaction; in its own memory, which goes with it.
struct Touched {
  std::int64_t *transfers = nullptr;
  std::size_t count = 0;
  std::size_t room = 0;
};
constinit Touched touched;

void remember(std::span<const std::int64_t> transfers) {
  if (touched.count > 0 && transfers.size() == 1 && touched.transfers[touched.count - 1] == transfers[0]) return;
  if (touched.count + transfers.size() > touched.room) {
    const std::size_t room = std::max<std::size_t>(64, 2 * (touched.count + transfers.size()));
    touched.transfers = pg::guarded([=] {
      const Size bytes = room * sizeof(std::int64_t);
      return static_cast<std::int64_t *>(touched.transfers == nullptr
                                             ? MemoryContextAllocExtended(TopTransactionContext, bytes, MCXT_ALLOC_HUGE)
                                             : repalloc_huge(touched.transfers, bytes));
    });
    touched.room = room;
  }
  std::copy(transfers.begin(), transfers.end(), touched.transfers + touched.count);
  touched.count += transfers.size();
}

// The extension may have been dropped since.
bool ledger_is_there() {
  return pg::guarded([] {
    const Oid schema = get_namespace_oid("awa_ledger", true);
    return OidIsValid(schema) && OidIsValid(get_relname_relid("transfers", schema));
  });
}

const char *text_of(const pg::Sql &sql, int column) {
  bool is_null = false;
  const Datum value = sql.value(0, column, is_null);
  return pg::guarded([=] { return TextDatumGetCString(value); });
}

void refuse_unbalanced() {
  if (touched.count == 0 || AWA_PLANTED(unchecked_balance) || !ledger_is_there()) return;
  std::sort(touched.transfers, touched.transfers + touched.count);
  touched.count =
      static_cast<std::size_t>(std::unique(touched.transfers, touched.transfers + touched.count) - touched.transfers);
  // Whoever commits need not be able to read the tables.
  const pg::AsOwner owner;
  pg::Sql sql;
  const Datum values[] = {pg::int8_array({touched.transfers, touched.count})};
  if (sql.run(unbalanced_transfers, values) == 0) return;
  pg::raise({.sqlstate = ERRCODE_CHECK_VIOLATION,
             .message = text_of(sql, 1),
             .detail = text_of(sql, 2),
             .hint = "Consume and create in one transaction, as much of every asset."});
}

constinit pg::CommitWatcher watcher{.before_commit = refuse_unbalanced, .over = []() noexcept { touched = {}; }};

}  // namespace

core::Vec<std::int64_t> open_transfers(pg::Sql &sql, std::span<const std::int64_t> transfers, core::Memory &memory) {
  // The stamp is taken when the transaction has its id: who reads as of a time waits for nobody who began later.
  pg::own_xid();
  const Datum values[] = {pg::int8_array(transfers), pg::datum(pg::now())};
  remember(transfers);
  core::Vec<std::int64_t> complete(memory);
  if (sql.run(insert_transfers, values, {}, pg::Sight::of_transaction) == transfers.size()) return complete;
  const std::uint64_t count = sql.run(present_transfers, {values, 1}, {}, pg::Sight::of_transaction);
  for (std::uint64_t row = 0; row < count; ++row) {
    bool is_null = false;
    const bool stamped = DatumGetBool(sql.value(row, 2, is_null));
    const TransactionId maker = DatumGetTransactionId(sql.value(row, 3, is_null));
    if (!stamped || !pg::is_own(maker)) complete.push_back(DatumGetInt64(sql.value(row, 1, is_null)));
  }
  return complete;
}

void refuse_complete(std::int64_t transfer) {
  pg::raise({.sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
             .message = pg::format("transfer %lld is complete", static_cast<long long>(transfer)),
             .detail = "It was made by an earlier transaction.",
             .hint = "Draw an id for another transfer with awa_ledger.new_ids()."});
}

void watch_open_transfers() noexcept { pg::watch_commits(watcher); }

}  // namespace awa::ledger
