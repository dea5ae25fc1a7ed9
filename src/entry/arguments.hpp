// Arguments of SQL functions: taken from the call, checked, or refused with SQLSTATE, value and hint.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/containers.hpp"
#include "core/ids.hpp"
#include "core/receipt.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"

namespace awa::entry {

// The longest time that may be asked for. As PostgreSQL compares intervals: a month counts 30 days.
constexpr core::Micros kHundredYears = core::Micros{100} * MONTHS_PER_YEAR * DAYS_PER_MONTH * USECS_PER_DAY;

class Arguments {
 public:
  // `schema` is where the function is, for hints.
  explicit Arguments(FunctionCallInfo call, const char *schema = "awa") noexcept : call_(call), schema_(schema) {}

  bool is_null(int position) const noexcept { return call_->args[position].isnull; }
  Datum datum(int position) const noexcept { return call_->args[position].value; }

  // Values that must be there. Errors: 22004 when null, 22023 when out of range.
  void require(int position, const char *name) const;
  bool boolean(int position, const char *name) const;
  std::int32_t int4(int position, const char *name, std::int32_t least, std::int32_t most) const;
  // Text of 1 to `most` bytes.
  std::string_view text(int position, const char *name, std::size_t most) const;
  std::string_view queue_name(int position) const { return text(position, "queue", 200); }

  // Values that may be null.
  std::optional<std::int32_t> optional_int4(int position, const char *name, std::int32_t least,
                                            std::int32_t most) const;
  // An interval up to 100 years; what 0 means, if it may be 0: none, or at once.
  enum class Zero : std::uint8_t { allowed, at_once, refused };
  std::optional<core::Micros> optional_interval(int position, const char *name, Zero zero) const;
  core::Micros interval(int position, const char *name, Zero zero) const;

  // An array that is null or has `count` elements, as many as the argument `other`.
  std::optional<pg::ArrayElements> parallel(int position, const char *name, std::size_t count, const char *other,
                                            pg::NullElements nulls = pg::NullElements::allowed) const;

  core::Receipt receipt(int position) const;

  core::JobId job(int position) const;

  // An array of job ids without nulls, each once, ascending; a null array is empty.
  core::Vec<core::JobId> jobs(int position, core::Memory &memory) const;

  // An array without nulls; a null array is empty.
  std::span<const core::Receipt> receipts(int position) const;

 private:
  FunctionCallInfo call_;
  const char *schema_;
};

// Refusals shared by arguments that come as values and as keys of jsonb.
[[noreturn]] void refuse_null(const char *name, const char *schema = "awa");
[[noreturn]] void refuse_value(const char *name, const char *value, const char *expected);

std::int32_t checked_int4(const char *name, std::int64_t value, std::int32_t least, std::int32_t most);
std::string_view checked_text(const char *name, std::string_view value, std::size_t most);
core::Micros checked_interval(const char *name, Datum interval, Arguments::Zero zero);

// A jsonb no greater than awa_ring.max_payload_bytes. Errors: 54000.
void check_size(const char *name, Datum json);

// A double as seconds, 0 to 100 years. Errors: 22023.
core::Micros checked_seconds(const char *name, double seconds);

}  // namespace awa::entry
