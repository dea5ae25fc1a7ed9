// All leaves of a slot, for maintenance: rotation and prune lock and empty a slot as a whole.
#pragma once

#include <span>

#include "core/containers.hpp"
#include "pg/guard.hpp"
#include "ring/tables.hpp"

namespace awa::ring {

// The tables of a ring, in the order in which their leaves are locked.
std::span<const char *const> tables_of(Ring ring) noexcept;

// Those of them whose rows make a slot worth turning away from; frontiers alone do not.
std::span<const char *const> content_tables_of(Ring ring) noexcept;

// Oids of the leaves of the tables in a slot, in the same order.
core::Vec<Oid> leaves_of(std::span<const char *const> tables, core::Slot slot, core::Memory &memory);

// Whether none of the leaves, which the caller has locked, has a block.
bool are_empty(std::span<const Oid> leaves);

// Whether the slot holds nothing worth turning away from, looked at under locks that readers take. One that is not to be had
// holds something.
bool holds_nothing(Ring ring, core::Slot slot, core::Memory &memory);

// Oids of the leaves of a slot with their TOAST tables and all their indexes: what TRUNCATE locks.
core::Vec<Oid> with_dependents(std::span<const Oid> leaves, core::Memory &memory);

}  // namespace awa::ring
