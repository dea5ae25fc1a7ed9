#include "ledger/live_postings.hpp"

#include "core/places.hpp"
#include "ledger/tables.hpp"
#include "pg/index_reader.hpp"
#include "pg/planted_fault.hpp"
#include "pg/table_locks.hpp"

namespace awa::ledger {

namespace {

namespace column = live_postings;

// Entries of the index, those of spent postings included, and postings that a bounded look shows.
constexpr std::size_t kOwnEntries = 16;
constexpr std::size_t kEntries = 256;
constexpr std::size_t kPostings = 64;
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

// A wallet's last change of this session. Another wallet may push it out; what it says may be long spent.
struct OwnChange {
  core::Wallet wallet;
  core::PostingId id;
};
constinit core::Places<OwnChange, 6> own_changes;

OwnChange &own_change(const core::Wallet &wallet) noexcept {
  return own_changes.of(core::mixed(wallet.owner.account, wallet.owner.subaccount, wallet.asset));
}

SeenPosting seen_posting(const pg::Row &row) {
  return {
      {{row.int8(column::transfer_id)}, row.int4(column::idx)}, row.int8(column::value), row.place(), row.contested()};
}

// Adds what can be spent, from the newest that is not after `first` on, until the walk was long enough.
void look(const pg::OpenTable &live, const core::Wallet &wallet, std::int64_t first, std::size_t most_entries,
          Snapshot snapshot, std::int64_t amount, core::Vec<SeenPosting> &seen) {
  ScanKeyData keys[] = {pg::key_equal(1, wallet.owner.account), pg::key_equal(2, wallet.owner.subaccount),
                        pg::key_equal(3, wallet.asset), pg::key_at_most(4, first)};
  core::Wide free = 0;
  pg::walk_entries(live, live.index(column::by_owner), snapshot, keys, most_entries, BackwardScanDirection,
                   [&](const pg::Row &row) {
                     if (!row.is_null(column::reservation) || row.int8(column::value) <= 0) return pg::Walk::on;
                     const SeenPosting posting = seen_posting(row);
                     seen.push_back(posting);
                     if (!posting.contested) free += posting.value;
                     if (seen.size() < kPostings) return pg::Walk::on;
                     return most_entries < kAll || free >= amount ? pg::Walk::stop : pg::Walk::on;
                   });
}

core::Vec<LivePosting> all_of(const pg::OpenTable &live, std::span<ScanKeyData> keys, const pg::FreshSnapshot &snapshot,
                              core::Memory &memory) {
  core::Vec<LivePosting> all(memory);
  auto add = [&](const pg::Row &row) {
    LivePosting posting{{{row.int8(column::transfer_id)}, row.int4(column::idx)},
                        {{row.int8(column::account), row.int8(column::subaccount)}, row.int4(column::asset)},
                        row.int8(column::value),
                        {},
                        row.place()};
    if (!row.is_null(column::reservation)) posting.reservation = core::ReservationId{row.int8(column::reservation)};
    all.push_back(posting);
    return pg::Walk::on;
  };
  pg::walk_entries(live, live.index(column::by_owner), snapshot.get(), keys, kAll, ForwardScanDirection, add);
  return all;
}

bool suffices(std::span<const SeenPosting> seen, std::int64_t amount) {
  return std::any_of(seen.begin(), seen.end(),
                     [=](const SeenPosting &posting) { return !posting.contested && posting.value >= amount; });
}

}  // namespace

void lock_live_postings() { pg::lock_table(pg::our_relation("live_postings", "awa_ledger"), RowExclusiveLock); }

pg::OpenTable open_live_postings() { return {live_postings::table(), RowExclusiveLock}; }

core::Vec<SeenPosting> spendable(const pg::OpenTable &live, const core::Wallet &wallet, std::int64_t amount,
                                 Depth depth, const pg::FreshSnapshot &snapshot, core::Memory &memory) {
  constexpr std::int64_t kNewest = std::numeric_limits<std::int64_t>::max();
  core::Vec<SeenPosting> seen(memory);
  if (depth == Depth::bounded) {
    const OwnChange &own = own_change(wallet);
    if (own.wallet == wallet && own.id.transfer.value > 0) {
      look(live, wallet, own.id.transfer.value, kOwnEntries, snapshot.get(), amount, seen);
      if (suffices(seen, amount)) return seen;
      seen.clear();
    }
  }
  look(live, wallet, kNewest, depth == Depth::bounded ? kEntries : kAll, snapshot.get(), amount, seen);
  return seen;
}

core::Vec<SeenPosting> oldest_active(const pg::OpenTable &live, const core::Wallet &wallet, core::TransferId &after,
                                     Signs signs, std::size_t most, std::size_t look_at, bool &to_the_end,
                                     const pg::FreshSnapshot &snapshot, core::Memory &memory) {
  ScanKeyData keys[] = {pg::key_equal(1, wallet.owner.account), pg::key_equal(2, wallet.owner.subaccount),
                        pg::key_equal(3, wallet.asset), pg::key_at_least(4, after.value + 1)};
  core::Vec<SeenPosting> seen(memory);
  std::size_t looked_at = 0;
  to_the_end = true;
  pg::walk_entries(live, live.index(column::by_owner), snapshot.get(), keys, kAll, ForwardScanDirection,
                   [&](const pg::Row &row) {
                     const std::int64_t value = row.int8(column::value);
                     const bool fits = signs == Signs::any ? value != 0 : value > 0;
                     if (fits && row.is_null(column::reservation) && !row.contested())
                       seen.push_back(seen_posting(row));
                     after.value = row.int8(column::transfer_id);
                     to_the_end = seen.size() < most && ++looked_at < look_at;
                     return to_the_end ? pg::Walk::on : pg::Walk::stop;
                   });
  return seen;
}

core::Vec<core::Candidate> candidates(std::span<const SeenPosting> seen, core::Memory &memory) {
  core::Vec<core::Candidate> candidates(memory);
  candidates.reserve(seen.size());
  for (const SeenPosting &posting : seen)
    candidates.push_back({posting.value, posting.contested && !AWA_PLANTED(one_posting)});
  return candidates;
}

core::Vec<LivePosting> all_live(const pg::OpenTable &live, const core::Owner &owner, const pg::FreshSnapshot &snapshot,
                                core::Memory &memory) {
  ScanKeyData keys[] = {pg::key_equal(1, owner.account), pg::key_equal(2, owner.subaccount)};
  return all_of(live, keys, snapshot, memory);
}

core::Vec<LivePosting> all_live(const pg::OpenTable &live, const core::Wallet &wallet,
                                const pg::FreshSnapshot &snapshot, core::Memory &memory) {
  ScanKeyData keys[] = {pg::key_equal(1, wallet.owner.account), pg::key_equal(2, wallet.owner.subaccount),
                        pg::key_equal(3, wallet.asset)};
  return all_of(live, keys, snapshot, memory);
}

core::Wide live_sum(const pg::OpenTable &live, const core::Wallet &wallet, const pg::FreshSnapshot &snapshot) {
  ScanKeyData keys[] = {pg::key_equal(1, wallet.owner.account), pg::key_equal(2, wallet.owner.subaccount),
                        pg::key_equal(3, wallet.asset)};
  core::Wide sum = 0;
  pg::walk_entries(live, live.index(column::by_owner), snapshot.get(), keys, kAll, ForwardScanDirection,
                   [&](const pg::Row &row) {
                     sum += row.int8(column::value);
                     return pg::Walk::on;
                   });
  return sum;
}

Liveness find(const pg::OpenTable &live, const core::Wallet &wallet, const core::PostingId &id,
              std::optional<core::ReservationId> holder, const pg::FreshSnapshot &snapshot, SeenPosting &seen) {
  ScanKeyData keys[] = {pg::key_equal(1, wallet.owner.account), pg::key_equal(2, wallet.owner.subaccount),
                        pg::key_equal(3, wallet.asset), pg::key_equal(4, id.transfer.value), pg::key_equal(5, id.idx)};
  Liveness found = Liveness::gone;
  pg::walk(live, live.index(column::by_owner), snapshot.get(), keys, [&](const pg::Row &row) {
    const bool is_its =
        row.is_null(column::reservation) ? !holder : holder && row.int8(column::reservation) == holder->value;
    found = is_its ? Liveness::spendable : Liveness::reserved;
    seen = seen_posting(row);
    return pg::Walk::stop;
  });
  return found;
}

void remember_change(const core::Wallet &wallet, const core::PostingId &id) noexcept {
  own_change(wallet) = {wallet, id};
}

}  // namespace awa::ledger
