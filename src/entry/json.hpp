// Reading jsonb arguments: objects key by key, with values of the type that is wanted or a refusal that names the key.
#pragma once

#include <span>
#include <string_view>

#include "core/containers.hpp"
#include "pg/guard.hpp"

namespace awa::entry {

// A key of an object and its value.
struct Field {
  std::string_view key;
  JsonbValue value;
  bool is_null() const noexcept { return value.type == jbvNull; }
};

std::string_view string_of(const JsonbValue &value) noexcept;
Datum jsonb_of(const JsonbValue &value);

inline bool is_array(const JsonbValue &value) noexcept {
  return value.type == jbvBinary && JsonContainerIsArray(value.val.binary.data);
}
inline bool is_object(const JsonbValue &value) noexcept {
  return value.type == jbvBinary && JsonContainerIsObject(value.val.binary.data);
}

// The elements of an array. Nested containers come whole.
core::Vec<JsonbValue> elements_of(JsonbContainer *array, core::Memory &memory);

// The fields of an object; each key comes once.
core::Vec<Field> fields_of(JsonbContainer *object, core::Memory &memory);

// Errors: 22023 for a value of another type.
[[noreturn]] void refuse_type(const Field &field, const char *expected);
std::string_view text_of(const Field &field);
// A number without a fraction, within 64 bits.
std::int64_t integer_of(const Field &field);
core::Vec<JsonbValue> strings_of(const Field &field, core::Memory &memory);

// Errors: those of the type's input.
TimestampTz timestamp_of(std::string_view value);

Datum empty_json_object();

}  // namespace awa::entry
