// Sets of 64-bit integers as ranges: what PostgreSQL calls an int8multirange, in memory.
//
// A set is sorted, its ranges are half-open, not empty, and neither overlap nor touch. INT64_MAX is not a member of any
// set (a half-open range could not name it).
#pragma once

#include <cstdint>
#include <span>

#include "core/containers.hpp"

namespace awa::core {

struct Range {
  std::int64_t lo;  // first member
  std::int64_t hi;  // one past the last member
  friend constexpr bool operator==(const Range &, const Range &) = default;
};

using RangeSet = Vec<Range>;
using RangeView = std::span<const Range>;

// Adds a value greater than every member. Values one apart grow the last range.
void append(RangeSet &set, std::int64_t value);

// Adds all members of `other`, which must not be a view of `set`.
void unite(RangeSet &set, RangeView other);

bool contains(RangeView set, std::int64_t value) noexcept;
// Whether all members of the range are members of the set.
bool covers(RangeView set, Range range) noexcept;
bool intersects(RangeView a, RangeView b) noexcept;

// Number of members. The caller knows that it fits.
std::int64_t cardinality(RangeView set) noexcept;

// The members of `a` that are not in `b`, in memory of `memory`.
RangeSet difference(RangeView a, RangeView b, Memory &memory);

}  // namespace awa::core
