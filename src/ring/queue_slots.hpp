// What the slots of the queue ring say of themselves under a snapshot: which of them a claim need not read.
#pragma once

#include <array>

#include "core/ids.hpp"
#include "core/ring.hpp"
#include "pg/snapshot.hpp"

namespace awa::ring {

struct QueueSlot {
  core::Xid sealed_xid;  // every entry has a smaller xid; zero = no seal
  bool drained = false;  // nothing a claim could want
};

using QueueSlots = std::array<QueueSlot, core::kQueueSlots>;

QueueSlots queue_slots(const pg::FreshSnapshot &snapshot);

}  // namespace awa::ring
