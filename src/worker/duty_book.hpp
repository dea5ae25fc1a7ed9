// What is known of each duty: when it is due, how it went. The table maintenance_state has it for everybody, but is written
// seldom (core/cadence.hpp); in between each session goes by its own memory, and by the table where another session ran the duty
// later.
#pragma once

#include <string_view>

#include "core/cadence.hpp"
#include "core/duty.hpp"
#include "pg/guard.hpp"

namespace awa::worker {

// One run of a duty, as it is told.
struct Run {
  core::RunEnd end = core::RunEnd::idle;
  std::string_view outcome;
  std::int64_t affected = 0;
  std::string_view error;  // of one that failed
  core::Micros began = 0;
  core::Micros ended = 0;
  core::Micros wake_at = 0;  // when there will be something to do; 0 = not known
};

// The session's page for the extension as it is installed now.
class DutyBook {
 public:
  // Reads the table. To be called in a transaction; what was of another extension is forgotten.
  static void read();

  static bool is_paused(core::Duty duty) noexcept;
  static bool is_due(core::Duty duty, const core::Cadence &cadence, core::Micros now) noexcept;
  static core::Micros next_due(core::Duty duty) noexcept;
  // Makes a duty due, if it does not fail.
  static void hasten(core::Duty duty) noexcept;

  static void enter(core::Duty duty, const Run &run, const core::Cadence &cadence);

  // Whether something is to be written down now; and writes down all there is, which `written` confirms when it is committed.
  static bool is_to_be_noted(core::Micros now) noexcept;
  static void write();
  static void written(core::Micros now) noexcept;
};

}  // namespace awa::worker
