// Prune: proves that a sealed slot holds nothing live, and empties it with TRUNCATE.
//
// A slot of the claim ring is proven when the receipts claimed in it are the receipts closed in it, as sets and in
// number. A slot of the queue ring is proven when every entry was emitted or tombstoned, every claim that refers to it is
// closed, and its newest history is older than awa_ring.history_retention. Nothing is waited for: what is locked is tried
// again another time, and nobody queues behind us.
#pragma once

#include <optional>

#include "core/containers.hpp"
#include "ring/tables.hpp"

namespace awa::ring {

// What came of one step on one slot. `reason` says what is live: a word for skipped_active.
struct PruneOutcome {
  enum class Word : std::uint8_t { pruned, drained, skipped_active, skipped_locked, none };
  Word word = Word::none;
  const char *reason = nullptr;
};

// The outcome as shown: pruned, skipped_active(reason), skipped_locked, none.
const char *text_of(const PruneOutcome &outcome);

// The slots that may be emptied: not current and with content, oldest first.
core::Vec<core::Slot> slots_to_prune(Ring ring, core::Memory &memory);

// How many slots are empty and can be opened.
int empty_slots(Ring ring, core::Memory &memory);

// Queue ring: proves the slot and marks it drained, so that claims stop reading it. To be committed before it is emptied.
PruneOutcome drain(core::Slot slot, core::Memory &memory);

// What else of a slot is to be saved first, beyond the proof: a word, or null. It is asked when writers are kept away.
using AlsoLive = const char *(*)(core::Slot slot, core::Memory &memory);

// Proves the slot, locks it against readers, and empties it. The transaction must not have written a ring.
PruneOutcome empty(Ring ring, core::Slot slot, AlsoLive also_live, core::Memory &memory);

}  // namespace awa::ring
