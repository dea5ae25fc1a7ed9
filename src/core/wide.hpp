// Sums of values: 128 bits wide, so that they are exact on the way and checked once, at the end.
#pragma once

#include <cstdint>
#include <limits>

namespace awa::core {

__extension__ using Wide = __int128;

// The least bigint has no opposite: it is no value.
constexpr std::int64_t kGreatestValue = std::numeric_limits<std::int64_t>::max();

constexpr bool is_value(Wide sum) noexcept { return sum >= -kGreatestValue && sum <= kGreatestValue; }

}  // namespace awa::core
