// What moves: the argument `movements` of transfer.
//
// An array of legs, {"from": 1, "to": 2, "asset": 1, "amount": 100}; or an object with consumes, an array of posting ids,
// and creates, an array of {"account": 1, "asset": 1, "value": 5}.
#pragma once

#include "ledger/transfer.hpp"

namespace awa::entry {

// Reads them into the order. Errors: 22023 for anything of another shape, an unknown key, a value of the wrong type or out of
// range; 22004 when a key is missing. The CONTEXT names the element.
void read_movements(Datum movements, ledger::Order &order, core::Memory &memory);

}  // namespace awa::entry
