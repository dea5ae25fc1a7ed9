// What is remembered as the answer to a request: {"transfer_id": 17}, or {"reservation": 17}.
#pragma once

#include "core/ids.hpp"
#include "pg/guard.hpp"

namespace awa::ledger {

Datum answer_of(core::TransferId id);
Datum answer_of(core::ReservationId id);
core::TransferId transfer_in(Datum answer);
core::ReservationId reservation_in(Datum answer);

}  // namespace awa::ledger
