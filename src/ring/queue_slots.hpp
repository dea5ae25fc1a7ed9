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

// The ring's number, and which table of slots it is.
struct SlotsEdition {
  core::Generation ring{-1};
  std::uint32_t table = 0;
  bool operator==(const SlotsEdition &) const = default;
};

// The slots as a call sees them under one snapshot after another. It is made before the first of them is taken. What was read
// under one holds under the next, and in the next calls of the session, as long as no slot was opened in between, which the ring's
// number tells: until then slots are only sealed, drained and emptied, and not to know that costs time, nothing else. To
// know it soon they are read anew after a second. The row of the current slot may still be of before it was opened.
class SlotsOfCall {
 public:
  SlotsOfCall();
  const QueueSlots &under(const pg::FreshSnapshot &snapshot);

  // Whether the slot was never opened, or emptied and not opened since, as of the last snapshot: nothing that it sees is there,
  // but by a restore.
  bool is_unused(core::Slot slot) const noexcept;

  // The generation that a slot had under the last snapshot, for what it sees there.
  core::Generation generation_in(core::Slot slot) const noexcept {
    return ring::generation_in(slot, slots_, newest_.ring);
  }

 private:
  SlotsEdition newest_;     // read after the last snapshot was taken, or before the first
  SlotsEdition holds_for_;  // slots_ hold as long as it is this
  QueueSlots slots_{};
};

}  // namespace awa::ring
