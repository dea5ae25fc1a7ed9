// The cursors of the rescue sweeps, as stored with the slots of the claim ring. They are hints: see core/sweep.hpp.
#pragma once

#include "core/sweep.hpp"
#include "rescue/claim_window.hpp"

namespace awa::rescue {

core::SweepPosition cursor_of(core::Slot slot, Way way);

// Moves a cursor, unless somebody has the slot's row locked: then the next sweep begins where this one did.
void move_cursor(core::Slot slot, Way way, const core::SweepPosition &position);

}  // namespace awa::rescue
