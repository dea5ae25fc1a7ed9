// What guards a hold: of one that ends with its attempt the key of that attempt, of any other a key of its own.
//
// Whoever changes or ends a hold has that key first, exclusively and until its transaction ends; then it looks again. So whoever
// ends an attempt has the keys of its holds already. Keys of holds come after those of attempts and requests, before gates.
#pragma once

#include "ledger/hold_rows.hpp"

namespace awa::ledger {

enum class HoldAccess : std::uint8_t {
  any,              // also when its attempt is over
  of_open_attempt,  // AW107 when its attempt is over; one that was posted, for good, is returned as it is
};

// The hold, guarded. Errors: 42704 there is none, 55000 it is a floor's, AW107; AW102, 55P03, 40P01 from keys.
Hold take_hold(core::ReservationId reservation, HoldAccess access, core::Memory &memory);

// Does not wait. Returns whether the hold is guarded now.
bool try_hold(const Hold &hold, core::Memory &memory);

// The own key of a hold that does not end with its attempt.
void lock_hold(core::ReservationId reservation);
bool try_lock_hold(core::ReservationId reservation);

}  // namespace awa::ledger
