#include "ledger/limits.hpp"

#include "core/floor.hpp"
#include "ledger/booking.hpp"
#include "ledger/gates.hpp"
#include "ledger/live_postings.hpp"
#include "ledger/owners.hpp"
#include "ledger/refusals.hpp"
#include "ledger/system_holds.hpp"
#include "pg/datum.hpp"
#include "pg/row_writer.hpp"
#include "pg/spi.hpp"

namespace awa::ledger {

namespace {

constexpr Oid kNewLimits[] = {INT8OID, INT8OID, INT4OID, INT4OID, INT8OID, INT8OID};
constexpr Oid kOwner[] = {INT8OID, INT8OID};

constinit pg::Statement append_limits(R"sql(
  INSERT INTO awa_ledger.limits (account, subaccount, asset, version, floor, ceiling)
  VALUES ($1, $2, $3, $4, $5, $6))sql",
                                      kNewLimits);
constinit pg::Statement mark_limited(
    "UPDATE awa_ledger.account_heads SET limited = true WHERE account = $1 AND subaccount = $2 AND NOT limited", kOwner,
    pg::Planning::once_by_index);

void write_limits(const core::Wallet &wallet, std::int32_t version, std::optional<std::int64_t> floor,
                  std::optional<std::int64_t> ceiling) {
  const Datum values[] = {pg::datum(wallet.owner.account), pg::datum(wallet.owner.subaccount),
                          pg::datum(wallet.asset),         pg::datum(version),
                          pg::datum(floor.value_or(0)),    pg::datum(ceiling.value_or(0))};
  const bool nulls[] = {false, false, false, false, !floor, !ceiling};
  pg::Sql sql;
  sql.run(append_limits, values, nulls);
  sql.run(mark_limited, {values, 2});
}

[[noreturn]] void refuse_beyond(const core::Wallet &wallet, const char *what, const char *detail) {
  pg::raise(
      {.sqlstate = kLimit,
       .message = pg::format("account %s is not within that %s in asset %d", shown(wallet.owner), what, wallet.asset),
       .detail = detail,
       .hint = "Transfer what it takes first."});
}

// What of the account's postings is moved for a floor.
class FloorChange {
 public:
  FloorChange(const core::Wallet &wallet, const pg::OpenTable &live, core::Memory &memory)
      : wallet_(wallet), live_(live), memory_(memory) {}

  void make(std::int64_t floor) {
    core::Wide below = 0;
    for (const LivePosting &posting : all()) {
      if (posting.value < 0) below -= posting.value;
    }
    const core::FloorPlan plan = core::plan_floor(below, floor);
    if (!core::is_value(plan.add)) refuse_no_value(wallet_, plan.add);
    if (plan.renew) spend_below();
    if (plan.needs() > 0) pay(plan, floor);
    if (plan.add > 0) create(static_cast<std::int64_t>(plan.add));
    if (plan.add > 0) create(-static_cast<std::int64_t>(plan.add));
    if (plan.below > 0) create(-plan.below);
    const core::TransferId id = write();
    if (plan.keep > 0) keep_back(wallet_, {id, kKept}, plan.keep);
  }

 private:
  static constexpr std::int32_t kKept = 0;  // the place of what is kept back: it is created first

  core::Vec<LivePosting> all() const {
    const pg::FreshSnapshot snapshot;
    return all_live(live_, wallet_, snapshot, memory_);
  }

  void spend(const LivePosting &posting) {
    pg::erase(live_, posting.place);
    spent_.push_back({posting.id, wallet_, posting.value});
  }

  void create(std::int64_t value) { created_.push_back({static_cast<std::int32_t>(created_.size()), wallet_, value}); }

  void spend_below() {
    for (const LivePosting &posting : all()) {
      if (posting.value >= 0) continue;
      if (posting.reservation) {
        pg::raise({.sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
                   .message = pg::format("account %s has a reserved posting below 0", shown(wallet_.owner)),
                   .hint = "Release it first; awa_ledger.postings_of() shows what there is."});
      }
      spend(posting);
    }
  }

  void pay(const core::FloorPlan &plan, std::int64_t floor) {
    core::Vec<LivePosting> postings = all();
    std::sort(postings.begin(), postings.end(),
              [](const LivePosting &a, const LivePosting &b) { return a.value > b.value; });
    core::Wide taken = 0;
    for (const LivePosting &posting : postings) {
      if (taken >= plan.needs()) break;
      if (posting.value <= 0 || posting.reservation) continue;
      spend(posting);
      taken += posting.value;
    }
    if (taken < plan.needs()) {
      refuse_beyond(wallet_, "floor",
                    pg::format("For a floor of %lld it takes %s that can be spent; it has %s.",
                               static_cast<long long>(floor), shown(plan.needs()), shown(taken)));
    }
    if (plan.keep > 0) create(plan.keep);
    if (taken > plan.needs()) create(static_cast<std::int64_t>(taken - plan.needs()));
  }

  core::TransferId write() const {
    if (spent_.empty() && created_.empty()) return {};
    const core::TransferId id = draw_transfer();
    write_transfer(id, {}, spent_, created_, live_, memory_);
    return id;
  }

  const core::Wallet &wallet_;
  const pg::OpenTable &live_;
  core::Memory &memory_;
  core::Vec<Spent> spent_{memory_};
  core::Vec<Created> created_{memory_};
};

}  // namespace

bool set_limits(const core::Wallet &wallet, std::optional<std::int64_t> floor, std::optional<std::int64_t> ceiling,
                core::Memory &memory) {
  lock_account_heads();
  const pg::OpenTable live = open_live_postings();
  Gates gates(memory);
  gates.want(wallet.owner, pg::LockStrength::exclusive);
  gates.take();
  Limits before;
  {
    const pg::FreshSnapshot snapshot;
    const Head head = Heads(snapshot).of(wallet.owner);
    if (head.closed) {
      pg::raise({.sqlstate = kClosed,
                 .message = pg::format("account %s is closed", shown(wallet.owner)),
                 .hint = "It stays as it is; use another account."});
    }
    require_asset(wallet.asset, snapshot);
    before = limits_of(wallet, snapshot);
    if (before.version > 0 && before.floor == floor && before.ceiling == ceiling) return false;
    if (ceiling) {
      const core::Wide sum = live_sum(live, wallet, snapshot);
      if (sum > *ceiling) refuse_beyond(wallet, "ceiling", pg::format("It has %s.", shown(sum)));
    }
    if (before.floor != floor && before.floor.value_or(0) > 0) {
      let_go(all_live(live, wallet, snapshot, memory), memory);
    }
  }
  // Set for the first time it is made sure of as well: postings that came by their ids may be below 0.
  if (floor && (before.floor != floor || before.version == 0)) FloorChange(wallet, live, memory).make(*floor);
  write_limits(wallet, before.version + 1, floor, ceiling);
  return true;
}

}  // namespace awa::ledger
