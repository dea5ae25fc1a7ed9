#include "ledger/consolidate.hpp"

#include "ledger/booking.hpp"
#include "ledger/crowded.hpp"
#include "ledger/gates.hpp"
#include "ledger/live_postings.hpp"
#include "ledger/owners.hpp"
#include "pg/datum.hpp"
#include "pg/row_writer.hpp"
#include "pg/spi.hpp"

namespace awa::ledger {

namespace {

constexpr Oid kCrowdAndLimit[] = {INT4OID, INT4OID};

// By the index alone.
constinit pg::Statement crowded(R"sql(
  SELECT account, subaccount, asset FROM awa_ledger.live_postings
  GROUP BY account, subaccount, asset HAVING count(*) > $1 ORDER BY count(*) DESC LIMIT $2)sql",
                                kCrowdAndLimit);

constexpr Oid kOwner[] = {INT8OID, INT8OID};

constinit pg::Statement newest_flags(R"sql(
  SELECT 'keep_postings' = ANY (flags) FROM awa_ledger.accounts
  WHERE account = $1 AND subaccount = $2 ORDER BY version DESC LIMIT 1)sql",
                                     kOwner);

// Whether the account's postings are to stay as they are, for those who name them by their ids.
bool keeps_postings(const core::Owner &owner) {
  const Datum values[] = {pg::datum(owner.account), pg::datum(owner.subaccount)};
  pg::Sql sql;
  bool is_null = false;
  return sql.run(newest_flags, values) > 0 && DatumGetBool(sql.value(0, 1, is_null));
}

bool may_be_merged(const core::Wallet &wallet, Patience patience, const pg::FreshSnapshot &snapshot, Limits &limits) {
  const Head head = patience == Patience::waits ? Heads(snapshot).open(wallet.owner) : Heads(snapshot).of(wallet.owner);
  limits = head.limited ? limits_of(wallet, snapshot) : Limits{};
  return !head.frozen && !head.closed;
}

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

// How many it spent; `after` is how far it looked, `to_the_end` whether that is all there is.
std::int32_t merge(const core::Wallet &wallet, core::TransferId &after, std::int32_t max_rows, std::size_t look_at,
                   Patience patience, bool &to_the_end, core::Memory &memory) {
  const pg::OpenTable live = open_live_postings();
  Gates gates(memory);
  gates.want(wallet.owner, pg::LockStrength::row_exclusive);
  if (patience == Patience::waits) {
    gates.take();
  } else if (!gates.try_take()) {
    return 0;
  }
  const pg::FreshSnapshot snapshot;
  Limits limits;
  if (!may_be_merged(wallet, patience, snapshot, limits)) return 0;
  if (patience == Patience::tries && keeps_postings(wallet.owner)) {
    after = last_drawn();  // there is no need to look at them again
    return 0;
  }
  const auto signs = limits.floor ? Signs::positive : Signs::any;
  const auto seen = oldest_active(live, wallet, after, signs, static_cast<std::size_t>(max_rows), look_at, to_the_end,
                                  snapshot, memory);
  core::Wide sum = 0;
  core::Vec<SeenPosting> fitting(memory);
  for (const SeenPosting &posting : seen) {
    if (!core::is_value(sum + posting.value)) continue;
    sum += posting.value;
    fitting.push_back(posting);
  }
  if (fitting.size() < 2) return 0;
  sum = 0;
  core::Vec<Spent> spent(memory);
  for (const SeenPosting &posting : fitting) {
    if (!core::is_value(sum + posting.value) || !pg::try_erase(live, posting.place)) continue;
    sum += posting.value;
    spent.push_back({posting.id, wallet, posting.value});
  }
  if (spent.empty()) return 0;
  const Created merged{0, wallet, static_cast<std::int64_t>(sum)};
  write_transfer(draw_transfer(), {}, spent, {&merged, sum == 0 ? std::size_t{0} : std::size_t{1}}, live, memory);
  return static_cast<std::int32_t>(spent.size());
}

}  // namespace

std::int32_t consolidate(const core::Wallet &wallet, std::int32_t max_rows, Patience patience, core::Memory &memory) {
  core::TransferId after{0};
  bool to_the_end = false;
  return merge(wallet, after, max_rows, kAll, patience, to_the_end, memory);
}

std::int32_t consolidate_further(const core::Wallet &wallet, std::int32_t max_rows, core::Memory &memory) {
  // Of what cannot be spent there may be more than anybody wants to look at each time.
  constexpr std::size_t kLookAt = 10'000;
  core::TransferId after = merged_up_to(wallet);
  const bool began_there = after.value > 0;
  bool to_the_end = false;
  const std::int32_t spent = merge(wallet, after, max_rows, kLookAt, Patience::tries, to_the_end, memory);
  if (began_there && to_the_end && spent < kCrowd / 2) {
    forget_merged(wallet);  // what makes the crowd was left behind
  } else if (after.value > 0) {
    remember_merged(wallet, after);
  }
  return spent;
}

std::int32_t consolidate_crowded(std::int32_t crowd, std::int32_t max_wallets, std::int32_t max_rows,
                                 core::Memory &memory) {
  core::Vec<core::Wallet> wallets(memory);
  {
    pg::Sql sql;
    const Datum values[] = {pg::datum(crowd), pg::datum(max_wallets)};
    const std::uint64_t count = sql.run(crowded, values);
    for (std::uint64_t row = 0; row < count; ++row) {
      bool is_null = false;
      wallets.push_back({{DatumGetInt64(sql.value(row, 1, is_null)), DatumGetInt64(sql.value(row, 2, is_null))},
                         DatumGetInt32(sql.value(row, 3, is_null))});
    }
  }
  std::int32_t spent = 0;
  for (const core::Wallet &wallet : wallets) spent += consolidate(wallet, max_rows, Patience::tries, memory);
  return spent;
}

}  // namespace awa::ledger
