#include "core/cadence.hpp"

#include <algorithm>

#include "core/backoff.hpp"

namespace awa::core {

namespace {

// Far beyond any number of doublings that matters, and far from an overflow.
constexpr int kMostCounted = 1'000'000;

}  // namespace

bool is_due(const Pace &pace, const Cadence &cadence, Micros now) noexcept {
  if (pace.next_due <= now) return true;
  Micros longest = cadence.interval;
  if (pace.failures > 0) longest = std::max(longest, kLongestBackoff);
  if (pace.in_vain > 0) longest = std::max(longest, cadence.longest_vain);
  return pace.next_due - now > longest;
}

Pace after_run(const Pace &before, RunEnd end, const Cadence &cadence, Micros now, Micros wake_at,
               std::uint32_t jitter) noexcept {
  switch (end) {
    case RunEnd::failed: {
      const int failures = std::min(before.failures + 1, kMostCounted);
      return {now + backoff(failures, kFirstBackoff, kLongestBackoff, jitter), failures, 0};
    }
    case RunEnd::in_vain: {
      const int in_vain = std::min(before.in_vain + 1, kMostCounted);
      const Micros longest = std::max(cadence.interval, cadence.longest_vain);
      return {now + std::max(cadence.interval, backoff(in_vain, cadence.interval, longest, jitter)), 0, in_vain};
    }
    case RunEnd::more:
      return {now, 0, 0};
    case RunEnd::not_needed:
    case RunEnd::idle:
    case RunEnd::done:
      break;
  }
  const Micros regular = now + cadence.interval;
  return {wake_at == 0 ? regular : std::clamp(wake_at, now, regular), 0, 0};
}

bool is_due_to_turn(const SlotContent &slot, const TurnLimits &limits, Micros now) noexcept {
  if (slot.empty) return false;
  // A slot that is to be opened yet: the clock was set back.
  if (slot.opened_at == 0 || slot.opened_at > now || now - slot.opened_at >= limits.age) return true;
  return (limits.claims != 0 && slot.claims >= limits.claims) || (limits.bytes != 0 && slot.bytes >= limits.bytes);
}

bool is_to_be_noted(const Unnoted &unnoted, const Noted &noted, Micros now) noexcept {
  if (unnoted.failures_changed || (unnoted.did_something && !noted.by_this_session)) return true;
  return unnoted.ran && (noted.at == 0 || now < noted.at || now - noted.at >= kNoteInterval);
}

}  // namespace awa::core
