// Decides how far a rescue sweep came along the claims of a slot, and where the next one begins.
//
// A sweep visits a bounded number of claims from behind its cursor on, in the order of their positions, and goes on from the
// start where they end. The cursor is a hint: wherever it stands, every claim is visited once a round.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "core/ids.hpp"

namespace awa::core {

// The place of a claim in the order of a sweep: a time, and what tells claims of one time apart. Where the order is not by time,
// all have that of the start.
struct SweepPosition {
  Micros at;
  std::int64_t first;
  std::int64_t second;
  friend constexpr auto operator<=>(const SweepPosition &, const SweepPosition &) = default;
};

// Before every claim: the time is -infinity.
constexpr SweepPosition kSweepStart{std::numeric_limits<Micros>::min(), 0, 0};

// A claim that a sweep visited, and whether the next one need not begin with it: none of its attempts is due, or those that
// were are over now, or were busy once before.
struct SweepVisit {
  SweepPosition position;
  bool passable;
};

enum class Sweep : std::uint8_t {
  saw_all,   // there was nothing else to visit
  saw_some,  // it was cut off
};

// Where the cursor is to stand: behind the last claim before the first that cannot be passed. Nothing = it stays: the sweep
// saw all there is, and so will the next from wherever it begins; or the first claim cannot be passed.
std::optional<SweepPosition> cursor_after(std::span<const SweepVisit> visits, Sweep sweep) noexcept;

}  // namespace awa::core
