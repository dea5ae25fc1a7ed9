// Decides when a duty of maintenance is due again, when a ring is to be turned, and when what a duty did is worth writing
// down. Times come as parameters; nothing here remembers anything.
#pragma once

#include <cstdint>

#include "core/ids.hpp"

namespace awa::core {

// How a duty came out of its turn.
enum class RunEnd : std::uint8_t {
  not_needed,  // a look showed that it was not wanted: that is no run
  idle,        // it ran, and found nothing to do
  done,        // it did what there was to do
  more,        // it did something, and there is more
  in_vain,     // there was something to do, and none of it could be done
  failed,      // an error
};

// How often a duty runs.
struct Cadence {
  Micros interval;      // between two runs that go well
  Micros longest_vain;  // after runs in vain the interval doubles, up to this
};

// What a duty goes by.
struct Pace {
  Micros next_due = 0;
  int failures = 0;  // in a row
  int in_vain = 0;   // in a row
  friend constexpr bool operator==(const Pace &, const Pace &) = default;
};

constexpr Micros kFirstBackoff = 1'000'000;
constexpr Micros kLongestBackoff = 60'000'000;

// Whether a duty is due. One that would be due later than its last run could say now is due as well: the clock was set back, or
// the cadence is another one.
bool is_due(const Pace &pace, const Cadence &cadence, Micros now) noexcept;

// The pace after a run that ended at `now`. Failures back off, from one second to a minute; so do runs in vain, as the cadence
// says. `wake_at`: when there will be something to do, if that is known and earlier than the interval; 0 = not known.
Pace after_run(const Pace &before, RunEnd end, const Cadence &cadence, Micros now, Micros wake_at,
               std::uint32_t jitter) noexcept;

// What the current slot of a ring holds.
struct SlotContent {
  bool empty = true;
  Micros opened_at = 0;     // 0 = not known
  std::int64_t claims = 0;  // about; where it matters
  std::int64_t bytes = 0;   // where it matters
};

// When a slot is to be turned away from; 0 = whatever it holds.
struct TurnLimits {
  Micros age = 0;
  std::int64_t claims = 0;
  std::int64_t bytes = 0;
};

// A ring with an empty current slot never turns. Any other does when its slot reached one of the limits.
bool is_due_to_turn(const SlotContent &slot, const TurnLimits &limits, Micros now) noexcept;

// How long slots of the queue ring take what is new, if nothing else is said: so that the history that is to be kept fills most
// of the ring, and not all of it.
constexpr Micros turn_age_for(Micros history_retention) noexcept {
  constexpr Micros least = 1'000'000;
  return history_retention / 12 < least ? least : history_retention / 12;
}

// What happened in a duty that is not written down.
struct Unnoted {
  bool ran = false;
  bool did_something = false;
  bool failures_changed = false;
};

constexpr Micros kNoteInterval = 60'000'000;

// When something was written down last.
struct Noted {
  Micros at = 0;                 // by whomever; 0 = never
  bool by_this_session = false;  // ever
};

// Whether to write it down now: when a duty begins to fail, goes on to, or no longer does; else once a minute, since every note
// leaves a dead row. A session that has not written yet writes what it did, since it may be gone after its first round.
bool is_to_be_noted(const Unnoted &unnoted, const Noted &noted, Micros now) noexcept;

}  // namespace awa::core
