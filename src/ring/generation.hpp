// Generations: which slot of a ring takes writes, and the protocol of writing into it.
#pragma once

#include "core/ring.hpp"
#include "ring/tables.hpp"

namespace awa::ring {

// The generation of a ring now. It is not MVCC data: the same in every isolation level, from the moment it is written.
core::Generation generation_of(Ring ring);

// Writes the generation of a ring: for all transactions, at once, for good. Rotation alone does.
void set_generation(Ring ring, core::Generation generation);

// A leaf of the current slot, locked ROW EXCLUSIVE until the transaction ends, and the generation it was current in.
struct CurrentLeaf {
  core::Generation generation;
  pg::OpenTable table;
};

// Assigns the transaction's xid, then locks the leaf of the current slot and makes sure that the slot was current while
// the lock was got: rotation passes by a slot that somebody has locked, so the slot stays ours to write into even when
// the ring turns later. `leaf_of` maps a slot to the leaf.
CurrentLeaf open_current(Ring ring, pg::CachedTable &(*leaf_of)(core::Slot));

}  // namespace awa::ring
