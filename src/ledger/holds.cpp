#include "ledger/holds.hpp"

#include "ledger/booking.hpp"
#include "ledger/fence.hpp"
#include "ledger/hold_keys.hpp"
#include "ledger/live_postings.hpp"
#include "ledger/refusals.hpp"
#include "ledger/transfer_attempt.hpp"
#include "pg/planted_fault.hpp"
#include "pg/subtransaction.hpp"
#include "pg/transaction.hpp"

namespace awa::ledger {

namespace {

constexpr core::Micros kLongest = core::Micros{100} * MONTHS_PER_YEAR * DAYS_PER_MONTH * USECS_PER_DAY;

const char *shown_time(core::Micros at) {
  return pg::guarded([=] { return DatumGetCString(DirectFunctionCall1(timestamptz_out, TimestampTzGetDatum(at))); });
}

[[noreturn]] void refuse_over(const Hold &hold) {
  const char *const how = hold.posted_with.value > 0  ? pg::format("It was posted with transfer %lld",
                                                                   static_cast<long long>(hold.posted_with.value))
                          : hold.outcome == "expired" ? "It expired"
                                                      : "It was voided";
  pg::raise({.sqlstate = kHoldOver,
             .message = pg::format("hold %lld is over", static_cast<long long>(hold.reservation.value)),
             .detail = pg::format("%s at %s.", how, shown_time(hold.ended_at)),
             .hint = "What ended is remembered in awa_ledger.hold_outcomes; make another hold."});
}

void require_under_way(const Hold &hold, core::Micros now) {
  if (hold.is_over()) refuse_over(hold);
  if (!hold.is_due(now)) return;
  pg::raise({.sqlstate = kHoldOver,
             .message = pg::format("hold %lld is over", static_cast<long long>(hold.reservation.value)),
             .detail = pg::format("It expired at %s.", shown_time(*hold.expires_at)),
             .hint = "Make another hold; awa_ledger.extend_hold() gives one more time before it expires."});
}

void require_legs_of(const Hold &hold, const Order &order) {
  if (order.by_ids) {
    pg::raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
               .message = "movements of a hold must be legs",
               .hint = "Give an array of legs {from, to, asset, amount} that leave the hold's account."});
  }
  core::Wide sum = 0;
  for (const core::Leg &leg : order.legs) {
    sum += leg.amount;
    if (leg.from == hold.wallet.owner && leg.asset == hold.wallet.asset) continue;
    pg::raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
               .message = pg::format("a leg from account %s in asset %d does not leave hold %lld", shown(leg.from),
                                     leg.asset, static_cast<long long>(hold.reservation.value)),
               .detail = pg::format("It holds asset %d of account %s.", hold.wallet.asset, shown(hold.wallet.owner)),
               .hint = "Make other movements in transfers of their own, in the same transaction."});
  }
  if (sum <= hold.amount) return;
  pg::raise({.sqlstate = kInsufficient,
             .message = pg::format("hold %lld has not enough", static_cast<long long>(hold.reservation.value)),
             .detail = pg::format("%s is to be posted; %lld is held.", shown(sum), static_cast<long long>(hold.amount)),
             .hint = "Pay the rest with a transfer, in the same transaction."});
}

// What is held is spent; receivers and the rest are created.
Plan plan_of(const Hold &hold, Order &order, core::Memory &memory) {
  Plan plan(memory);
  plan.changes = core::changes_of(order.legs, memory);
  plan.consumed.assign(1, Spent{hold.posting, hold.wallet, hold.amount});
  std::int64_t rest = hold.amount;
  for (const core::Change &change : plan.changes) {
    if (change.wallet == hold.wallet) continue;
    if (!core::is_value(change.amount)) refuse_no_value(change.wallet, change.amount);
    const auto value = static_cast<std::int64_t>(change.amount);
    order.creates.push_back({static_cast<std::int32_t>(order.creates.size()), change.wallet, value});
    rest -= value;
  }
  if (rest > 0) order.creates.push_back({static_cast<std::int32_t>(order.creates.size()), hold.wallet, rest});
  order.by_ids = true;
  order.held_by = hold.reservation;
  return plan;
}

void require_attempt_of(const Hold &hold, const core::Receipt &receipt) {
  const bool is_its = hold.binding == Binding::none ||
                      (hold.receipt.job == receipt.job && (hold.binding == Binding::job || hold.receipt == receipt));
  if (is_its) return;
  pg::raise(
      {.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
       .message = pg::format("hold %lld is bound to another attempt", static_cast<long long>(hold.reservation.value)),
       .detail = pg::format("It is bound to job %lld, the receipt is of job %lld.",
                            static_cast<long long>(hold.receipt.job.value), static_cast<long long>(receipt.job.value)),
       .hint = "Pass the receipt of the attempt that the hold was made for, or none."});
}

}  // namespace

core::ReservationId hold(const NewHold &hold, core::Memory &memory) {
  const core::TransferId id = draw_transfer();
  Order order(memory);
  order.sets_aside = hold.amount;
  Plan plan(memory);
  plan.changes.assign(1, core::Change{hold.wallet, -core::Wide{hold.amount}});
  if (AWA_PLANTED(empty_hold)) {
    if (!pg::subtransaction_unless(kInsufficient, [&] { carry_out(order, plan, id, memory); })) return {id.value};
  } else {
    carry_out(order, plan, id, memory);
  }
  return open_hold(hold, {id, 0});
}

core::Micros extend_hold(core::ReservationId reservation, core::Micros by, core::Memory &memory) {
  const Hold hold = take_hold(reservation, HoldAccess::of_open_attempt, memory);
  const core::Micros now = pg::now();
  require_under_way(hold, now);
  if (!hold.expires_at) {
    pg::raise({.sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
               .message = pg::format("hold %lld does not expire", static_cast<long long>(reservation.value)),
               .hint = "It lasts until it is posted or voided, or its attempt or job ends."});
  }
  const core::Micros expires_at = *hold.expires_at + by;
  if (expires_at - now > kLongest) {
    pg::raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
               .message = pg::format("hold %lld would last too long", static_cast<long long>(reservation.value)),
               .detail = pg::format("It would expire at %s.", shown_time(expires_at)),
               .hint = "A hold lasts for up to 100 years."});
  }
  write_extension(hold, expires_at);
  return expires_at;
}

core::TransferId post(core::ReservationId reservation, Order &order, const core::Receipt *receipt,
                      core::Memory &memory) {
  if (receipt != nullptr) require_attempt(*receipt, memory);
  const Hold hold = take_hold(reservation, HoldAccess::of_open_attempt, memory);
  // What became of it comes first: the job's next attempt, whose key leads to a hold that was posted, is told so.
  require_under_way(hold, pg::now());
  if (receipt != nullptr) require_attempt_of(hold, *receipt);
  require_legs_of(hold, order);
  const core::TransferId id = draw_transfer();
  carry_out(order, plan_of(hold, order, memory), id, memory);
  end_as_posted(hold, id);
  return id;
}

bool void_hold(core::ReservationId reservation, core::Memory &memory) {
  const Hold hold = take_hold(reservation, HoldAccess::any, memory);
  if (hold.posted_with.value > 0) refuse_over(hold);
  if (hold.is_over()) return false;
  lock_live_postings();
  const std::int64_t one = reservation.value;
  free_holds({&one, 1}, EndedBy::itself, pg::now());
  return true;
}

}  // namespace awa::ledger
