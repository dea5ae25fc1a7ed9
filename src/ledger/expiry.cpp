#include "ledger/expiry.hpp"

#include "ledger/hold_keys.hpp"
#include "ledger/live_postings.hpp"
#include "ledger/tables.hpp"
#include "pg/index_reader.hpp"
#include "pg/table_locks.hpp"
#include "pg/transaction.hpp"

namespace awa::ledger {

namespace {

// Entries of the index that a call looks at, of holds that were ended or extended since included, for each that it may end.
constexpr std::size_t kLooksEach = 4;

core::Vec<core::ReservationId> due(std::int32_t max_rows, core::Memory &memory) {
  namespace column = open_holds;
  core::Vec<core::ReservationId> found(memory);
  const auto most = static_cast<std::size_t>(max_rows);
  const pg::FreshSnapshot snapshot;
  const pg::OpenTable table(open_holds::table(), AccessShareLock);
  if (table.has_no_blocks()) return found;
  ScanKeyData keys[] = {pg::key_time_at_most(1, pg::now())};
  pg::walk_entries(table, table.index(column::by_expiry), snapshot.get(), keys, std::numeric_limits<std::size_t>::max(),
                   ForwardScanDirection, [&](const pg::Row &row) {
                     found.push_back({row.int8(column::reservation)});
                     return found.size() < most * kLooksEach ? pg::Walk::on : pg::Walk::stop;
                   });
  return found;
}

}  // namespace

std::int32_t expire_due(std::int32_t max_rows, core::Memory &memory) {
  const core::Vec<core::ReservationId> found = due(max_rows, memory);
  if (found.empty()) return 0;
  // Not while the hot tables are made again.
  const Oid live = pg::our_relation("live_postings", "awa_ledger");
  if (!pg::try_lock_all({&live, 1}, RowExclusiveLock)) return 0;
  core::Vec<std::int64_t> expired(memory);
  for (const core::ReservationId reservation : found) {
    if (expired.size() == static_cast<std::size_t>(max_rows)) break;
    const auto seen = find_hold(reservation);
    if (!seen || seen->is_over() || !try_hold(*seen, memory)) continue;
    const auto hold = find_hold(reservation);
    if (!hold->is_over() && hold->is_due(pg::now())) expired.push_back(reservation.value);
    pg::check_for_interrupts();
  }
  if (!expired.empty()) free_holds(expired, EndedBy::itself, pg::now());
  return static_cast<std::int32_t>(expired.size());
}

}  // namespace awa::ledger
