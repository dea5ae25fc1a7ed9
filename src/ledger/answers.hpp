// What is remembered as the answer to a request for a transfer: {"transfer_id": 17}.
#pragma once

#include "core/ids.hpp"
#include "pg/guard.hpp"

namespace awa::ledger {

Datum answer_of(core::TransferId id);
core::TransferId transfer_in(Datum answer);

}  // namespace awa::ledger
