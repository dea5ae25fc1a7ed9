#include "ledger/open_transfers.hpp"

#include "pg/as_owner.hpp"
#include "pg/commit_watch.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/memory.hpp"
#include "pg/pause_point.hpp"
#include "pg/planted_fault.hpp"
#include "pg/table_locks.hpp"
#include "pg/transaction.hpp"

namespace awa::ledger {

namespace {

constexpr Oid kTransfers[] = {INT8ARRAYOID};
constexpr Oid kTransfersAndSpends[] = {INT8ARRAYOID, INT8ARRAYOID, INT4ARRAYOID};
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

// Those that this transaction made: the spends of others are not in $2 and $3.
constinit pg::Statement unbalanced_transfers(R"sql(
  SELECT format('transfer %s is unbalanced', u.transfer_id),
         format('Of asset %s it creates %s and consumes %s.', u.asset, u.created, u.consumed)
  FROM (SELECT transfer_id, asset, coalesce(sum(created), 0) AS created, coalesce(sum(consumed), 0) AS consumed
        FROM (SELECT p.transfer_id, p.asset, p.value AS created, NULL::bigint AS consumed
              FROM unnest($1) w JOIN awa_ledger.postings p ON p.transfer_id = w
              UNION ALL
              SELECT s.spent_by, p.asset, NULL, p.value
              FROM (SELECT DISTINCT transfer_id, idx FROM unnest($2, $3) n(transfer_id, idx)) w
                   JOIN awa_ledger.spends s ON s.transfer_id = w.transfer_id AND s.idx = w.idx
                   JOIN awa_ledger.postings p ON p.transfer_id = s.transfer_id AND p.idx = s.idx
              WHERE s.spent_by = ANY ($1)) m
        GROUP BY transfer_id, asset
        HAVING coalesce(sum(created), 0) <> coalesce(sum(consumed), 0)) u
       JOIN awa_ledger.transfers t ON t.transfer_id = u.transfer_id
  WHERE t.xid = pg_catalog.pg_current_xact_id() AND t.epoch = (SELECT e.last_value FROM awa_ledger.epoch e)
  ORDER BY u.transfer_id, u.asset
  LIMIT 1)sql",
                                             kTransfersAndSpends, pg::Planning::once_by_index);

constinit pg::Statement spends_of(R"sql(
  SELECT s.transfer_id, s.idx FROM unnest($1) w JOIN awa_ledger.spends s ON s.spent_by = w)sql",
                                  kTransfers, pg::Planning::once_by_index);

// Of the current transaction; in its own memory, which goes with it.
template <typename Item>
struct Touched {
  Item *items = nullptr;
  std::size_t count = 0;
  std::size_t room = 0;

  std::span<Item> all() const noexcept { return {items, count}; }

  void add(std::span<const Item> more) {
    if (count + more.size() > room) {
      const std::size_t wanted = std::max<std::size_t>(64, 2 * (count + more.size()));
      items = pg::guarded([this, wanted] {
        const Size bytes = wanted * sizeof(Item);
        return static_cast<Item *>(items == nullptr
                                       ? MemoryContextAllocExtended(TopTransactionContext, bytes, MCXT_ALLOC_HUGE)
                                       : repalloc_huge(items, bytes));
      });
      room = wanted;
    }
    std::copy(more.begin(), more.end(), items + count);
    count += more.size();
  }
};
constinit Touched<std::int64_t> touched;  // distinct and rising
// The postings that those transfers spend; and others, which they did not, or have taken back.
constinit Touched<core::PostingId> spent;

bool is_touched(std::int64_t transfer) {
  const auto all = touched.all();
  return std::binary_search(all.begin(), all.end(), transfer);
}

// What was made in this transaction by other means has spent already.
void adopt(pg::Sql &sql, std::span<const std::int64_t> transfers) {
  if (transfers.empty()) return;
  AWA_PAUSE_POINT("primitives.before_adopt");
  const Datum values[] = {pg::int8_array(transfers)};
  const std::uint64_t count = sql.run(spends_of, values, {}, pg::Sight::of_transaction);
  for (std::uint64_t row = 0; row < count; ++row) {
    bool is_null = false;
    const core::PostingId id{{DatumGetInt64(sql.value(row, 1, is_null))}, DatumGetInt32(sql.value(row, 2, is_null))};
    remember_spends({&id, 1});
  }
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
  pg::ScratchContext scratch;
  // Whoever commits need not be able to read the tables.
  const pg::AsOwner owner;
  pg::Sql sql;
  core::Vec<std::int64_t> spent_transfers(scratch.memory());
  core::Vec<std::int32_t> spent_idxs(scratch.memory());
  for (const core::PostingId &id : spent.all()) {
    spent_transfers.push_back(id.transfer.value);
    spent_idxs.push_back(id.idx);
  }
  const Datum values[] = {pg::int8_array(touched.all()),
                          pg::int8_array({spent_transfers.data(), spent_transfers.size()}),
                          pg::int4_array({spent_idxs.data(), spent_idxs.size()})};
  if (sql.run(unbalanced_transfers, values) == 0) return;
  pg::raise({.sqlstate = ERRCODE_CHECK_VIOLATION,
             .message = text_of(sql, 1),
             .detail = text_of(sql, 2),
             .hint = "Consume and create in one transaction, as much of every asset."});
}

constinit pg::CommitWatcher watcher{.before_commit = refuse_unbalanced, .over = []() noexcept {
                                      touched = {};
                                      spent = {};
                                    }};

}  // namespace

core::Vec<std::int64_t> open_transfers(pg::Sql &sql, std::span<const std::int64_t> transfers, core::Memory &memory) {
  // The stamp is taken when the transaction has its id: who reads as of a time waits for nobody who began later.
  pg::own_xid();
  const Datum values[] = {pg::int8_array(transfers), pg::datum(pg::now())};
  core::Vec<std::int64_t> complete(memory);
  core::Vec<std::int64_t> strangers(memory);
  for (const std::int64_t transfer : transfers) {
    if (!is_touched(transfer)) strangers.push_back(transfer);
  }
  // Only when all is known of them: a call that fails before is taken back with all that it wrote.
  const auto touch = [&] {
    touched.add(strangers);
    std::inplace_merge(touched.all().begin(), touched.all().end() - static_cast<std::ptrdiff_t>(strangers.size()),
                       touched.all().end());
  };
  if (sql.run(insert_transfers, values, {}, pg::Sight::of_transaction) == transfers.size()) {
    touch();
    return complete;
  }
  const std::uint64_t count = sql.run(present_transfers, {values, 1}, {}, pg::Sight::of_transaction);
  core::Vec<std::int64_t> own(memory);
  for (std::uint64_t row = 0; row < count; ++row) {
    bool is_null = false;
    const bool stamped = DatumGetBool(sql.value(row, 2, is_null));
    const TransactionId maker = DatumGetTransactionId(sql.value(row, 3, is_null));
    const std::int64_t transfer = DatumGetInt64(sql.value(row, 1, is_null));
    if (!stamped || !pg::is_own(maker)) {
      complete.push_back(transfer);
    } else if (std::binary_search(strangers.begin(), strangers.end(), transfer)) {
      own.push_back(transfer);
    }
  }
  adopt(sql, own);
  touch();
  return complete;
}

void remember_spends(std::span<const core::PostingId> ids) { spent.add(ids); }

void refuse_complete(std::int64_t transfer) {
  pg::raise({.sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
             .message = pg::format("transfer %lld is complete", static_cast<long long>(transfer)),
             .detail = "It was made by an earlier transaction.",
             .hint = "Draw an id for another transfer with awa_ledger.new_ids()."});
}

void watch_open_transfers() noexcept { pg::watch_commits(watcher); }

}  // namespace awa::ledger
