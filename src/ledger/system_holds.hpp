// Holds of the system's: a posting that a floor above 0 keeps from being spent.
#pragma once

#include "ledger/live_postings.hpp"

namespace awa::ledger {

// Reserves an active posting that this transaction has just made.
void keep_back(const core::Wallet &wallet, const core::PostingId &id, std::int64_t value);

// Ends the hold that a floor has, if it has one, of those postings; returns whether it did.
bool let_go(std::span<const LivePosting> postings, core::Memory &memory);

}  // namespace awa::ledger
