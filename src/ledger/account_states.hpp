// Freezing, unfreezing and closing accounts.
//
// Each is a new version of the account, made behind its gate: who pays from it or to it meanwhile has ended before, or
// begins after. In every isolation level it sees what has been committed by then.
#pragma once

#include "core/movements.hpp"

namespace awa::ledger {

// True when something changed; false when the account is in that state already.
// Errors: 42704, AW104 it is closed, AW102 others were at work on it for too long, 40P01.
bool freeze_account(const core::Owner &owner, core::Memory &memory);
bool unfreeze_account(const core::Owner &owner, core::Memory &memory);

// For good. What is left must come to 0 in every asset and not be reserved; it is spent. Errors: as above, and 55000.
bool close_account(const core::Owner &owner, core::Memory &memory);

}  // namespace awa::ledger
