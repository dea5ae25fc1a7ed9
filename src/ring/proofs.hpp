// The proofs of prune, as SQL over the leaves of a slot.
#pragma once

#include "pg/spi.hpp"
#include "ring/tables.hpp"

namespace awa::ring {

// What of the slot is live: null when it is proven to hold nothing that anybody may still want, else a word.
const char *live_in(Ring ring, core::Slot slot);

// Whether a queue slot has history that is to stay readable yet: then nothing else about it matters.
bool keeps_history(core::Slot slot);

}  // namespace awa::ring
