#include "core/movements.hpp"

#include <algorithm>

namespace awa::core {

void merge_changes(Vec<Change> &changes) {
  std::sort(changes.begin(), changes.end(), [](const Change &a, const Change &b) { return a.wallet < b.wallet; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (kept > 0 && changes[kept - 1].wallet == changes[i].wallet) {
      changes[kept - 1].amount += changes[i].amount;
    } else {
      changes[kept++] = changes[i];
    }
  }
  changes.erase(changes.begin() + static_cast<std::ptrdiff_t>(kept), changes.end());
}

Vec<Change> changes_of(std::span<const Leg> legs, Memory &memory) {
  Vec<Change> changes(memory);
  changes.reserve(2 * legs.size());
  for (const Leg &leg : legs) {
    changes.push_back({{leg.from, leg.asset}, -Wide{leg.amount}});
    changes.push_back({{leg.to, leg.asset}, Wide{leg.amount}});
  }
  merge_changes(changes);
  return changes;
}

}  // namespace awa::core
