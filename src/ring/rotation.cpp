#include "ring/rotation.hpp"

#include "pg/datum.hpp"
#include "pg/pause_point.hpp"
#include "pg/spi.hpp"
#include "pg/table_locks.hpp"
#include "pg/transaction.hpp"
#include "ring/generation.hpp"
#include "ring/leaves.hpp"
#include "ring/ring_state.hpp"

namespace awa::ring {

namespace {

// A slot that is not current and has content but no seal may hold anything. Whoever wrote into it had its xid before now.
void seal_unsealed(RingState &state, core::Slot current, core::Memory &memory) {
  for (int slot = 0; slot < core::kQueueSlots; ++slot) {
    if (slot == current.value || state.has_seal({slot}) || holds_nothing(Ring::queue, {slot}, memory)) continue;
    state.seal({slot}, pg::next_xid());
  }
}

// Turns to `next` if its slot is empty and free of writers. While it is locked nobody can begin to write to it, and the
// generation is written before the lock is given back.
bool turn_to(Ring ring, core::Generation next, RingState &state, core::Memory &memory) {
  const core::Slot slot = core::slot_of(next, slots_of(ring));
  const core::Vec<Oid> leaves = leaves_of(tables_of(ring), slot, memory);
  if (!pg::try_lock_all(leaves, ShareLock)) return false;
  // Only a slot without a seal is opened: prune clears the seal together with the content.
  const bool free = are_empty(leaves) && !state.has_seal(slot);
  if (free) set_generation(ring, next);
  pg::unlock_all(leaves, ShareLock);
  return free;
}

}  // namespace

const char *word_of(RotateOutcome outcome) noexcept {
  switch (outcome) {
    case RotateOutcome::rotated:
      return "rotated";
    case RotateOutcome::skipped_idle:
      return "skipped_idle";
    case RotateOutcome::skipped_busy:
      return "skipped_busy";
    case RotateOutcome::skipped_locked:
      break;
  }
  return "skipped_locked";
}

RotateOutcome rotate(Ring ring, core::Memory &memory) {
  RingState state(ring);
  if (!state.try_lock()) return RotateOutcome::skipped_locked;
  const core::Generation now = generation_of(ring);
  const core::Slot current = core::slot_of(now, slots_of(ring));
  if (holds_nothing(ring, current, memory)) return RotateOutcome::skipped_idle;
  if (ring == Ring::queue) seal_unsealed(state, current, memory);
  AWA_PAUSE_POINT("rotate.before_turn");
  for (int step = 1; step < slots_of(ring); ++step) {
    const core::Generation next{now.value + step};
    if (!turn_to(ring, next, state, memory)) continue;
    AWA_PAUSE_POINT("rotate.before_seal");
    // Read after the generation was written: every entry of the slot we turned away from has a smaller xid.
    state.turned(current, core::slot_of(next, slots_of(ring)), next, pg::next_xid());
    return RotateOutcome::rotated;
  }
  return RotateOutcome::skipped_busy;
}

}  // namespace awa::ring
