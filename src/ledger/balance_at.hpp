// What an account had at some time.
#pragma once

#include "core/ids.hpp"
#include "core/movements.hpp"

namespace awa::ledger {

// By the stamps of transfers. A transaction that is still writing may have a stamp of the past: a time that is not before all of
// those is refused, so what is answered never changes.
// Errors: 55000 a time that is not settled yet, 22003 a sum beyond bigint.
std::int64_t balance_at(const core::Wallet &wallet, core::Micros at, core::Memory &memory);

}  // namespace awa::ledger
