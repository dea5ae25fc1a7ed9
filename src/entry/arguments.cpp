#include "entry/arguments.hpp"

#include <cmath>

#include "pg/settings.hpp"

namespace awa::entry {

namespace {

const char *shown(Datum interval) {
  return pg::guarded([=] { return DatumGetCString(DirectFunctionCall1(interval_out, interval)); });
}

}  // namespace

void refuse_null(const char *name, const char *schema) {
  pg::raise({.sqlstate = ERRCODE_NULL_VALUE_NOT_ALLOWED,
             .message = pg::format("%s must not be null", name),
             .hint = pg::format("Give a value; \\df+ %s.* in psql tells what is expected.", schema)});
}

void refuse_value(const char *name, const char *value, const char *expected) {
  pg::raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
             .message = pg::format("invalid value for %s: %s", name, value),
             .hint = pg::format("%s must be %s.", name, expected)});
}

std::int32_t checked_int4(const char *name, std::int64_t value, std::int32_t least, std::int32_t most) {
  if (value < least || value > most) {
    refuse_value(name, pg::format("%lld", static_cast<long long>(value)), pg::format("from %d to %d", least, most));
  }
  return static_cast<std::int32_t>(value);
}

std::string_view checked_text(const char *name, std::string_view value, std::size_t most) {
  if (value.empty() || value.size() > most) {
    const int length = pg::shown_length(value, 64);
    const char *const dots = static_cast<std::size_t>(length) < value.size() ? "..." : "";
    refuse_value(name, pg::format("\"%.*s%s\" (%zu bytes)", length, value.data(), dots, value.size()),
                 pg::format("1 to %zu bytes long", most));
  }
  return value;
}

core::Micros checked_interval(const char *name, Datum interval, Arguments::Zero zero) {
  const core::Micros micros = pg::interval_micros(interval);
  const bool allowed = zero == Arguments::Zero::refused ? micros > 0 : micros >= 0;
  if (!allowed || micros > kHundredYears) {
    refuse_value(name, shown(interval),
                 zero == Arguments::Zero::allowed   ? "0 (none) or an interval up to 100 years"
                 : zero == Arguments::Zero::at_once ? "0 (at once) or an interval up to 100 years"
                                                    : "greater than 0 and up to 100 years");
  }
  return micros;
}

core::Micros checked_seconds(const char *name, double seconds) {
  const double most = static_cast<double>(kHundredYears) / USECS_PER_SEC;
  if (!(seconds >= 0 && seconds <= most)) {
    refuse_value(name, pg::format("%g", seconds), "0 (none) or seconds up to 100 years");
  }
  // Less than a microsecond is not none.
  return static_cast<core::Micros>(std::ceil(seconds * USECS_PER_SEC));
}

void check_size(const char *name, Datum json) {
  const auto size = pg::guarded([=] { return toast_raw_datum_size(json); });
  if (size <= static_cast<Size>(pg::max_payload_bytes())) return;
  pg::raise({.sqlstate = ERRCODE_PROGRAM_LIMIT_EXCEEDED,
             .message = pg::format("%s is too large", name),
             .detail = pg::format("It has %zu bytes; awa_ring.max_payload_bytes is %d.", size, pg::max_payload_bytes()),
             .hint = "Keep the data elsewhere and pass where it is."});
}

void Arguments::require(int position, const char *name) const {
  if (is_null(position)) refuse_null(name, schema_);
}

bool Arguments::boolean(int position, const char *name) const {
  require(position, name);
  return DatumGetBool(datum(position));
}

std::int32_t Arguments::int4(int position, const char *name, std::int32_t least, std::int32_t most) const {
  require(position, name);
  return checked_int4(name, DatumGetInt32(datum(position)), least, most);
}

std::string_view Arguments::text(int position, const char *name, std::size_t most) const {
  require(position, name);
  return checked_text(name, pg::text_view(datum(position)), most);
}

std::optional<std::int32_t> Arguments::optional_int4(int position, const char *name, std::int32_t least,
                                                     std::int32_t most) const {
  if (is_null(position)) return std::nullopt;
  return int4(position, name, least, most);
}

std::optional<core::Micros> Arguments::optional_interval(int position, const char *name, Zero zero) const {
  if (is_null(position)) return std::nullopt;
  return checked_interval(name, datum(position), zero);
}

core::Micros Arguments::interval(int position, const char *name, Zero zero) const {
  require(position, name);
  return checked_interval(name, datum(position), zero);
}

std::optional<pg::ArrayElements> Arguments::parallel(int position, const char *name, std::size_t count,
                                                     const char *other, pg::NullElements nulls) const {
  if (is_null(position)) return std::nullopt;
  const pg::ArrayElements elements = pg::elements(datum(position), name, nulls);
  if (elements.count != count) {
    pg::raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
               .message = pg::format("%s must have as many elements as %s", name, other),
               .detail = pg::format("It has %zu, %s has %zu.", elements.count, other, count),
               .hint = nulls == pg::NullElements::allowed
                           ? "Elements belong together by their place; an element may be null."
                           : "Elements belong together by their place."});
  }
  return elements;
}

core::Receipt Arguments::receipt(int position) const {
  require(position, "receipt");
  core::Receipt receipt;
  memcpy(static_cast<void *>(&receipt), DatumGetPointer(datum(position)), sizeof receipt);
  return receipt;
}

core::JobId Arguments::job(int position) const {
  require(position, "job_id");
  return {DatumGetInt64(datum(position))};
}

core::Vec<core::JobId> Arguments::jobs(int position, core::Memory &memory) const {
  core::Vec<core::JobId> jobs(memory);
  if (is_null(position)) return jobs;
  const pg::ArrayElements elements = pg::elements(datum(position), "job_ids", pg::NullElements::refused);
  jobs.reserve(elements.count);
  for (std::size_t i = 0; i < elements.count; ++i) jobs.push_back({DatumGetInt64(elements.values[i])});
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  return jobs;
}

std::span<const core::Receipt> Arguments::receipts(int position) const {
  if (is_null(position)) return {};
  const pg::ArrayElements elements = pg::elements(datum(position), "receipts", pg::NullElements::refused);
  auto *const receipts = pg::guarded([&] {
    return static_cast<core::Receipt *>(palloc(sizeof(core::Receipt) * std::max<std::size_t>(elements.count, 1)));
  });
  for (std::size_t i = 0; i < elements.count; ++i) {
    memcpy(static_cast<void *>(&receipts[i]), DatumGetPointer(elements.values[i]), sizeof(core::Receipt));
  }
  return {receipts, elements.count};
}

}  // namespace awa::entry
