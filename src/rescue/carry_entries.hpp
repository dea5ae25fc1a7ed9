// Carrying of entries: those that still wait in a slot of the queue ring that is to be emptied are appended to the current
// slot, with the same place on their lane, and tombstoned where they were. So a queue that is paused, or deep, stops no ring,
// and keeps its order.
#pragma once

#include "core/ranges.hpp"
#include "core/window.hpp"
#include "queue/ready_plane.hpp"

namespace awa::rescue {

// The lanes that have entries waiting in the slot, ascending.
core::Vec<core::LaneId> lanes_with_waiting_entries(core::Slot slot, core::Memory &memory);

// One lane of one slot. It lives over several transactions, and remembers what it has read.
class EntryCarrier {
 public:
  EntryCarrier(core::Slot slot, core::LaneId lane, core::Memory &memory)
      : slot_(slot), lane_(lane), memory_(memory), emitted_(memory) {}

  enum class Outcome : std::uint8_t {
    more,  // there may be more to carry, in another transaction
    done,  // the lane has no entry waiting in the slot, as far as can be seen
    busy,  // somebody has the lane
  };

  // Carries some of the entries: the lane is tried, then a fresh snapshot is taken, then evidence is read.
  Outcome carry();

  std::int64_t carried() const noexcept { return carried_; }

 private:
  core::Vec<queue::Entry> waiting(queue::ReadyPlane &plane, const pg::FreshSnapshot &snapshot, bool &all);
  void move(std::span<const queue::Entry> entries);

  core::Slot const slot_;
  core::LaneId const lane_;
  core::Memory &memory_;
  core::RangeSet emitted_;
  core::BatchId newest_batch_{};               // of those that emitted_ knows
  core::EntryPosition at_ = core::kBeforeAll;  // up to here nothing waits
  std::int64_t carried_ = 0;
};

}  // namespace awa::rescue
