// What open attempts say of themselves: heartbeat and progress. A row is there for those alone that said something; it is
// written and removed under the attempt's key, and goes with the attempt.
#pragma once

#include <span>

#include "core/containers.hpp"
#include "core/receipt.hpp"
#include "pg/cached_table.hpp"
#include "pg/snapshot.hpp"

namespace awa::receipt {

struct AttemptState {
  core::Receipt receipt;
  core::Micros heartbeat_at = 0;  // 0 = none
  Datum progress = 0;             // jsonb; 0 = none
  ItemPointerData place{};
};

class AttemptStates {
 public:
  explicit AttemptStates(core::Memory &memory) : memory_(memory), table_(open()) {}

  // The states of those receipts that have one, in the order of their jobs. No table read when it has no blocks.
  core::Vec<AttemptState> of(std::span<const core::Receipt> receipts, const pg::FreshSnapshot &snapshot) const;

  // Notes a heartbeat, and progress unless it is 0. `before` is the attempt's state, if it has one.
  void write(const core::Receipt &receipt, const AttemptState *before, core::Micros now, Datum progress);

  void erase(std::span<const AttemptState> states);

 private:
  static pg::OpenTable open();
  core::Memory &memory_;
  pg::OpenTable table_;
};

}  // namespace awa::receipt
