#include "pg/datum.hpp"

#include <limits>

#include "pg/compat.hpp"
#include "pg/error.hpp"

namespace awa::pg {

namespace {

__extension__ using Wide = __int128;

// A one-dimensional array without nulls of a fixed-size type, laid out as ARR_DATA_PTR expects it.
Datum fixed_array(const void *values, std::size_t count, std::size_t width, Oid type) {
  return guarded([=] {
    if (count == 0) return PointerGetDatum(construct_empty_array(type));
    const std::size_t size = ARR_OVERHEAD_NONULLS(1) + count * width;
    auto *const array = static_cast<ArrayType *>(palloc0(size));
    SET_VARSIZE(array, size);
    array->ndim = 1;
    array->dataoffset = 0;
    array->elemtype = type;
    int *const dimensions = ARR_DIMS(array);
    dimensions[0] = static_cast<int>(count);
    dimensions[1] = 1;  // the lower bound lies behind the length
    memcpy(reinterpret_cast<char *>(array) + ARR_OVERHEAD_NONULLS(1), values, count * width);
    return PointerGetDatum(array);
  });
}

struct FixedValues {
  const void *data;
  std::size_t count;
};

FixedValues fixed_values(Datum datum, Oid type) {
  return guarded([=] {
    ArrayType *const array = DatumGetArrayTypeP(datum);
    if (ARR_ELEMTYPE(array) != type || ARR_HASNULL(array) || ARR_NDIM(array) > 1) {
      elog(ERROR, "unexpected array in a table of awa_ring");
    }
    if (ARR_NDIM(array) == 0) return FixedValues{nullptr, 0};
    return FixedValues{reinterpret_cast<const char *>(array) + ARR_OVERHEAD_NONULLS(1),
                       static_cast<std::size_t>(ARR_DIMS(array)[0])};
  });
}

template <typename T>
Datum array_of(std::span<const T> values, Oid type) {
  return fixed_array(values.data(), values.size(), sizeof(T), type);
}

template <typename T>
std::span<const T> values_of(Datum datum, Oid type) {
  const FixedValues values = fixed_values(datum, type);
  return {static_cast<const T *>(values.data), values.count};
}

TypeCacheEntry *int8_range_type() { return lookup_type_cache(INT8MULTIRANGEOID, TYPECACHE_MULTIRANGE_INFO)->rngtype; }

}  // namespace

Datum int8_array(std::span<const std::int64_t> values) { return array_of(values, INT8OID); }
Datum int4_array(std::span<const std::int32_t> values) { return array_of(values, INT4OID); }
Datum int2_array(std::span<const std::int16_t> values) { return array_of(values, INT2OID); }
Datum timestamp_array(std::span<const core::Micros> values) { return array_of(values, TIMESTAMPTZOID); }
Datum xid8_array(std::span<const core::Xid> values) { return array_of(values, XID8OID); }

Datum text_datum(std::string_view value) {
  return guarded(
      [=] { return PointerGetDatum(cstring_to_text_with_len(value.data(), static_cast<int>(value.size()))); });
}

Datum text_array(std::span<const Datum> values) {
  return guarded([=] {
    return PointerGetDatum(construct_array(const_cast<Datum *>(values.data()), static_cast<int>(values.size()), TEXTOID,
                                           -1, false, TYPALIGN_INT));
  });
}

Datum int8_multirange(core::RangeView set) {
  return guarded([=] {
    TypeCacheEntry *const range_type = int8_range_type();
    auto **const ranges = static_cast<RangeType **>(palloc(sizeof(RangeType *) * std::max<std::size_t>(set.size(), 1)));
    for (std::size_t i = 0; i < set.size(); ++i) {
      RangeBound lower = {Int64GetDatum(set[i].lo), false, true, true};
      RangeBound upper = {Int64GetDatum(set[i].hi), false, false, false};
      ranges[i] = make_int8_range(range_type, &lower, &upper);
    }
    return MultirangeTypePGetDatum(
        make_multirange(INT8MULTIRANGEOID, range_type, static_cast<int32>(set.size()), ranges));
  });
}

std::string_view text_view(Datum value) {
  return guarded([=] {
    text *const detoasted = DatumGetTextPP(value);
    return std::string_view(VARDATA_ANY(detoasted), VARSIZE_ANY_EXHDR(detoasted));
  });
}

std::span<const std::int64_t> int8_values(Datum array) { return values_of<std::int64_t>(array, INT8OID); }
std::span<const std::int16_t> int2_values(Datum array) { return values_of<std::int16_t>(array, INT2OID); }
std::span<const core::Xid> xid8_values(Datum array) { return values_of<core::Xid>(array, XID8OID); }

void unite_multirange(core::RangeSet &set, Datum multirange) {
  const auto ranges = guarded([=] {
    MultirangeType *const value = DatumGetMultirangeTypeP(multirange);
    TypeCacheEntry *const range_type = int8_range_type();
    auto *const result = static_cast<core::Range *>(palloc(sizeof(core::Range) * (value->rangeCount + 1)));
    for (uint32 i = 0; i < value->rangeCount; ++i) {
      RangeBound lower;
      RangeBound upper;
      multirange_get_bounds(range_type, value, i, &lower, &upper);
      if (lower.infinite || upper.infinite) elog(ERROR, "unbounded range in a table of awa_ring");
      result[i] = {DatumGetInt64(lower.val), DatumGetInt64(upper.val)};
    }
    return std::span<const core::Range>(result, value->rangeCount);
  });
  core::unite(set, ranges);
}

Datum copied(Datum value, bool is_null, std::int16_t length) {
  if (is_null) return Datum{0};
  if (length == -1) {
    // A short header is as good as a long one; that of what is stored out of line passes for short.
    char *const stored = DatumGetPointer(value);
    if (!VARATT_IS_SHORT(stored) || VARATT_IS_EXTERNAL(stored)) return PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
  }
  return datumCopy(value, false, length);
}

Datum as_stored(Datum value, bool is_null) { return is_null ? Datum{0} : datumCopy(value, false, -1); }

ArrayElements elements(Datum array, const char *argument, NullElements null_elements) {
  ArrayType *const value = guarded([=] { return DatumGetArrayTypeP(array); });
  if (ARR_NDIM(value) > 1) {
    raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
           .message = format("%s must be a one-dimensional array", argument),
           .detail = format("It has %d dimensions.", ARR_NDIM(value)),
           .hint = "Pass a plain list."});
  }
  ArrayElements result = guarded([=] {
    ArrayElements elements;
    int count = 0;
    int16 length = 0;
    bool by_value = false;
    char alignment = 0;
    get_typlenbyvalalign(ARR_ELEMTYPE(value), &length, &by_value, &alignment);
    deconstruct_array(value, ARR_ELEMTYPE(value), length, by_value, alignment, &elements.values, &elements.nulls,
                      &count);
    elements.count = static_cast<std::size_t>(count);
    return elements;
  });
  for (std::size_t i = 0; null_elements == NullElements::refused && i < result.count; ++i) {
    if (result.nulls[i]) {
      raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
             .message = format("%s must not contain nulls", argument),
             .detail = format("Element %zu is null.", i + 1),
             .hint = "Leave it out."});
    }
  }
  return result;
}

core::Micros interval_micros(Datum interval) {
  const Interval *const value = DatumGetIntervalP(interval);
  // 128 bits hold the greatest interval there is.
  const Wide total =
      static_cast<Wide>(value->time) + (static_cast<Wide>(value->month) * DAYS_PER_MONTH + value->day) * USECS_PER_DAY;
  constexpr auto least = std::numeric_limits<core::Micros>::min();
  constexpr auto most = std::numeric_limits<core::Micros>::max();
  return total < least ? least : total > most ? most : static_cast<core::Micros>(total);
}

Datum interval_of(core::Micros micros) {
  return guarded([=] {
    auto *const interval = static_cast<Interval *>(palloc0(sizeof(Interval)));
    interval->time = micros;
    return IntervalPGetDatum(interval);
  });
}

}  // namespace awa::pg
