#include "core/sweep.hpp"

#include <algorithm>

namespace awa::core {

std::optional<SweepPosition> cursor_after(std::span<const SweepVisit> visits, Sweep sweep) noexcept {
  if (sweep == Sweep::saw_all) return std::nullopt;
  const auto stuck =
      std::find_if(visits.begin(), visits.end(), [](const SweepVisit &visit) { return !visit.passable; });
  if (stuck == visits.begin()) return std::nullopt;
  return (stuck - 1)->position;
}

}  // namespace awa::core
