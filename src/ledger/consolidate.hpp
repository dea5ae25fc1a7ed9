// Making one posting of many.
#pragma once

#include "core/movements.hpp"

namespace awa::ledger {

enum class Patience : std::uint8_t { waits, tries };

// Spends up to `max_rows` active postings of the wallet, oldest first, and creates one of their sum, or none when that is 0. Of
// an account without a floor those below 0 as well. Postings that others are at are passed by; there is nothing to do with less
// than two. Returns how many it spent. `tries`: also nothing when the account is frozen, closed or somebody is alone with it.
// Errors (`waits`): 42704, AW102, AW103, AW104.
std::int32_t consolidate(const core::Wallet &wallet, std::int32_t max_rows, Patience patience, core::Memory &memory);

// The same, for the duty: it tries, and goes on where this session came to before; see crowded.hpp.
std::int32_t consolidate_further(const core::Wallet &wallet, std::int32_t max_rows, core::Memory &memory);

// Consolidates wallets that have more than `crowd` live postings, at most `max_wallets` of them, the greatest first. Returns how
// many postings it spent.
std::int32_t consolidate_crowded(std::int32_t crowd, std::int32_t max_wallets, std::int32_t max_rows,
                                 core::Memory &memory);

}  // namespace awa::ledger
