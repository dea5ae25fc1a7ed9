#include "entry/json.hpp"

#include <charconv>

#include "pg/error.hpp"

namespace awa::entry {

namespace {

// Keys and values in turn, for an object.
core::Vec<JsonbValue> members(JsonbContainer *container, core::Memory &memory) {
  core::Vec<JsonbValue> result(memory);
  pg::guarded([&] {
    JsonbIterator *iterator = JsonbIteratorInit(container);
    JsonbValue value;
    JsonbIteratorNext(&iterator, &value, false);
    for (;;) {
      const JsonbIteratorToken token = JsonbIteratorNext(&iterator, &value, true);
      if (token != WJB_KEY && token != WJB_VALUE && token != WJB_ELEM) return;
      result.push_back(value);
    }
  });
  return result;
}

}  // namespace

std::string_view string_of(const JsonbValue &value) noexcept {
  return {value.val.string.val, static_cast<std::size_t>(value.val.string.len)};
}

Datum jsonb_of(const JsonbValue &value) {
  JsonbValue copy = value;
  return pg::guarded([&] { return JsonbPGetDatum(JsonbValueToJsonb(&copy)); });
}

core::Vec<JsonbValue> elements_of(JsonbContainer *array, core::Memory &memory) { return members(array, memory); }

core::Vec<Field> fields_of(JsonbContainer *object, core::Memory &memory) {
  const core::Vec<JsonbValue> flat = members(object, memory);
  core::Vec<Field> fields(memory);
  fields.reserve(flat.size() / 2);
  for (std::size_t i = 0; i + 1 < flat.size(); i += 2) fields.push_back({string_of(flat[i]), flat[i + 1]});
  return fields;
}

void refuse_type(const Field &field, const char *expected) {
  const Datum value = jsonb_of(field.value);
  const std::string_view shown = pg::guarded([=] { return DatumGetCString(DirectFunctionCall1(jsonb_out, value)); });
  pg::raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
             .message = pg::format("%.*s must be %s", pg::shown_length(field.key, 64), field.key.data(), expected),
             .detail = pg::format("It is %.*s.", pg::shown_length(shown, 64), shown.data())});
}

std::string_view text_of(const Field &field) {
  if (field.value.type != jbvString) refuse_type(field, "a string");
  return string_of(field.value);
}

std::int64_t integer_of(const Field &field) {
  if (field.value.type != jbvNumeric) refuse_type(field, "an integer");
  const std::string_view digits = pg::guarded(
      [&] { return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(field.value.val.numeric))); });
  std::int64_t value = 0;
  // What does not fit 64 bits is no integer that any key could take.
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) refuse_type(field, "an integer");
  return value;
}

core::Vec<JsonbValue> strings_of(const Field &field, core::Memory &memory) {
  if (!is_array(field.value)) refuse_type(field, "an array of strings");
  core::Vec<JsonbValue> elements = elements_of(field.value.val.binary.data, memory);
  for (const JsonbValue &element : elements) {
    if (element.type != jbvString) refuse_type(field, "an array of strings");
  }
  return elements;
}

TimestampTz timestamp_of(std::string_view value) {
  const char *const input = pg::format("%.*s", static_cast<int>(value.size()), value.data());
  return pg::guarded([=] {
    return DatumGetTimestampTz(
        DirectFunctionCall3(timestamptz_in, CStringGetDatum(input), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
  });
}

Datum empty_json_object() {
  return pg::guarded([] { return DirectFunctionCall1(jsonb_in, CStringGetDatum("{}")); });
}

}  // namespace awa::entry
