// SQLSTATEs of the ledger.
#pragma once

#include "core/movements.hpp"
#include "pg/error.hpp"

namespace awa::ledger {

constexpr int kInsufficient = MAKE_SQLSTATE('A', 'W', '1', '0', '1');
constexpr int kContended = MAKE_SQLSTATE('A', 'W', '1', '0', '2');
constexpr int kFrozen = MAKE_SQLSTATE('A', 'W', '1', '0', '3');
constexpr int kClosed = MAKE_SQLSTATE('A', 'W', '1', '0', '4');
constexpr int kLimit = MAKE_SQLSTATE('A', 'W', '1', '0', '5');
constexpr int kHoldOver = MAKE_SQLSTATE('A', 'W', '1', '0', '6');
constexpr int kAttemptOver = MAKE_SQLSTATE('A', 'W', '1', '0', '7');

// For messages: account:subaccount, and a sum that may be beyond 64 bits. In memory of the current context.
const char *shown(const core::Owner &owner);
const char *shown(core::Wide sum);

[[noreturn]] void refuse_insufficient(const core::Wallet &wallet, std::int64_t amount, core::Wide active);
[[noreturn]] void refuse_contended(const char *what);
[[noreturn]] void refuse_unknown_account(const core::Owner &owner);
[[noreturn]] void refuse_unknown_asset(std::int32_t asset);
[[noreturn]] void refuse_no_value(const core::Wallet &wallet, core::Wide sum);

}  // namespace awa::ledger
