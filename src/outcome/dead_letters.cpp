#include "outcome/dead_letters.hpp"

#include "pg/append_writer.hpp"
#include "pg/datum.hpp"

namespace awa::outcome {

namespace {

enum : AttrNumber {
  kJobId = 1,
  kQueueId,
  kPriority,
  kDlqAt,
  kOriginalRunLease,
  kRunLease,
  kRunAt,
  kCreatedAt,
  kAttempt,
  kMaxAttempts,
  kUniqueStates,
  kDlqReason,
  kKind,
  kArgs,
  kPayload,
  kOwnDeadline,
  kUniqueKey,
};

constexpr pg::Column kColumns[] = {{"job_id", INT8OID},
                                   {"queue_id", INT4OID},
                                   {"priority", INT2OID},
                                   {"dlq_at", TIMESTAMPTZOID},
                                   {"original_run_lease", INT8OID},
                                   {"run_lease", INT8OID},
                                   {"run_at", TIMESTAMPTZOID},
                                   {"created_at", TIMESTAMPTZOID},
                                   {"attempt", INT2OID},
                                   {"max_attempts", INT2OID},
                                   {"unique_states", INT2OID},
                                   {"dlq_reason", TEXTOID},
                                   {"kind", TEXTOID},
                                   {"args", JSONBOID},
                                   {"payload", JSONBOID},
                                   {"own_deadline", INTERVALOID},
                                   {"unique_key", TEXTOID}};
constexpr pg::TableShape kShape{"dlq_entries", kColumns, {}};
constexpr ring::BodyColumns kBody{kRunLease, kRunAt, kCreatedAt, kAttempt,     kMaxAttempts, kUniqueStates,
                                  kKind,     kArgs,  kPayload,   kOwnDeadline, kUniqueKey};
constinit pg::CachedTable dlq_entries(kShape, pg::kNotALeaf);

}  // namespace

void write_dead_letters(std::span<const DeadLetter> letters, core::Micros now) {
  if (letters.empty()) return;
  const pg::OpenTable table(dlq_entries, RowExclusiveLock);
  pg::append_many(table, letters.size(), [&](std::size_t index, pg::NewRow row) {
    const DeadLetter &letter = letters[index];
    const core::Lane lane = core::lane_of(letter.lane);
    row.set(kJobId, pg::datum(letter.job));
    row.set(kQueueId, pg::datum(lane.queue));
    row.set(kPriority, pg::datum(static_cast<std::int16_t>(lane.priority)));
    row.set(kDlqAt, pg::datum(now));
    row.set(kOriginalRunLease, pg::datum(letter.body->last_lease));
    row.set(kDlqReason, pg::text_datum(letter.reason));
    ring::set_body(row, kBody, *letter.body);
  });
}

}  // namespace awa::outcome
