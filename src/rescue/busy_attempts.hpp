// What this session remembers of attempts that maintenance could not have: their keys were held by others, or their rows
// could not be dealt with.
//
// Whoever holds a key of an attempt keeps its heartbeats out as well. So the attempt is not stale before its time has run
// once more, counted from when its key was met held. And a sweep that was held up by one steps round it the next time. It is
// a hint: a session that starts anew knows nothing, and an attempt that is rescued too early is rescued like any other.
#pragma once

#include <optional>

#include "core/key_plan.hpp"
#include "core/receipt.hpp"

namespace awa::rescue {

// Remembers that the key was held by others. A held receipt key is that of one attempt, a coarse one that of many.
void note_busy(const core::AttemptKey &key, core::Micros now) noexcept;

// Remembers that the attempt could not be dealt with, for a reason that is its own.
void note_bad(const core::Receipt &receipt, core::Micros now) noexcept;

// When a key that covers the attempt was last met held, if it was.
std::optional<core::Micros> last_busy(const core::Receipt &receipt) noexcept;

// Whether it was met held at any time before `now`: then it held a sweep up already.
bool was_busy_before(const core::Receipt &receipt, core::Micros now) noexcept;

// Whether the attempt is to be left alone: it could not be dealt with a short while ago.
bool is_bad(const core::Receipt &receipt, core::Micros now) noexcept;

}  // namespace awa::rescue
