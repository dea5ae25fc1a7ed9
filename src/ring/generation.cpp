#include "ring/generation.hpp"

#include "pg/pause_point.hpp"
#include "pg/sequence.hpp"
#include "pg/transaction.hpp"

namespace awa::ring {

namespace {

constinit pg::CachedSequence queue_generation("queue_ring_generation");
constinit pg::CachedSequence claim_generation("claim_ring_generation");
constinit pg::CachedSequence lease_generation("lease_ring_generation");

pg::CachedSequence &sequence_of(Ring ring) noexcept {
  return ring == Ring::queue ? queue_generation : ring == Ring::claim ? claim_generation : lease_generation;
}

}  // namespace

core::Generation generation_of(Ring ring) { return {pg::last_value(sequence_of(ring).oid())}; }

void set_generation(Ring ring, core::Generation generation) {
  pg::set_value(sequence_of(ring).oid(), generation.value);
}

CurrentLeaf open_current(Ring ring, pg::CachedTable &(*leaf_of)(core::Slot)) {
  pg::own_xid();
  for (;;) {
    const core::Generation generation = generation_of(ring);
    AWA_PAUSE_POINT("ring.before_leaf");
    pg::OpenTable leaf(leaf_of(core::slot_of(generation, slots_of(ring))), RowExclusiveLock);
    if (generation_of(ring) == generation) return {generation, std::move(leaf)};
    leaf.unlock();
  }
}

}  // namespace awa::ring
