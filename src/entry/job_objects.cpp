#include "entry/job_objects.hpp"

#include <charconv>

#include "core/lane.hpp"
#include "pg/error_context.hpp"
#include "queue/enqueue.hpp"

namespace awa::entry {

namespace {

constexpr std::string_view kKeys[] = {"queue",        "kind",     "args",       "priority",     "run_at",
                                      "max_attempts", "deadline", "unique_key", "unique_while", "on_conflict",
                                      "ordering_key", "metadata", "tags"};

// A key of a job object and its value.
struct Field {
  std::string_view key;
  JsonbValue value;
};

std::string_view string_of(const JsonbValue &value) noexcept {
  return {value.val.string.val, static_cast<std::size_t>(value.val.string.len)};
}

Datum jsonb_of(const JsonbValue &value) {
  JsonbValue copy = value;
  return pg::guarded([&] { return JsonbPGetDatum(JsonbValueToJsonb(&copy)); });
}

[[noreturn]] void refuse_shape(const char *what) {
  pg::raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
             .message = what,
             .hint = "jobs is an array of objects, each with at least the keys queue and kind."});
}

// The elements of a container of the given kind, keys and values in turn for an object. Nested containers come whole.
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

// One job object, key by key.
class ObjectReader {
 public:
  explicit ObjectReader(core::Memory &memory) : memory_(memory) {}

  JobObject read(JsonbContainer *object) {
    const core::Vec<JsonbValue> fields = members(object, memory_);
    for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
      const Field field{string_of(fields[i]), fields[i + 1]};
      check_key(field.key);
      if (field.value.type != jbvNull) take(field);
    }
    if (job_.queue.empty()) refuse_null("queue");
    if (job_.options.kind == 0) refuse_null("kind");
    if (job_.args == 0) job_.args = empty_object();
    if (job_.options.priority == 0) job_.options.priority = core::kDefaultPriority;
    job_.options.payload = payload_of(metadata_, tags_);
    if (keyed_) job_.options.unique_key = checked_unique_key(unique_key_, job_.options.unique_states);
    return job_;
  }

 private:
  void take(const Field &field) {
    const std::string_view key = field.key;
    if (key == "queue") {
      job_.queue = checked_text("queue", text(field), 200);
    } else if (key == "kind") {
      job_.options.kind = pg::text_datum(checked_text("kind", text(field), kLongestKind));
    } else if (key == "args") {
      job_.args = jsonb_of(field.value);
      check_size("args", job_.args);
    } else if (key == "priority") {
      job_.options.priority = checked_int4("priority", integer(field), 1, core::kPriorities);
    } else if (key == "max_attempts") {
      job_.options.max_attempts = checked_int4("max_attempts", integer(field), 1, 1000);
    } else if (key == "run_at") {
      job_.options.run_at = checked_run_at(timestamp(text(field)));
    } else if (key == "deadline") {
      job_.options.own_deadline = interval(text(field));
      checked_interval("deadline", job_.options.own_deadline, Arguments::Zero::allowed);
    } else if (key == "unique_key") {
      unique_key_ = text(field);
      keyed_ = true;
    } else if (key == "unique_while") {
      job_.options.unique_states = 0;
      for (const JsonbValue &state : array(field)) job_.options.unique_states |= checked_unique_state(string_of(state));
    } else if (key == "on_conflict") {
      job_.options.on_conflict = checked_on_conflict(text(field));
    } else if (key == "ordering_key") {
      job_.ordering_key = text(field);
      job_.ordered = true;
    } else if (key == "metadata") {
      metadata_ = jsonb_of(field.value);
    } else {  // tags
      for (const JsonbValue &tag : array(field)) tags_.push_back(string_of(tag));
    }
  }

  static void check_key(std::string_view key) {
    if (std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys)) return;
    refuse_shape(pg::format("unknown key \"%.*s\" in a job", pg::shown_length(key, 64), key.data()));
  }

  [[noreturn]] static void refuse_type(const Field &field, const char *expected) {
    const Datum value = jsonb_of(field.value);
    const std::string_view shown = pg::guarded([=] { return DatumGetCString(DirectFunctionCall1(jsonb_out, value)); });
    pg::raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
               .message = pg::format("%.*s must be %s", pg::shown_length(field.key, 64), field.key.data(), expected),
               .detail = pg::format("It is %.*s.", pg::shown_length(shown, 64), shown.data())});
  }

  static std::string_view text(const Field &field) {
    if (field.value.type != jbvString) refuse_type(field, "a string");
    return string_of(field.value);
  }

  static std::int64_t integer(const Field &field) {
    if (field.value.type != jbvNumeric) refuse_type(field, "an integer");
    const std::string_view digits = pg::guarded(
        [&] { return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(field.value.val.numeric))); });
    std::int64_t value = 0;
    // What does not fit 64 bits is no integer that any key could take.
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) refuse_type(field, "an integer");
    return value;
  }

  core::Vec<JsonbValue> array(const Field &field) {
    const bool is_array = field.value.type == jbvBinary && JsonContainerIsArray(field.value.val.binary.data);
    if (!is_array) refuse_type(field, "an array of strings");
    core::Vec<JsonbValue> elements = members(field.value.val.binary.data, memory_);
    for (const JsonbValue &element : elements) {
      if (element.type != jbvString) refuse_type(field, "an array of strings");
    }
    return elements;
  }

  static TimestampTz timestamp(std::string_view value) {
    const char *const input = pg::format("%.*s", static_cast<int>(value.size()), value.data());
    return pg::guarded([=] {
      return DatumGetTimestampTz(
          DirectFunctionCall3(timestamptz_in, CStringGetDatum(input), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
    });
  }

  static Datum interval(std::string_view value) {
    const char *const input = pg::format("%.*s", static_cast<int>(value.size()), value.data());
    return pg::guarded([=] {
      return DirectFunctionCall3(interval_in, CStringGetDatum(input), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
    });
  }

  static Datum empty_object() {
    return pg::guarded([] { return DirectFunctionCall1(jsonb_in, CStringGetDatum("{}")); });
  }

  core::Memory &memory_;
  JobObject job_;
  Datum metadata_ = 0;
  std::string_view unique_key_;
  bool keyed_ = false;
  core::Vec<std::string_view> tags_{memory_};
};

}  // namespace

core::Vec<JobObject> job_objects(Datum jobs, core::Memory &memory) {
  Jsonb *const array = pg::guarded([=] { return DatumGetJsonbP(jobs); });
  if (!JB_ROOT_IS_ARRAY(array) || JB_ROOT_IS_SCALAR(array)) refuse_shape("jobs must be an array of objects");
  core::Vec<JobObject> objects(memory);
  pg::ElementContext context("jobs");
  for (const JsonbValue &element : members(&array->root, memory)) {
    context.at(objects.size() + 1);
    const bool is_object = element.type == jbvBinary && JsonContainerIsObject(element.val.binary.data);
    if (!is_object) refuse_shape("a job must be an object");
    objects.push_back(ObjectReader(memory).read(element.val.binary.data));
  }
  return objects;
}

const queue::Queue &QueuesOfCall::find(std::string_view name) {
  for (const Named &known : queues_) {
    if (known.name == name) return known.queue;
  }
  queues_.push_back({name, queue::find_to_produce(name)});
  return queues_.back().queue;
}

void QueuesOfCall::notify_all() {
  for (const Named &known : queues_) queue::notify(known.queue);
}

}  // namespace awa::entry
