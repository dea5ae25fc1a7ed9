// The rows of a claim on one lane: emission evidence and a claim batch for each ready slot, and the frontier.
#pragma once

#include "queue/lane_claim.hpp"

namespace awa::queue {

// Hands out the entries: appends the rows and adds what was handed out to `claimed`. The lane's lock is held.
void write_claim(core::LaneId lane, std::span<const Entry> entries, core::Frontier frontier, core::Micros now,
                 const ClaimTerms &terms, core::Memory &memory, core::Vec<Claimed> &claimed);

}  // namespace awa::queue
