#include "ledger/crowded.hpp"

#include <algorithm>

#include "core/places.hpp"
#include "ledger/tables.hpp"
#include "pg/index_reader.hpp"
#include "pg/sequence.hpp"
#include "pg/transaction.hpp"

namespace awa::ledger {

namespace {

constexpr std::size_t kNewest = 256;       // postings of all that are looked at
constexpr std::size_t kSeveral = 4;        // of them
constexpr std::size_t kStretch = 10'000;   // entries that a stretch ends after, at the end of a wallet
constexpr std::size_t kOfWallet = 256;     // entries of a wallet that are looked at on the way
constexpr std::size_t kOfCrowded = 1'024;  // of one that is looked at more closely
constexpr core::Micros kRemembered = 600'000'000;
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

constinit pg::CachedSequence id_seq("id_seq", "awa_ledger");

struct Merged {
  core::Wallet wallet;
  core::TransferId before_last;
  core::TransferId last;
  core::Micros since;
};
constinit core::Places<Merged, 6> merged;

// Another wallet may push it out.
Merged &merged_of(const core::Wallet &wallet) noexcept {
  return merged.of(core::mixed(wallet.owner.account, wallet.owner.subaccount, wallet.asset));
}

template <AttrNumber Account, AttrNumber Subaccount, AttrNumber Asset>
core::Wallet wallet_of(const pg::Row &row) {
  return {{row.int8(Account), row.int8(Subaccount)}, row.int4(Asset)};
}

// The newest are looked at: the oldest of a hot wallet are spent, and walking by them may take long.
bool is_crowded(const pg::OpenTable &live, const core::Wallet &wallet, const pg::FreshSnapshot &snapshot) {
  ScanKeyData keys[] = {pg::key_equal(1, wallet.owner.account), pg::key_equal(2, wallet.owner.subaccount),
                        pg::key_equal(3, wallet.asset)};
  std::int32_t count = 0;
  pg::walk_entries(live, live.index(live_postings::by_owner), snapshot.get(), keys, kOfCrowded, BackwardScanDirection,
                   [&](const pg::Row &) { return ++count > kCrowd ? pg::Walk::stop : pg::Walk::on; });
  return count > kCrowd;
}

pg::OpenTable open_to_look() { return {live_postings::table(), AccessShareLock}; }

}  // namespace

core::TransferId last_drawn() { return {pg::last_value(id_seq.oid())}; }

core::Vec<core::Wallet> busy_and_crowded(const pg::FreshSnapshot &snapshot, core::Memory &memory) {
  core::Vec<core::Wallet> newest(memory);
  newest.reserve(kNewest);
  const pg::OpenTable truth(postings::table(), AccessShareLock);
  auto note = [&](const pg::Row &row) {
    newest.push_back(wallet_of<postings::account, postings::subaccount, postings::asset>(row));
    return newest.size() < kNewest ? pg::Walk::on : pg::Walk::stop;
  };
  pg::walk(truth, truth.index(postings::by_id), snapshot.get(), {}, note, BackwardScanDirection);
  std::sort(newest.begin(), newest.end());
  const pg::OpenTable live = open_to_look();
  core::Vec<core::Wallet> found(memory);
  for (auto first = newest.begin(); first != newest.end();) {
    const auto end = std::upper_bound(first, newest.end(), *first);
    if (static_cast<std::size_t>(end - first) >= kSeveral && is_crowded(live, *first, snapshot))
      found.push_back(*first);
    first = end;
  }
  return found;
}

Stretch look_further(const std::optional<core::Wallet> &after, const pg::FreshSnapshot &snapshot,
                     core::Memory &memory) {
  namespace column = live_postings;
  const pg::OpenTable live = open_to_look();
  using Type = pg::KeyAfter::Type;
  pg::KeyAfter position({{1, Type::int8}, {2, Type::int8}, {3, Type::int4}, {4, Type::int8}});
  const auto beyond = [&](const core::Wallet &wallet, std::int64_t transfer) {
    return position.after({Int64GetDatum(wallet.owner.account), Int64GetDatum(wallet.owner.subaccount),
                           Int32GetDatum(wallet.asset), Int64GetDatum(transfer)});
  };
  constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
  ScanKeyData keys[] = {after ? beyond(*after, kLast) : beyond({{kFirst, kFirst}, 0}, kFirst)};
  Stretch stretch{core::Vec<core::Wallet>(memory), {}};
  core::Vec<core::Wallet> doubtful(memory);
  std::optional<core::Wallet> current;
  std::size_t entries = 0;
  std::size_t own = 0;
  std::int32_t live_ones = 0;
  // Rows that nobody sees any more are shown as well: that they are many must not keep us.
  pg::walk_any(live, live.index(column::by_owner), snapshot.get(), keys, [&](const pg::Row &row) {
    ++entries;
    const auto wallet = wallet_of<column::account, column::subaccount, column::asset>(row);
    if (current != wallet) {
      if (entries > kStretch) {
        stretch.last = current;
        return pg::Walk::stop;
      }
      current = wallet;
      own = 0;
      live_ones = 0;
      if (const std::int64_t done = merged_up_to(wallet).value; done > row.int8(column::transfer_id)) {
        keys[0] = beyond(wallet, done);
        return pg::Walk::rescan;
      }
    }
    if (row.visible()) ++live_ones;
    if (live_ones <= kCrowd && ++own < kOfWallet) return pg::Walk::on;
    (live_ones > kCrowd ? stretch.crowded : doubtful).push_back(wallet);
    keys[0] = beyond(wallet, kLast);
    return pg::Walk::rescan;
  });
  for (const core::Wallet &wallet : doubtful) {
    if (is_crowded(live, wallet, snapshot)) stretch.crowded.push_back(wallet);
  }
  return stretch;
}

core::TransferId merged_up_to(const core::Wallet &wallet) {
  const Merged &known = merged_of(wallet);
  return known.wallet == wallet && pg::now() - known.since < kRemembered ? known.before_last : core::TransferId{0};
}

void remember_merged(const core::Wallet &wallet, core::TransferId up_to) {
  Merged &known = merged_of(wallet);
  const core::Micros now = pg::now();
  if (known.wallet != wallet || now - known.since >= kRemembered) known = {wallet, {0}, {0}, now};
  known.before_last = known.last;
  known.last = up_to;
}

void forget_merged(const core::Wallet &wallet) {
  if (merged_of(wallet).wallet == wallet) merged_of(wallet) = {};
}

}  // namespace awa::ledger
