// Values between SQL and C++: arrays, multiranges, text, intervals. Everything here allocates in the current context.
#pragma once

#include "core/ranges.hpp"
#include "pg/guard.hpp"

namespace awa::pg {

// C++ to SQL.
Datum int8_array(std::span<const std::int64_t> values);
Datum int4_array(std::span<const std::int32_t> values);
Datum int2_array(std::span<const std::int16_t> values);
Datum timestamp_array(std::span<const core::Micros> values);
Datum xid8_array(std::span<const core::Xid> values);
Datum text_datum(std::string_view value);
// Of text values.
Datum text_array(std::span<const Datum> values);
Datum int8_multirange(core::RangeView set);

inline Datum datum(bool value) noexcept { return BoolGetDatum(value); }
inline Datum datum(std::int16_t value) noexcept { return Int16GetDatum(value); }
inline Datum datum(std::int32_t value) noexcept { return Int32GetDatum(value); }
inline Datum datum(std::int64_t value) noexcept { return Int64GetDatum(value); }
inline Datum datum(core::Xid value) noexcept { return UInt64GetDatum(value.value); }
template <typename Tag, typename Rep>
Datum datum(core::Id<Tag, Rep> id) noexcept {
  return datum(id.value);
}

// SQL to C++. The views point into the detoasted value.
std::string_view text_view(Datum value);
std::span<const std::int64_t> int8_values(Datum array);
std::span<const std::int16_t> int2_values(Datum array);
std::span<const core::Xid> xid8_values(Datum array);

// Adds the members of an int8multirange to `set`. Unbounded ranges are not ours and are refused. Growing `set` may throw.
void unite_multirange(core::RangeSet &set, Datum multirange);

// A value of any by-reference type in memory of the current context, out of line storage resolved. C room.
Datum copied(Datum value, bool is_null, std::int16_t length);
// The same of a value of variable length as it is stored: out of line it stays a reference, which is good as long as its row
// is kept. To be called in the C room.
Datum as_stored(Datum value, bool is_null);

// A text array of the user's: its elements. A null element or more than one dimension is refused (22023), naming
// `argument`.
struct ArrayElements {
  Datum *values;
  bool *nulls;
  std::size_t count;
};
enum class NullElements : std::uint8_t { refused, allowed };
ArrayElements elements(Datum array, const char *argument, NullElements null_elements);

// An interval as microseconds, months counting 30 days as everywhere in PostgreSQL. Saturates instead of overflowing.
core::Micros interval_micros(Datum interval);
Datum interval_of(core::Micros micros);

}  // namespace awa::pg
