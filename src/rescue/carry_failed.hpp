// Carrying of failed jobs: those whose queue wants them kept longer than their slot go to failed_history.
#pragma once

#include <cstdint>

#include "core/ids.hpp"

namespace awa::rescue {

// Moves some of the failed jobs of a slot of the queue ring that are to be kept. Returns how many; fewer than kMostFailedCarried:
// there are no more, or others are at work on them.
std::int32_t carry_failed(core::Slot slot);

constexpr std::int32_t kMostFailedCarried = 1'000;

}  // namespace awa::rescue
