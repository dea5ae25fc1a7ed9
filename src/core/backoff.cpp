#include "core/backoff.hpp"

#include <algorithm>

namespace awa::core {

namespace {

// value * numerator / 2^32 without a wider type: value is split into halves of 32 bits.
Micros scaled(Micros value, std::uint32_t numerator) noexcept {
  const auto whole = static_cast<std::uint64_t>(value);
  const std::uint64_t high = (whole >> 32) * numerator;
  const std::uint64_t low = ((whole & 0xffffffffu) * numerator) >> 32;
  return static_cast<Micros>(high + low);
}

}  // namespace

Micros backoff(int attempt, Micros base, Micros cap, std::uint32_t jitter) noexcept {
  const Micros most = cap - cap / 5;
  Micros delay = base;
  // Doubling stops where the next step would pass the greatest delay, long before it could overflow.
  for (int doublings = attempt - 1; doublings > 0 && delay < most; --doublings) {
    delay = delay > most / 2 ? most : delay * 2;
  }
  delay = std::min(delay, most);
  return std::clamp<Micros>(delay + scaled(delay / 4, jitter), 1, cap);
}

}  // namespace awa::core
