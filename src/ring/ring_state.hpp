// The rows of a ring's state and slots: lock targets, seals, times.
#pragma once

#include "pg/spi.hpp"
#include "ring/tables.hpp"

namespace awa::ring {

class RingState {
 public:
  explicit RingState(Ring ring) noexcept : ring_(ring) {}

  // The ring's row, locked until the transaction ends; false if maintenance holds it already.
  bool try_lock();
  // The slot's row; false if it is held.
  bool try_lock(core::Slot slot);

  // Whether the slot has a seal. Slots of the claim and lease rings have none, ever.
  bool has_seal(core::Slot slot);
  void seal(core::Slot slot, core::Xid xid);

  // Notes that the ring turned from one slot to another.
  void turned(core::Slot from, core::Slot to, core::Generation generation, core::Xid seal);

  // Queue ring: whether it was noted that nothing in the slot can be wanted by a claim; and notes it.
  bool is_drained(core::Slot slot);
  void drained(core::Slot slot);

  // Notes that the slot was emptied: no seal, not drained, rescue cursors at their start.
  void emptied(core::Slot slot);

 private:
  Ring const ring_;
  pg::Sql sql_;
};

}  // namespace awa::ring
