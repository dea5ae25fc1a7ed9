#include "entry/job_objects.hpp"

#include "core/lane.hpp"
#include "entry/json.hpp"
#include "pg/error_context.hpp"
#include "queue/enqueue.hpp"

namespace awa::entry {

namespace {

constexpr std::string_view kKeys[] = {"queue",        "kind",     "args",       "priority",     "run_at",
                                      "max_attempts", "deadline", "unique_key", "unique_while", "on_conflict",
                                      "ordering_key", "metadata", "tags"};

[[noreturn]] void refuse_shape(const char *what) {
  pg::raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
             .message = what,
             .hint = "jobs is an array of objects, each with at least the keys queue and kind."});
}

// One job object, key by key.
class ObjectReader {
 public:
  explicit ObjectReader(core::Memory &memory) : memory_(memory) {}

  JobObject read(JsonbContainer *object) {
    for (const Field &field : fields_of(object, memory_)) {
      check_key(field.key);
      if (!field.is_null()) take(field);
    }
    if (job_.queue.empty()) refuse_null("queue");
    if (job_.options.kind == 0) refuse_null("kind");
    if (job_.args == 0) job_.args = empty_json_object();
    if (job_.options.priority == 0) job_.options.priority = core::kDefaultPriority;
    job_.options.payload = payload_of(metadata_, tags_);
    if (keyed_) job_.options.unique_key = checked_unique_key(unique_key_, job_.options.unique_states);
    return job_;
  }

 private:
  void take(const Field &field) {
    const std::string_view key = field.key;
    if (key == "queue") {
      job_.queue = checked_text("queue", text_of(field), 200);
    } else if (key == "kind") {
      job_.options.kind = pg::text_datum(checked_text("kind", text_of(field), kLongestKind));
    } else if (key == "args") {
      job_.args = jsonb_of(field.value);
      check_size("args", job_.args);
    } else if (key == "priority") {
      job_.options.priority = checked_int4("priority", integer_of(field), 1, core::kPriorities);
    } else if (key == "max_attempts") {
      job_.options.max_attempts = checked_int4("max_attempts", integer_of(field), 1, 1000);
    } else if (key == "run_at") {
      job_.options.run_at = checked_run_at(timestamp_of(text_of(field)));
    } else if (key == "deadline") {
      job_.options.own_deadline = interval(text_of(field));
      checked_interval("deadline", job_.options.own_deadline, Arguments::Zero::allowed);
    } else if (key == "unique_key") {
      unique_key_ = text_of(field);
      keyed_ = true;
    } else if (key == "unique_while") {
      job_.options.unique_states = 0;
      for (const JsonbValue &state : strings_of(field, memory_))
        job_.options.unique_states |= checked_unique_state(string_of(state));
    } else if (key == "on_conflict") {
      job_.options.on_conflict = checked_on_conflict(text_of(field));
    } else if (key == "ordering_key") {
      job_.ordering_key = text_of(field);
      job_.ordered = true;
    } else if (key == "metadata") {
      metadata_ = jsonb_of(field.value);
    } else {  // tags
      for (const JsonbValue &tag : strings_of(field, memory_)) tags_.push_back(string_of(tag));
    }
  }

  static void check_key(std::string_view key) {
    if (std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys)) return;
    refuse_shape(pg::format("unknown key \"%.*s\" in a job", pg::shown_length(key, 64), key.data()));
  }

  static Datum interval(std::string_view value) {
    const char *const input = pg::format("%.*s", static_cast<int>(value.size()), value.data());
    return pg::guarded([=] {
      return DirectFunctionCall3(interval_in, CStringGetDatum(input), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
    });
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
  for (const JsonbValue &element : elements_of(&array->root, memory)) {
    context.at(objects.size() + 1);
    if (!is_object(element)) refuse_shape("a job must be an object");
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
