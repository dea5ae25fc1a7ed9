// One attempt at a transfer, under the gates that are held.
#pragma once

#include "ledger/gates.hpp"
#include "ledger/live_postings.hpp"
#include "ledger/transfer.hpp"

namespace awa::ledger {

// What legs come to, or postings by their ids, with the truth about the latter: where they are from cannot change.
struct Plan {
  explicit Plan(core::Memory &memory) : changes(memory), consumed(memory) {}
  core::Vec<core::Change> changes;  // one a wallet
  core::Vec<Spent> consumed;        // by ids: what each is
};

// Errors: 42704 an unknown posting, 23514 what is created is not what is consumed.
Plan plan(const Order &order, core::Memory &memory);

// What an attempt comes to, and what is known when the next begins.
enum class Attempt : std::uint8_t {
  done,
  fresh,    // nothing was changed; other gates are wanted
  crowded,  // the same, because others were in the way
};

// Carries the order out; or changes nothing, and adds to `alone` the owners whose gates are wanted exclusively. `before` is
// what the attempt before came to, fresh for the first. Errors: as transfer().
Attempt attempt(const Order &order, const Plan &plan, core::TransferId id, const Gates &gates,
                const pg::OpenTable &live, Attempt before, core::Vec<core::Owner> &alone, core::Memory &memory);

// Attempts until it is done. Errors: as transfer().
void carry_out(const Order &order, const Plan &plan, core::TransferId id, core::Memory &memory);

}  // namespace awa::ledger
