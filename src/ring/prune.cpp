#include "ring/prune.hpp"

#include "pg/error.hpp"
#include "pg/pause_point.hpp"
#include "pg/table_locks.hpp"
#include "pg/transaction.hpp"
#include "ring/generation.hpp"
#include "ring/leaves.hpp"
#include "ring/proofs.hpp"
#include "ring/ring_state.hpp"
#include "ring/rollups.hpp"

namespace awa::ring {

namespace {

using Word = PruneOutcome::Word;

constexpr core::Micros kTryFor = 10'000;
constexpr core::Micros kPause = 200;

// Locks ring and slot, then the slot's leaves against writers, then proves it under a snapshot taken after that. The
// leaves stay locked when the proof holds.
PruneOutcome prove(Ring ring, core::Slot slot, RingState &state, std::span<const Oid> leaves, AlsoLive also_live,
                   core::Memory &memory) {
  // Writers are not kept away for the length of a proof that fails; of a drained slot it has held before.
  if (ring != Ring::queue || !state.is_drained(slot)) {
    if (const char *const live = live_in(ring, slot)) return {Word::skipped_active, live};
  }
  AWA_PAUSE_POINT("prune.before_locks");
  if (!state.try_lock() || !state.try_lock(slot)) return {Word::skipped_locked};
  if (slot == core::slot_of(generation_of(ring), slots_of(ring))) return {Word::none};
  if (!pg::try_lock_all(leaves, ShareLock)) return {Word::skipped_locked};
  AWA_PAUSE_POINT("prune.before_recheck");
  const char *live = live_in(ring, slot);
  if (live == nullptr && also_live != nullptr) live = also_live(slot, memory);
  if (live == nullptr) return {Word::pruned};
  pg::unlock_all(leaves, ShareLock);
  return {Word::skipped_active, live};
}

// Everything that TRUNCATE will lock, all or nothing, for a short while.
bool lock_against_readers(std::span<const Oid> relations) {
  const core::Micros until = pg::now() + kTryFor;
  while (!pg::try_lock_all(relations, AccessExclusiveLock)) {
    if (pg::now() >= until) return false;
    pg::pause(kPause);
  }
  return true;
}

void truncate(std::span<const char *const> tables, core::Slot slot, std::span<const Oid> leaves) {
  const char *list = nullptr;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (pg::has_no_blocks(leaves[i])) continue;  // each table truncated costs rows of the catalog
    list = list == nullptr ? pg::format("awa.%s_%d", tables[i], slot.value)
                           : pg::format("%s, awa.%s_%d", list, tables[i], slot.value);
  }
  if (list != nullptr) pg::Sql().execute(pg::format("TRUNCATE %s", list));
}

}  // namespace

const char *text_of(const PruneOutcome &outcome) {
  switch (outcome.word) {
    case Word::pruned:
      return "pruned";
    case Word::drained:
      return "drained";
    case Word::skipped_active:
      return pg::format("skipped_active(%s)", outcome.reason);
    case Word::skipped_locked:
      return "skipped_locked";
    case Word::none:
      break;
  }
  return "none";
}

int empty_slots(Ring ring, core::Memory &memory) {
  return slots_of(ring) - 1 - static_cast<int>(slots_to_prune(ring, memory).size());
}

core::Vec<core::Slot> slots_to_prune(Ring ring, core::Memory &memory) {
  core::Vec<core::Slot> slots(memory);
  const int count = slots_of(ring);
  const core::Generation current = generation_of(ring);
  // Generations are consecutive modulo what rotation stepped over: the next slot on is the oldest.
  for (int step = 1; step < count; ++step) {
    const core::Slot slot = core::slot_of({current.value + step}, count);
    const core::Vec<Oid> leaves = leaves_of(tables_of(ring), slot, memory);
    if (!pg::try_lock_all(leaves, AccessShareLock)) continue;
    const bool empty = are_empty(leaves);
    pg::unlock_all(leaves, AccessShareLock);
    // A slot without content may still carry a seal, which keeps the ring from opening it.
    if (!empty || RingState(ring).has_seal(slot)) slots.push_back(slot);
  }
  return slots;
}

PruneOutcome drain(core::Slot slot, core::Memory &memory) {
  RingState state(Ring::queue);
  if (state.is_drained(slot)) return {Word::drained};
  const core::Vec<Oid> leaves = leaves_of(tables_of(Ring::queue), slot, memory);
  const PruneOutcome outcome = prove(Ring::queue, slot, state, leaves, nullptr, memory);
  if (outcome.word != Word::pruned) return outcome;
  state.drained(slot);
  return {Word::drained};
}

PruneOutcome empty(Ring ring, core::Slot slot, AlsoLive also_live, core::Memory &memory) {
  RingState state(ring);
  const core::Vec<Oid> leaves = leaves_of(tables_of(ring), slot, memory);
  const PruneOutcome outcome = prove(ring, slot, state, leaves, also_live, memory);
  if (outcome.word != Word::pruned) return outcome;
  if (!lock_against_readers(with_dependents(leaves, memory))) return {Word::skipped_locked};
  AWA_PAUSE_POINT("prune.before_truncate");
  if (ring == Ring::queue) count_slot(slot);
  truncate(tables_of(ring), slot, leaves);
  state.emptied(slot);
  return outcome;
}

}  // namespace awa::ring
