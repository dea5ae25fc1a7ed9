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
};

using QueueSlots = std::array<QueueSlot, core::kQueueSlots>;

// The generation that the content of a slot belongs to. The slot that is current is told by the ring's own number: its row
// is written after the ring has turned.
core::Generation generation_in(core::Slot slot, const QueueSlots &slots, core::Generation current) noexcept;

QueueSlots queue_slots(const pg::FreshSnapshot &snapshot);

}  // namespace awa::ring
