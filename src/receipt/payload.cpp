#include "receipt/payload.hpp"

#include "pg/error.hpp"

namespace awa::receipt {

namespace {

constexpr std::string_view kErrors = "errors";
constexpr std::string_view kProgress = "progress";
constexpr std::string_view kCallbackResult = "callback_result";

// Builds a jsonb. C room.
class Builder {
 public:
  void mark(JsonbIteratorToken token) { result_ = pushJsonbValue(&state_, token, nullptr); }
  void key(std::string_view name) { push(WJB_KEY, string(name)); }
  void text(std::string_view value) { push(WJB_VALUE, string(value)); }
  void number(int value) {
    JsonbValue json;
    json.type = jbvNumeric;
    json.val.numeric = DatumGetNumeric(DirectFunctionCall1(int4_numeric, Int32GetDatum(value)));
    push(WJB_VALUE, json);
  }
  void yes() {
    JsonbValue json;
    json.type = jbvBool;
    json.val.boolean = true;
    push(WJB_VALUE, json);
  }
  // A whole jsonb, as a value or an element.
  void whole(JsonbIteratorToken token, Datum value) {
    Jsonb *const json = DatumGetJsonbP(value);
    if (JB_ROOT_IS_SCALAR(json)) {
      push(token, *getIthJsonbValueFromContainer(&json->root, 0));
    } else {
      JsonbValue binary;
      binary.type = jbvBinary;
      binary.val.binary.data = &json->root;
      binary.val.binary.len = static_cast<int>(VARSIZE_ANY_EXHDR(json));
      push(token, binary);
    }
  }
  void push(JsonbIteratorToken token, JsonbValue value) { result_ = pushJsonbValue(&state_, token, &value); }
  Datum result() const { return JsonbPGetDatum(JsonbValueToJsonb(result_)); }

 private:
  static JsonbValue string(std::string_view value) noexcept {
    JsonbValue json;
    json.type = jbvString;
    json.val.string.val = const_cast<char *>(value.data());
    json.val.string.len = static_cast<int>(value.size());
    return json;
  }
  JsonbParseState *state_ = nullptr;
  JsonbValue *result_ = nullptr;
};

// A time as in ISO 8601, in UTC: it reads the same in every session. C room.
std::string_view iso_time(core::Micros at) {
  pg_tm parts;
  fsec_t fraction = 0;
  if (timestamp2tm(at, nullptr, &parts, &fraction, nullptr, nullptr) != 0) return "unknown";
  // The builder keeps pointers until the result is made.
  return psprintf("%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", parts.tm_year, parts.tm_mon, parts.tm_mday, parts.tm_hour,
                  parts.tm_min, parts.tm_sec, static_cast<int>(fraction));
}

// The newest of the old errors, and the new one. C room.
void push_errors(Builder &builder, Jsonb *old, const ErrorEntry &entry, std::string_view text) {
  builder.key(kErrors);
  builder.mark(WJB_BEGIN_ARRAY);
  JsonbValue buffer;
  const JsonbValue *const errors =
      old == nullptr
          ? nullptr
          : getKeyJsonValueFromContainer(&old->root, kErrors.data(), static_cast<int>(kErrors.size()), &buffer);
  if (errors != nullptr && errors->type == jbvBinary && JsonContainerIsArray(errors->val.binary.data)) {
    const uint32 count = JsonContainerSize(errors->val.binary.data);
    constexpr uint32 others = kMostErrors - 1;
    for (uint32 i = count > others ? count - others : 0; i < count; ++i) {
      builder.push(WJB_ELEM, *getIthJsonbValueFromContainer(errors->val.binary.data, i));
    }
  }
  builder.mark(WJB_BEGIN_OBJECT);
  builder.key("error");
  builder.text(text);
  builder.key("attempt");
  builder.number(entry.attempt);
  builder.key("at");
  builder.text(iso_time(entry.at));
  if (entry.terminal) {
    builder.key("terminal");
    builder.yes();
  }
  builder.mark(WJB_END_OBJECT);
  builder.mark(WJB_END_ARRAY);
}

bool is_key(const JsonbValue &key, std::string_view name) noexcept {
  return std::string_view(key.val.string.val, static_cast<std::size_t>(key.val.string.len)) == name;
}

}  // namespace

Datum changed_payload(Datum payload, const PayloadChange &change) {
  const bool replaces_progress = change.progress != 0 || change.forget_progress;
  const bool replaces_result = change.callback_result != 0 || change.forget_callback_result;
  if (!change.error && !replaces_progress && !replaces_result) return payload;
  if (payload == 0 && !change.error && change.progress == 0 && change.callback_result == 0) return payload;
  std::string_view text;
  if (change.error) {
    text = change.error->text;
    text = text.substr(0, static_cast<std::size_t>(pg::shown_length(text, kLongestError)));
  }
  return pg::guarded([&] {
    Jsonb *const old = payload == 0 ? nullptr : DatumGetJsonbP(payload);
    Builder builder;
    int members = 0;
    builder.mark(WJB_BEGIN_OBJECT);
    if (old != nullptr) {
      JsonbIterator *iterator = JsonbIteratorInit(&old->root);
      JsonbValue key;
      JsonbValue value;
      JsonbIteratorNext(&iterator, &key, true);
      while (JsonbIteratorNext(&iterator, &key, true) == WJB_KEY) {
        JsonbIteratorNext(&iterator, &value, true);
        if ((change.error && is_key(key, kErrors)) || (replaces_progress && is_key(key, kProgress)) ||
            (replaces_result && is_key(key, kCallbackResult))) {
          continue;
        }
        builder.push(WJB_KEY, key);
        builder.push(WJB_VALUE, value);
        ++members;
      }
    }
    const auto add = [&](std::string_view name, Datum value) {
      if (value == 0) return;
      builder.key(name);
      builder.whole(WJB_VALUE, value);
      ++members;
    };
    if (change.error) {
      push_errors(builder, old, *change.error, text);
      ++members;
    }
    add(kProgress, change.progress);
    add(kCallbackResult, change.callback_result);
    builder.mark(WJB_END_OBJECT);
    return members == 0 ? Datum{0} : builder.result();
  });
}

}  // namespace awa::receipt
