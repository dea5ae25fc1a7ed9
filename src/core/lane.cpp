#include "core/lane.hpp"

namespace awa::core {

int aged_priority(int priority, Micros waited, Micros aging) noexcept {
  if (waited <= 0 || aging <= 0) return priority;
  const std::int64_t steps = waited / aging;
  return steps < priority ? static_cast<int>(priority - steps) : 1;
}

}  // namespace awa::core
