// The claim of one lane, under its lane lock: look, prove, write.
#pragma once

#include "core/lane.hpp"
#include "core/receipt.hpp"
#include "queue/frontiers.hpp"
#include "queue/ready_plane.hpp"

namespace awa::queue {

// A job handed out.
struct Claimed {
  Entry entry;
  core::LaneId lane;
  core::Receipt receipt;
  core::Generation ready_generation;
  core::Micros claimed_at;
  core::Micros deadline_at;  // 0 = none
  core::Micros stale_at;
  int batch_index;         // place in the claim batch
  int priority;            // effective
  std::string_view queue;  // as the call named it
};

// What the caller wants of each lane.
struct ClaimTerms {
  core::Micros deadline;  // 0 = none
  core::Micros stale_after;
  core::Micros aging;  // 0 = none
};

// How a look at a lane without its lock came out.
struct Peek {
  bool has_entries = false;
  core::Micros first_due = 0;  // of the first open entry, if there is one
};

// What a call reads with, over all its lanes.
struct ClaimReader {
  explicit ClaimReader(core::Memory &call_memory) : memory(call_memory), plane(call_memory) {}
  core::Memory &memory;
  ring::SlotsOfCall slots;
  ReadyPlane plane;
  Frontiers frontiers;

  // Gives back the locks on what was read: for a call that hands out nothing.
  void unlock_all() {
    plane.unlock_all();
    frontiers.unlock_all();
  }
};

// Whether the lane may have something to claim under the snapshot. Needs no lock, changes nothing; what is committed
// later is not seen, a tombstoned entry counts, and so does a long run of entries that were rolled back: a claim then moves
// the frontier past them. Errors: 55000 when entries of another cluster are met.
Peek peek(core::LaneId lane, const ring::QueueSlots &slots, const pg::FreshSnapshot &snapshot, ClaimReader &reader);

// What a claim of one lane did.
enum class LaneOutcome : std::uint8_t {
  nothing,        // wrote nothing
  only_frontier,  // handed out nothing, but moved the frontier
  claimed,
};

// Claims at most `most` jobs of the lane, whose lock the transaction holds, and appends them to `claimed`.
LaneOutcome claim_lane(core::LaneId lane, std::size_t most, const ClaimTerms &terms, ClaimReader &reader,
                       core::Vec<Claimed> &claimed);

}  // namespace awa::queue
