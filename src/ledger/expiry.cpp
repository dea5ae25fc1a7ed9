#include "ledger/expiry.hpp"

#include "ledger/hold_keys.hpp"
#include "ledger/live_postings.hpp"
#include "ledger/tables.hpp"
#include "pg/index_reader.hpp"
#include "pg/table_locks.hpp"
#include "pg/transaction.hpp"

namespace awa::ledger {

namespace {

// Holds that are looked at, of which others may be at some, for each that may be ended.
constexpr std::size_t kLooksEach = 4;

constexpr core::Micros kEver = std::numeric_limits<core::Micros>::min();
constexpr core::Micros kLookAtAll = 60'000'000;

struct Due {
  core::ReservationId reservation;
  core::Micros at;
};

// Those that have been due since `from`, at most `most`, and all of them if they are fewer.
core::Vec<Due> find_due(core::Micros from, core::Micros now, std::size_t most, core::Memory &memory) {
  namespace column = open_holds;
  core::Vec<Due> found(memory);
  const pg::FreshSnapshot snapshot;
  const pg::OpenTable table(open_holds::table(), AccessShareLock);
  if (table.has_no_blocks()) return found;
  ScanKeyData keys[] = {pg::key_time_at_least(1, from), pg::key_time_at_most(1, now)};
  pg::walk_entries(
      table, table.index(column::by_expiry), snapshot.get(), keys, std::numeric_limits<std::size_t>::max(),
      ForwardScanDirection, [&](const pg::Row &row) {
        found.push_back({{row.int8(column::reservation)}, DatumGetTimestampTz(row.value(column::expires_at))});
        return found.size() < most ? pg::Walk::on : pg::Walk::stop;
      });
  return found;
}

struct Expired {
  std::int32_t holds = 0;
  core::Micros before = 0;  // all that were due before this are over
};

Expired expire(core::Micros from, std::int32_t max_rows, core::Memory &memory) {
  const std::size_t most = static_cast<std::size_t>(max_rows) * kLooksEach;
  const core::Micros now = pg::now();
  const core::Vec<Due> found = find_due(from, now, most, memory);
  Expired result{0, found.size() < most ? now : found.back().at};
  if (found.empty()) return result;
  const auto pass_by = [&](const Due &due) { result.before = std::min(result.before, due.at); };
  // Not while the hot tables are made again.
  const Oid live = pg::our_relation("live_postings", "awa_ledger");
  if (!pg::try_lock_all({&live, 1}, RowExclusiveLock)) {
    pass_by(found.front());
    return result;
  }
  core::Vec<std::int64_t> expired(memory);
  for (const Due &due : found) {
    if (expired.size() == static_cast<std::size_t>(max_rows)) {
      pass_by(due);
      break;
    }
    const auto seen = find_hold(due.reservation);
    if (!seen || seen->is_over()) continue;
    if (!try_hold(*seen, memory)) {
      pass_by(due);
      continue;
    }
    const auto hold = find_hold(due.reservation);
    if (!hold->is_over() && hold->is_due(pg::now())) expired.push_back(due.reservation.value);
    pg::check_for_interrupts();
  }
  if (!expired.empty()) free_holds(expired, EndedBy::itself, pg::now());
  result.holds = static_cast<std::int32_t>(expired.size());
  return result;
}

// Where the duty goes on, in this session. It is a hint: what it passes by is found within the minute.
struct Mark {
  core::Micros from = kEver;
  core::Micros all_at = 0;  // when it looks at all again
};
constinit Mark mark;

}  // namespace

std::int32_t expire_due(std::int32_t max_rows, core::Memory &memory) { return expire(kEver, max_rows, memory).holds; }

std::int32_t expire_newly_due(core::Memory &memory) {
  const core::Micros now = pg::now();
  const bool clock_was_set_back = now < mark.from || now + kLookAtAll < mark.all_at;
  if (now >= mark.all_at || clock_was_set_back) mark = {kEver, now + kLookAtAll};
  const Expired expired = expire(mark.from, kMostExpired, memory);
  mark.from = expired.before;
  return expired.holds;
}

}  // namespace awa::ledger
