// The rows of a claim on one lane: for each ready slot emission evidence, a claim batch for the jobs that share one and a row
// for each job with a deadline of its own, or that is the only one; and the frontier.
#pragma once

#include "queue/lane_claim.hpp"

namespace awa::queue {

// What a walk along a lane came to.
struct LaneTaking {
  core::LaneId lane;
  std::span<const Entry> entries;  // to hand out, in order; may be empty
  core::Frontier frontier;         // behind them
  const ring::SlotsOfCall &slots;
  core::Micros now;
};

// Hands out the entries: appends the rows and adds what was handed out to `claimed`, in order. The lane's lock is held.
void write_claim(const LaneTaking &taking, const ClaimTerms &terms, core::Memory &memory, core::Vec<Claimed> &claimed);

}  // namespace awa::queue
