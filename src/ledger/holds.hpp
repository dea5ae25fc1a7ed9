// Holds: an amount of an account that is set aside, until it is posted, voided, or expires; or until the attempt or the job
// that it is bound to ends.
//
// Who ends a hold first, ends it for all: the end is remembered for ever. Time is looked at when the hold is guarded.
#pragma once

#include "ledger/hold_rows.hpp"
#include "ledger/transfer.hpp"

namespace awa::ledger {

// Errors: AW101 not enough, AW102, AW103, AW104; 42704 unknown account or asset. A bound one's attempt is held by its key.
core::ReservationId hold(const NewHold &hold, core::Memory &memory);

// Moves the end of the hold's time; returns the new one. Errors: AW106 it is over, AW107 its attempt is over, 55000 it has no end,
// 22023 too late an end; from keys as ledger/hold_keys.hpp.
core::Micros extend_hold(core::ReservationId reservation, core::Micros by, core::Memory &memory);

// Transfers what the legs of the order say, which leave the hold's account, out of what is held; the rest can be spent again.
// `receipt`: on behalf of an attempt that must not be over.
// Errors: AW106 the hold is over, AW107 the attempt is over; AW101 less is held; 22023 a leg that does not leave the hold's
// account, an attempt of another job; others as transfer(), and from keys.
core::TransferId post(core::ReservationId reservation, Order &order, const core::Receipt *receipt,
                      core::Memory &memory);

// True when it ended the hold; false when that was over, and had not been posted. Works on frozen accounts.
// Errors: AW106 it was posted; from keys.
bool void_hold(core::ReservationId reservation, core::Memory &memory);

}  // namespace awa::ledger
