#include "ledger/hold_keys.hpp"

#include "ledger/fence.hpp"
#include "ledger/refusals.hpp"
#include "pg/keys.hpp"
#include "pg/settings.hpp"
#include "receipt/attempt_keys.hpp"

namespace awa::ledger {

namespace {

pg::Key key_of(core::ReservationId reservation) noexcept { return {pg::KeyClass::hold, reservation.value}; }

Hold known(core::ReservationId reservation) {
  if (auto hold = find_hold(reservation)) return *hold;
  pg::raise({.sqlstate = ERRCODE_UNDEFINED_OBJECT,
             .message = pg::format("hold %lld does not exist", static_cast<long long>(reservation.value)),
             .hint = "awa_ledger.hold() returns the reservation of a hold; see awa_ledger.holds."});
}

}  // namespace

Hold take_hold(core::ReservationId reservation, HoldAccess access, core::Memory &memory) {
  const Hold found = known(reservation);
  if (found.is_floor) {
    pg::raise({.sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
               .message = pg::format("hold %lld is what a floor keeps back", static_cast<long long>(reservation.value)),
               .hint = "It ends when the floor is changed: see awa_ledger.set_limits()."});
  }
  if (access == HoldAccess::of_open_attempt && found.posted_with.value > 0) return found;
  if (found.binding != Binding::attempt) {
    lock_hold(reservation);
  } else if (access == HoldAccess::of_open_attempt) {
    require_attempt(found.receipt, memory);
  } else {
    receipt::take_attempt_keys({&found.receipt, 1}, memory);
  }
  return known(reservation);
}

bool try_hold(const Hold &hold, core::Memory &memory) {
  if (hold.binding != Binding::attempt) return try_lock_hold(hold.reservation);
  return !receipt::try_attempt_keys({&hold.receipt, 1}, memory);
}

void lock_hold(core::ReservationId reservation) {
  const auto patience = static_cast<int>(pg::key_wait() / 1000);
  if (pg::lock_within(key_of(reservation), pg::LockStrength::exclusive, patience)) return;
  pg::raise({.sqlstate = kContended,
             .message = pg::format("hold %lld is contended", static_cast<long long>(reservation.value)),
             .detail = "Another transaction has been at work on it for longer than awa_ring.key_wait.",
             .hint = "Try again; end transactions soon after they did something with a hold."});
}

bool try_lock_hold(core::ReservationId reservation) {
  return pg::try_lock(key_of(reservation), pg::LockStrength::exclusive);
}

}  // namespace awa::ledger
