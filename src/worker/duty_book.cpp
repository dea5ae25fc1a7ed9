#include "worker/duty_book.hpp"

#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/spi.hpp"
#include "pg/table_locks.hpp"
#include "pg/transaction.hpp"

namespace awa::worker {

namespace {

constexpr std::size_t kLongestOutcome = 60;
constexpr std::size_t kLongestError = 500;

// Plain data: it lives as long as the session.
struct Record {
  core::Pace pace;
  bool paused = false;
  core::Unnoted unnoted;
  core::Micros last_run = 0;  // 0 = never
  core::Micros last_duration = 0;
  std::int64_t affected = 0;  // not written yet
  char outcome[kLongestOutcome] = "";
  char error[kLongestError] = "";  // "" = none that is not written yet
};

struct Book {
  Oid table = InvalidOid;
  core::Noted noted;
  Record records[core::kDuties];
};
constinit Book book;

Record &record_of(core::Duty duty) noexcept { return book.records[static_cast<std::size_t>(duty)]; }

template <std::size_t Size>
void keep(char (&place)[Size], std::string_view text) {
  const auto length = static_cast<std::size_t>(pg::shown_length(text, static_cast<int>(Size) - 1));
  std::copy_n(text.begin(), length, place);
  place[length] = '\0';
}

constinit pg::Statement read_all("SELECT duty, paused, last_run, next_due, failures FROM awa.maintenance_state", {});

constexpr Oid kNote[] = {TEXTOID, TIMESTAMPTZOID, TEXTOID, INTERVALOID, INT8OID, INT4OID, TEXTOID, TIMESTAMPTZOID};
constinit pg::Statement write_one(R"sql(
  INSERT INTO awa.maintenance_state AS m (duty, last_run, last_outcome, last_duration, affected_total, failures,
                                          last_error, next_due)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (duty) DO UPDATE SET last_run = EXCLUDED.last_run, last_outcome = EXCLUDED.last_outcome,
    last_duration = EXCLUDED.last_duration, affected_total = m.affected_total + EXCLUDED.affected_total,
    failures = EXCLUDED.failures, last_error = coalesce(EXCLUDED.last_error, m.last_error),
    next_due = EXCLUDED.next_due)sql",
                                  kNote);

}  // namespace

void DutyBook::read() {
  const Oid table = pg::our_relation("maintenance_state");
  if (book.table != table) {
    book = {};
    book.table = table;
  }
  for (Record &record : book.records) record.paused = false;
  pg::Sql sql;
  const std::uint64_t count = sql.run(read_all, {});
  for (std::uint64_t row = 0; row < count; ++row) {
    bool is_null = false;
    const auto duty = core::duty_of(pg::text_view(sql.value(row, 1, is_null)));
    if (!duty) continue;  // of another version
    Record &record = record_of(*duty);
    record.paused = DatumGetBool(sql.value(row, 2, is_null));
    const core::Micros last_run = DatumGetTimestampTz(sql.value(row, 3, is_null));
    if (is_null) continue;
    book.noted.at = std::max(book.noted.at, last_run);
    if (last_run <= record.last_run) continue;
    record.last_run = last_run;
    const core::Micros next_due = DatumGetTimestampTz(sql.value(row, 4, is_null));
    record.pace = {is_null ? 0 : next_due, 0, 1};  // it may have been in vain
    record.pace.failures = DatumGetInt32(sql.value(row, 5, is_null));
  }
}

bool DutyBook::is_paused(core::Duty duty) noexcept { return record_of(duty).paused; }

bool DutyBook::is_due(core::Duty duty, const core::Cadence &cadence, core::Micros now) noexcept {
  return core::is_due(record_of(duty).pace, cadence, now);
}

core::Micros DutyBook::next_due(core::Duty duty) noexcept { return record_of(duty).pace.next_due; }

void DutyBook::hasten(core::Duty duty) noexcept {
  if (record_of(duty).pace.failures == 0) record_of(duty).pace.next_due = 0;
}

void DutyBook::enter(core::Duty duty, const Run &run, const core::Cadence &cadence) {
  Record &record = record_of(duty);
  const int failures = record.pace.failures;
  record.pace = core::after_run(record.pace, run.end, cadence, run.ended, run.wake_at, pg::random_turn());
  if (run.end == core::RunEnd::not_needed && failures == 0) return;
  record.last_run = run.ended;
  record.last_duration = run.ended - run.began;
  record.affected += run.affected;
  keep(record.outcome, run.outcome);
  if (run.end == core::RunEnd::failed) keep(record.error, run.error);
  record.unnoted.ran = true;
  record.unnoted.did_something |= run.affected > 0;
  record.unnoted.failures_changed |= failures != record.pace.failures;
}

bool DutyBook::is_to_be_noted(core::Micros now) noexcept {
  return std::any_of(std::begin(book.records), std::end(book.records),
                     [=](const Record &record) { return core::is_to_be_noted(record.unnoted, book.noted, now); });
}

void DutyBook::write() {
  pg::Sql sql;
  for (std::size_t i = 0; i < core::kDuties; ++i) {
    const Record &record = book.records[i];
    if (!record.unnoted.ran) continue;
    const Datum values[] = {pg::text_datum(core::kDutyNames[i]), pg::datum(record.last_run),
                            pg::text_datum(record.outcome),      pg::interval_of(record.last_duration),
                            pg::datum(record.affected),          pg::datum(std::int32_t{record.pace.failures}),
                            pg::text_datum(record.error),        pg::datum(record.pace.next_due)};
    const bool nulls[] = {false, false, false, false, false, false, record.error[0] == '\0', false};
    sql.run(write_one, values, nulls);
  }
}

void DutyBook::written(core::Micros now) noexcept {
  book.noted = {now, true};
  for (Record &record : book.records) {
    record.unnoted = {};
    record.affected = 0;
    record.error[0] = '\0';
  }
}

}  // namespace awa::worker
