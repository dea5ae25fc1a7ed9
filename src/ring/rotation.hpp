// Rotation: the ring turns to the next slot that is empty and that nobody writes to.
#pragma once

#include "core/containers.hpp"
#include "ring/tables.hpp"

namespace awa::ring {

enum class RotateOutcome : std::uint8_t {
  rotated,
  skipped_idle,    // the current slot holds nothing
  skipped_busy,    // no other slot is empty and free of writers
  skipped_locked,  // maintenance is at work on the ring already
};

const char *word_of(RotateOutcome outcome) noexcept;

// Turns the ring once, whatever the age of its current slot. The transaction must not have written a ring; it runs with
// the rights of the extension's owner. A slot that a transaction still writes to is stepped over.
RotateOutcome rotate(Ring ring, core::Memory &memory);

}  // namespace awa::ring
