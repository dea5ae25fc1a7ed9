// The cursors of the rescue sweeps, as stored with the slots of the claim ring. They are hints: see core/sweep.hpp.
#pragma once

#include "core/sweep.hpp"
#include "rescue/claim_window.hpp"

namespace awa::rescue {

core::SweepPosition cursor_of(core::Slot slot, Way way);

// Moves a cursor. It is written down now and then only, and not when somebody has the slot's row locked: another session may
// begin a minute behind, and where this one began if it is the first.
void move_cursor(core::Slot slot, Way way, const core::SweepPosition &position);

}  // namespace awa::rescue
