// The rows of a claim on one lane: emission evidence and a claim batch for each ready slot, and the frontier.
#pragma once

#include "queue/lane_claim.hpp"

namespace awa::queue {

// What a walk along a lane came to.
struct LaneTaking {
  core::LaneId lane;
  std::span<const Entry> entries;  // to hand out, in order; may be empty
  core::Frontier frontier;         // behind them
  const ring::QueueSlots &slots;
  core::Micros now;
};

// Hands out the entries: appends the rows and adds what was handed out to `claimed`, in order. The lane's lock is held.
void write_claim(const LaneTaking &taking, const ClaimTerms &terms, core::Memory &memory, core::Vec<Claimed> &claimed);

}  // namespace awa::queue
