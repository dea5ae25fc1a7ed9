// States of jobs, and the masks that say in which of them a job holds its unique key.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace awa::core {

// In the order of the bits of a mask.
enum class JobState : std::uint8_t {
  scheduled,
  available,
  running,
  waiting_external,
  retryable,
  completed,
  failed,
  cancelled,
  dead_letter,
};

constexpr std::array<std::string_view, 9> kJobStateNames = {"scheduled",        "available", "running",
                                                            "waiting_external", "retryable", "completed",
                                                            "failed",           "cancelled", "dead_letter"};

constexpr std::string_view name_of(JobState state) noexcept { return kJobStateNames[static_cast<std::size_t>(state)]; }

constexpr std::optional<JobState> job_state_of(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kJobStateNames.size(); ++i) {
    if (kJobStateNames[i] == name) return static_cast<JobState>(i);
  }
  return std::nullopt;
}

// A set of states, as unique_states stores it.
using StateMask = std::int16_t;

constexpr StateMask bit_of(JobState state) noexcept {
  return static_cast<StateMask>(1 << static_cast<unsigned>(state));
}

constexpr bool holds(StateMask mask, JobState state) noexcept { return (mask & bit_of(state)) != 0; }

// Whether the states of a mask hang together: a job takes its key when it is enqueued, becomes due or comes back, never in
// the middle of a claim or of an attempt. So a key that is held while running is held while available, and one that is
// held while waiting for a callback is held while running.
constexpr bool hangs_together(StateMask mask) noexcept {
  if (holds(mask, JobState::running) && !holds(mask, JobState::available)) return false;
  return !holds(mask, JobState::waiting_external) || holds(mask, JobState::running);
}

// What a change of state does to a job's unique key.
enum class KeyChange : std::uint8_t { none, given_up, taken };

constexpr KeyChange key_change(StateMask mask, std::optional<JobState> from, std::optional<JobState> to) noexcept {
  const bool held = from && holds(mask, *from);
  const bool wanted = to && holds(mask, *to);
  if (held == wanted) return KeyChange::none;
  return wanted ? KeyChange::taken : KeyChange::given_up;
}

}  // namespace awa::core
