// Limits of an account in an asset: a floor and a ceiling.
//
// A floor below 0 is made of postings: one of -F that nobody can spend and one of +F that can be. So what can be spent is
// what is above the floor, and payers need not know of it. A floor above 0 is a reservation of the system's: that much cannot
// be spent. Without a floor nothing is selected: each payment makes a posting below 0. A ceiling is looked at by who pays to
// the account, behind its gate.
#pragma once

#include <optional>

#include "core/movements.hpp"

namespace awa::ledger {

// False when they are that already. Errors: 42704, AW104, AW105 what the account has is not within them, AW102, 40P01.
bool set_limits(const core::Wallet &wallet, std::optional<std::int64_t> floor, std::optional<std::int64_t> ceiling,
                core::Memory &memory);

}  // namespace awa::ledger
