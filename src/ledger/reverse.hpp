// Undoing a transfer with another one.
#pragma once

#include "ledger/transfer.hpp"

namespace awa::ledger {

// Carries out, under a new id, what undoes the original: who paid in all receives as much, who received pays it, out of
// whatever there is by now. Once for each original.
// Errors: 42704 there is no such transfer, 23505 it was reversed already; as transfer().
void reverse(core::TransferId original, core::TransferId id, const std::optional<Request> &request,
             core::Memory &memory);

}  // namespace awa::ledger
