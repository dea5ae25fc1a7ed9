#include "ring/job_body.hpp"

#include "pg/datum.hpp"

namespace awa::ring {

namespace {

constexpr std::int16_t kVarlena = -1;
constexpr std::int16_t kIntervalSize = sizeof(Interval);

// value(column, is_null) is where the values come from. C room.
template <typename Value>
JobBody copy(const BodyColumns &columns, Value &&value) {
  const auto copied = [&](AttrNumber column, std::int16_t length) {
    bool is_null = false;
    const Datum found = value(column, is_null);
    return pg::copied(found, is_null, length);
  };
  const auto plain = [&](AttrNumber column) {
    bool is_null = false;
    const Datum found = value(column, is_null);
    return is_null ? Datum{0} : found;
  };
  return {.last_lease = {DatumGetInt64(plain(columns.run_lease))},
          .attempts_used = DatumGetInt16(plain(columns.attempt)),
          .max_attempts = DatumGetInt16(plain(columns.max_attempts)),
          .run_at = DatumGetTimestampTz(plain(columns.run_at)),
          .created_at = DatumGetTimestampTz(plain(columns.created_at)),
          .unique_states = DatumGetInt16(plain(columns.unique_states)),
          .kind = copied(columns.kind, kVarlena),
          .args = copied(columns.args, kVarlena),
          .payload = copied(columns.payload, kVarlena),
          .own_deadline = copied(columns.own_deadline, kIntervalSize),
          .unique_key = copied(columns.unique_key, kVarlena)};
}

}  // namespace

JobBody body_of(const pg::Row &row, const BodyColumns &columns) {
  return copy(columns, [&](AttrNumber column, bool &is_null) { return row.value(column, is_null); });
}

JobBody body_of(const pg::Sql &sql, std::uint64_t row, const BodyColumns &columns) {
  return pg::guarded(
      [&] { return copy(columns, [&](AttrNumber column, bool &is_null) { return sql.value(row, column, is_null); }); });
}

void set_body(pg::NewRow row, const BodyColumns &columns, const JobBody &body) {
  row.set(columns.run_lease, pg::datum(body.last_lease));
  row.set(columns.run_at, pg::datum(body.run_at));
  row.set(columns.created_at, pg::datum(body.created_at));
  row.set(columns.attempt, pg::datum(body.attempts_used));
  row.set(columns.max_attempts, pg::datum(body.max_attempts));
  row.set(columns.kind, body.kind);
  row.set(columns.args, body.args);
  if (body.payload != 0) row.set(columns.payload, body.payload);
  if (body.own_deadline != 0) row.set(columns.own_deadline, body.own_deadline);
  if (body.unique_key == 0) return;
  row.set(columns.unique_key, body.unique_key);
  row.set(columns.unique_states, pg::datum(body.unique_states));
}

}  // namespace awa::ring
