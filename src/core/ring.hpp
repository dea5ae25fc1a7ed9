// Ring arithmetic: a ring is a fixed set of slots; generations only grow, and a generation lives in one slot.
#pragma once

#include "core/ids.hpp"

namespace awa::core {

constexpr int kQueueSlots = 16;
constexpr int kClaimSlots = 8;
constexpr int kLeaseSlots = 8;

// generation >= 0, slots >= 1.
constexpr Slot slot_of(Generation generation, int slots) noexcept {
  return {static_cast<std::int32_t>(generation.value % slots)};
}

// The newest generation up to `current` that lives in `slot`: what an entry of that slot belongs to, as long as the
// slot was not reused. Negative if the slot was never current.
constexpr Generation newest_generation_in(Slot slot, Generation current, int slots) noexcept {
  const auto behind = ((current.value - slot.value) % slots + slots) % slots;
  return {current.value - behind};
}

}  // namespace awa::core
