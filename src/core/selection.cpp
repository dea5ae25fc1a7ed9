#include "core/selection.hpp"

#include <algorithm>

namespace awa::core {

namespace {

// How many postings to be rid of in one payment: the more there are, the more.
std::size_t surplus(std::size_t free, std::size_t contested) noexcept {
  const std::size_t comfortable = kComfortable + kRoomEach * contested;
  return free <= comfortable ? 0 : (free - comfortable + 1) / 2;
}

}  // namespace

Selection select(std::span<const Candidate> seen, std::int64_t amount, Memory &memory) {
  Selection result{.alternatives = Vec<std::uint32_t>(memory),
                   .needed = Vec<std::uint32_t>(memory),
                   .extra = Vec<std::uint32_t>(memory)};
  Vec<std::uint32_t> free(memory);
  free.reserve(seen.size());
  for (std::uint32_t place = 0; place < seen.size(); ++place) {
    const Candidate &candidate = seen[place];
    if (candidate.contested) {
      result.contested += candidate.value;
      continue;
    }
    result.available += candidate.value;
    free.push_back(place);
    if (candidate.value >= amount) result.alternatives.push_back(place);
  }
  result.covered = result.available >= amount;
  const std::size_t contested = seen.size() - free.size();
  result.crowded = contested > 0 && contested >= free.size();
  if (!result.covered) return result;

  if (result.alternatives.empty()) {
    Vec<std::uint32_t> greatest(free, memory);
    std::stable_sort(greatest.begin(), greatest.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return seen[a].value > seen[b].value; });
    Wide sum = 0;
    for (const std::uint32_t place : greatest) {
      if (sum >= amount) break;
      sum += seen[place].value;
      result.needed.push_back(place);
    }
  }

  const std::size_t used = std::max<std::size_t>(result.needed.size(), 1);
  const std::size_t wanted = surplus(free.size(), contested);
  if (wanted <= used) return result;
  // From the far end: those that would be met last.
  for (std::size_t i = free.size(); i-- > 0 && result.extra.size() < wanted - used;) {
    const std::uint32_t place = free[i];
    const auto &taken = result.needed.empty() ? std::span<const std::uint32_t>(result.alternatives).first(1)
                                              : std::span<const std::uint32_t>(result.needed);
    if (std::find(taken.begin(), taken.end(), place) == taken.end()) result.extra.push_back(place);
  }
  return result;
}

StaticVec<std::int64_t, 2> change_parts(std::int64_t change, bool crowded) noexcept {
  StaticVec<std::int64_t, 2> parts;
  if (change == 0) return parts;
  if (crowded && change > 1) {
    parts.push_back(change / 2);
    parts.push_back(change - change / 2);
  } else {
    parts.push_back(change);
  }
  return parts;
}

}  // namespace awa::core
