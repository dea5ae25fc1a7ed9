// The duties of maintenance, in the order in which a round runs those that are due.
//
// A ring is turned before room is made in it, and what was claimed is looked after before what waits: a slot of the queue
// ring can be emptied when the claims that refer to it are over.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace awa::core {

enum class Duty : std::uint8_t {
  promote_due,
  rescue_stale,
  rescue_deadlines,
  rescue_callbacks,
  expire_holds,
  rotate_claim,
  rotate_lease,
  rotate_queue,
  make_room_claim,
  make_room_lease,
  make_room_queue,
  apply_retention,
  consolidate,
};

constexpr std::array<std::string_view, 13> kDutyNames = {
    "promote_due",     "rescue_stale",    "rescue_deadlines", "rescue_callbacks", "expire_holds",
    "rotate_claim",    "rotate_lease",    "rotate_queue",     "make_room_claim",  "make_room_lease",
    "make_room_queue", "apply_retention", "consolidate"};
constexpr std::size_t kDuties = kDutyNames.size();

constexpr std::string_view name_of(Duty duty) noexcept { return kDutyNames[static_cast<std::size_t>(duty)]; }

constexpr std::optional<Duty> duty_of(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kDuties; ++i) {
    if (kDutyNames[i] == name) return static_cast<Duty>(i);
  }
  return std::nullopt;
}

}  // namespace awa::core
