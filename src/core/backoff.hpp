// How long a job waits between two attempts.
#pragma once

#include <cstdint>

#include "core/ids.hpp"

namespace awa::core {

// base * 2^(attempt - 1) and up to a quarter more, by `jitter`, which is any random number; never more than `cap`. Jobs
// whose delay the cap cuts wait from four fifths of it to all of it, so that they do not come back all at once either.
// attempt >= 1 is the one that failed; base and cap are greater than 0. Whatever the attempt, nothing overflows.
Micros backoff(int attempt, Micros base, Micros cap, std::uint32_t jitter) noexcept;

}  // namespace awa::core
