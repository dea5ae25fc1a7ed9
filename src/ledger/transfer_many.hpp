// Many transfers in one call and one commit.
//
// Each stands alone, or with others of its group: those are carried out all, or none. They are carried out in order, later ones
// spend what earlier ones brought. What one is refused for is its outcome, and the others go on.
#pragma once

#include "ledger/transfer.hpp"

namespace awa::ledger {

struct Item {
  explicit Item(core::Memory &memory) : order(memory) {}
  Order order;
  std::string_view group;  // empty: none
};

struct ItemOutcome {
  core::TransferId transfer;  // zero: refused
  bool replayed = false;
  int sqlstate = 0;
  const char *message = nullptr;
  std::size_t culprit = 0;  // which item of the group was refused, from 0
};

// Errors, of all together: AW102 and 40P01 from keys and gates.
core::Vec<ItemOutcome> transfer_many(std::span<const Item> items, core::Memory &memory);

}  // namespace awa::ledger
