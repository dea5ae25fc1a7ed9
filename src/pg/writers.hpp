// Who may be writing to a table: transactions that hold it locked for that, and whether they have ended.
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

// Transactions that held a table in a mode that lets them write, prepared ones too, but not this one.
struct Writers {
  static constexpr int kMost = 64;
  VirtualTransactionId transactions[kMost];
  int count = 0;
  bool too_many = false;  // there were more than are noted here
};

Writers writers_of(Oid table);

// When the oldest of the transactions began that can be writing to the table now, but for this one and prepared ones; `now` when
// there is none.
core::Micros writers_began(Oid table, core::Micros now);

bool has_ended(const VirtualTransactionId &transaction);

}  // namespace awa::pg
