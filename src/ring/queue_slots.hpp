// What the slots of the queue ring say of themselves under a snapshot: which of them a claim need not read.
#pragma once

#include <array>

#include "core/ids.hpp"
#include "core/ring.hpp"
#include "pg/snapshot.hpp"

namespace awa::ring {

struct QueueSlot {
  core::Xid sealed_xid;             // every entry has a smaller xid; zero = no seal
  core::Generation generation{-1};  // it was last opened for; -1 = unknown
  bool drained = false;             // nothing a claim could want
  bool emptied = false;             // nothing at all, unless it was opened since
};

using QueueSlots = std::array<QueueSlot, core::kQueueSlots>;

// The generation that the content of a slot belongs to. The slot that is current is told by the ring's own number: its row
// is written after the ring has turned.
core::Generation generation_in(core::Slot slot, const QueueSlots &slots, core::Generation current) noexcept;

// The slots as a call sees them under one snapshot after another. It is made before the first of them is taken. What was read
// under one holds under the next, and in the next calls of the session, as long as no slot was opened in between, which the ring's
// number tells: until then slots are only sealed, drained and emptied, and not to know that costs time, nothing else. To
// know it soon they are read anew after a second.
class SlotsOfCall {
 public:
  SlotsOfCall();
  const QueueSlots &under(const pg::FreshSnapshot &snapshot);

  // Whether the slot was never opened, or emptied and not opened since, as of the last snapshot: nothing that it sees is there,
  // but by a restore.
  bool is_unused(core::Slot slot) const noexcept;

 private:
  core::Generation newest_;         // read after the last snapshot was taken, or before the first
  core::Generation holds_for_{-1};  // slots_ hold as long as this is the ring's number
  QueueSlots slots_{};
};

}  // namespace awa::ring
