#include "entry/job_options.hpp"

#include "pg/transaction.hpp"

namespace awa::entry {

namespace {

constexpr core::Micros kFurthestRunAt = core::Micros{36525} * USECS_PER_DAY;  // a hundred years of the calendar

const char *quoted(std::string_view value) { return pg::format("\"%.*s\"", pg::shown_length(value, 64), value.data()); }

JsonbValue string_value(std::string_view value) noexcept {
  JsonbValue result;
  result.type = jbvString;
  result.val.string.val = const_cast<char *>(value.data());
  result.val.string.len = static_cast<int>(value.size());
  return result;
}

}  // namespace

core::Micros checked_run_at(TimestampTz run_at) {
  if (run_at <= pg::now() + kFurthestRunAt) return run_at;
  const char *const shown =
      pg::guarded([=] { return DatumGetCString(DirectFunctionCall1(timestamptz_out, TimestampTzGetDatum(run_at))); });
  refuse_value("run_at", shown, "null or past (now), or up to 100 years ahead");
}

queue::OnConflict checked_on_conflict(std::string_view value) {
  if (value == "raise") return queue::OnConflict::raise;
  if (value == "ignore") return queue::OnConflict::ignore;
  if (value == "replace") return queue::OnConflict::replace;
  refuse_value("on_conflict", quoted(value), "raise, ignore or replace");
}

core::StateMask checked_unique_state(std::string_view value) {
  const auto state = core::job_state_of(value);
  if (state && core::holds(kUniqueAlways, *state)) return core::bit_of(*state);
  refuse_value("unique_while", quoted(value),
               "an array of scheduled, available, running, waiting_external and retryable");
}

Datum checked_unique_key(std::string_view key, core::StateMask states) {
  checked_text("unique_key", key, kLongestUniqueKey);
  if (states == 0 || !core::hangs_together(states)) {
    pg::raise(
        {.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
         .message = states == 0 ? "unique_while must name a state" : "the states of unique_while do not hang together",
         .hint = "A key that is held while running is held while available, and one that is held while "
                 "waiting_external is held while running: no claim is to fail for a key."});
  }
  return pg::text_datum(key);
}

Datum payload_of(Datum metadata, std::span<const std::string_view> tags) {
  if (tags.size() > kMostTags) {
    refuse_value("tags", pg::format("%zu tags", tags.size()), pg::format("at most %zu", kMostTags));
  }
  for (const std::string_view tag : tags) checked_text("a tag", tag, kLongestTag);
  Jsonb *object = nullptr;
  if (metadata != 0) {
    check_size("metadata", metadata);
    object = pg::guarded([=] { return DatumGetJsonbP(metadata); });
    if (!JB_ROOT_IS_OBJECT(object)) {
      pg::raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
                 .message = "metadata must be a JSON object",
                 .hint = "Give an object, as in '{\"trace\": 1}'; other data belongs into args."});
    }
    if (JB_ROOT_COUNT(object) == 0) object = nullptr;
  }
  if (object == nullptr && tags.empty()) return Datum{0};
  return pg::guarded([=] {
    JsonbParseState *state = nullptr;
    const auto push = [&](JsonbIteratorToken token, JsonbValue *value) { return pushJsonbValue(&state, token, value); };
    push(WJB_BEGIN_OBJECT, nullptr);
    if (!tags.empty()) {
      JsonbValue key = string_value("tags");
      push(WJB_KEY, &key);
      push(WJB_BEGIN_ARRAY, nullptr);
      for (const std::string_view tag : tags) {
        JsonbValue element = string_value(tag);
        push(WJB_ELEM, &element);
      }
      push(WJB_END_ARRAY, nullptr);
    }
    if (object != nullptr) {
      JsonbValue key = string_value("metadata");
      push(WJB_KEY, &key);
      JsonbValue value;
      value.type = jbvBinary;
      value.val.binary.data = &object->root;
      value.val.binary.len = static_cast<int>(VARSIZE_ANY_EXHDR(object));
      push(WJB_VALUE, &value);
    }
    return JsonbPGetDatum(JsonbValueToJsonb(push(WJB_END_OBJECT, nullptr)));
  });
}

JobOptions job_options(const Arguments &arguments) {
  JobOptions options;
  const std::string_view kind = arguments.text(1, "kind", kLongestKind);
  options.kind = pg::text_datum(kind);
  options.priority = arguments.int4(3, "priority", 1, 4);
  if (!arguments.is_null(4)) options.run_at = checked_run_at(DatumGetTimestampTz(arguments.datum(4)));
  options.max_attempts = arguments.optional_int4(5, "max_attempts", 1, 1000);
  if (arguments.optional_interval(6, "deadline", Arguments::Zero::allowed)) options.own_deadline = arguments.datum(6);
  arguments.require(8, "unique_while");
  const pg::ArrayElements states = pg::elements(arguments.datum(8), "unique_while", pg::NullElements::refused);
  options.unique_states = 0;
  for (std::size_t i = 0; i < states.count; ++i) {
    options.unique_states |= checked_unique_state(pg::text_view(states.values[i]));
  }
  arguments.require(9, "on_conflict");
  options.on_conflict = checked_on_conflict(pg::text_view(arguments.datum(9)));
  arguments.require(11, "metadata");
  arguments.require(12, "tags");
  const pg::ArrayElements tags = pg::elements(arguments.datum(12), "tags", pg::NullElements::refused);
  if (tags.count > kMostTags) {
    refuse_value("tags", pg::format("%zu tags", tags.count), pg::format("at most %zu", kMostTags));
  }
  std::string_view views[kMostTags];
  for (std::size_t i = 0; i < tags.count; ++i) views[i] = pg::text_view(tags.values[i]);
  options.payload = payload_of(arguments.datum(11), {views, tags.count});
  return options;
}

}  // namespace awa::entry
