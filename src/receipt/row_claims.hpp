// Row-local claims: receipts that share no row with others, a claim row and at most one closure row each.
//
// Such a receipt is its own batch. A handle does not say which shape its claim has: one whose batch is its receipt may be
// of either.
#pragma once

#include <optional>
#include <string_view>

#include "receipt/claim_batches.hpp"

namespace awa::receipt {

// The claim of a receipt, as a batch of one, or nothing. `leaves` are those of row-local claims in the receipt's slot.
std::optional<StoredBatch> find_row_claim(const ClaimLeaves &leaves, const core::Receipt &receipt,
                                          const pg::FreshSnapshot &snapshot);

// How the receipt of such a claim was closed; empty = it is open.
std::string_view row_outcome(const ClaimLeaves &leaves, const StoredBatch &claim, const pg::FreshSnapshot &snapshot);

}  // namespace awa::receipt
