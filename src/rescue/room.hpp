// Making room: slots of a ring that are no longer current are emptied. What is live in them may be moved out first, so that no
// long-running job, paused queue or deep backlog stops a ring.
#pragma once

#include <limits>

#include "core/containers.hpp"
#include "rescue/steps.hpp"
#include "ring/prune.hpp"

namespace awa::rescue {

class Room {
 public:
  Room(ring::Ring ring, Steps &steps, core::Memory &memory) : ring_(ring), steps_(steps), memory_(memory) {}

  // Empties every slot that holds nothing live; frontiers and failed jobs that are kept are carried first. Returns pruned, or
  // why the oldest was not.
  ring::PruneOutcome prune();

  // Moves what is live out of every slot: attempts, waiting entries, leases. Returns how many.
  std::int64_t evict();

  // Empties what holds nothing live, and while fewer than `wanted` slots are empty moves out what is live, oldest slot first. A
  // slot that cannot be had is passed by.
  ring::PruneOutcome make(int wanted);

  // What was moved by now.
  std::int64_t moved() const noexcept { return moved_; }
  // How many slots were emptied.
  std::int32_t pruned() const noexcept { return pruned_; }

 private:
  core::Vec<core::Slot> slots();
  ring::PruneOutcome prune(core::Slot slot);
  void note(const ring::PruneOutcome &outcome) noexcept;
  void move_out(core::Slot slot);
  void move_attempts(core::Slot slot);
  void carry_entries(core::Slot slot);
  void carry_all_frontiers(core::Slot slot);
  void carry_all_failed(core::Slot slot);
  bool keeps_history(core::Slot slot);

  ring::Ring const ring_;
  Steps &steps_;
  core::Memory &memory_;
  ring::PruneOutcome outcome_;
  std::int64_t moved_ = 0;
  std::int32_t pruned_ = 0;
};

}  // namespace awa::rescue
