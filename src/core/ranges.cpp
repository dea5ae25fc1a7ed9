#include "core/ranges.hpp"

#include <algorithm>

namespace awa::core {

void append(RangeSet &set, std::int64_t value) {
  if (!set.empty() && set.back().hi == value) {
    ++set.back().hi;
  } else {
    set.push_back({value, value + 1});
  }
}

void unite(RangeSet &set, RangeView other) {
  if (other.empty()) return;

  // Merged from the back, so that the work is in proportion to what lies behind the first range of `other`: evidence
  // tends to come in order.
  std::size_t mine = set.size();
  std::size_t theirs = other.size();
  set.resize(mine + theirs);
  for (std::size_t to = set.size(); theirs != 0;) {
    const bool mine_is_last = mine != 0 && set[mine - 1].lo > other[theirs - 1].lo;
    set[--to] = mine_is_last ? set[--mine] : other[--theirs];
  }

  // The ranges before `mine` did not move; the last of them may reach into the first that did.
  std::size_t last = mine == 0 ? 0 : mine - 1;
  for (std::size_t next = last + 1; next != set.size(); ++next) {
    if (set[next].lo <= set[last].hi) {
      set[last].hi = std::max(set[last].hi, set[next].hi);
    } else {
      set[++last] = set[next];
    }
  }
  set.resize(last + 1);
}

bool contains(RangeView set, std::int64_t value) noexcept {
  const auto starts_after = [](std::int64_t v, const Range &range) { return v < range.lo; };
  const auto after = std::upper_bound(set.begin(), set.end(), value, starts_after);
  return after != set.begin() && value < (after - 1)->hi;
}

bool covers(RangeView set, Range range) noexcept {
  const auto starts_after = [](std::int64_t value, const Range &each) { return value < each.lo; };
  const auto after = std::upper_bound(set.begin(), set.end(), range.lo, starts_after);
  return after != set.begin() && range.hi <= (after - 1)->hi;
}

bool intersects(RangeView a, RangeView b) noexcept {
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() && y != b.end()) {
    if (x->hi <= y->lo) {
      ++x;
    } else if (y->hi <= x->lo) {
      ++y;
    } else {
      return true;
    }
  }
  return false;
}

std::int64_t cardinality(RangeView set) noexcept {
  std::int64_t members = 0;
  for (const Range &range : set) members += range.hi - range.lo;
  return members;
}

RangeSet difference(RangeView a, RangeView b, Memory &memory) {
  RangeSet rest(memory);
  auto first_cut = b.begin();
  for (Range left : a) {
    while (first_cut != b.end() && first_cut->hi <= left.lo) ++first_cut;
    // first_cut itself stays: a cut that reaches beyond this range cuts the next one too.
    for (auto cut = first_cut; cut != b.end() && cut->lo < left.hi; ++cut) {
      if (left.lo < cut->lo) rest.push_back({left.lo, cut->lo});
      left.lo = cut->hi;
    }
    if (left.lo < left.hi) rest.push_back(left);
  }
  return rest;
}

}  // namespace awa::core
