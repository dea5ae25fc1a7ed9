// A transfer on behalf of an attempt: it is carried out only while the attempt goes on.
#pragma once

#include "core/receipt.hpp"
#include "pg/guard.hpp"

namespace awa::ledger {

// Takes the attempt's key, until the transaction ends: nobody ends the attempt before that. Comes before all other locks of
// the ledger. Errors: AW107 the attempt is over, or there is none; 55P03, 40P01 from the key.
void require_attempt(const core::Receipt &receipt, core::Memory &memory);

}  // namespace awa::ledger
