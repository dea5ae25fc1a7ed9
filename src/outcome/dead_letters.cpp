#include "outcome/dead_letters.hpp"

#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/spi.hpp"
#include "pg/transaction.hpp"
#include "queue/deferred.hpp"
#include "queue/enqueue.hpp"
#include "queue/entries.hpp"
#include "queue/queues.hpp"
#include "queue/unique_keys.hpp"
#include "receipt/attempt_end.hpp"
#include "receipt/payload.hpp"
#include "ring/rollups.hpp"

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
constexpr pg::TableShape kShape{"dlq_entries", kColumns, {}, 1};
constexpr ring::BodyColumns kBody{kRunLease, kRunAt, kCreatedAt, kAttempt,     kMaxAttempts, kUniqueStates,
                                  kKind,     kArgs,  kPayload,   kOwnDeadline, kUniqueKey};
constinit pg::CachedTable dlq_entries(kShape, pg::kNotALeaf);

constexpr std::int64_t kBatch = 1'000;

constexpr Oid kJob[] = {INT8OID};
constexpr Oid kQueue[] = {INT4OID};
constexpr Oid kFilter[] = {INT4OID, TEXTOID, TIMESTAMPTZOID, INT8OID};

constinit pg::Statement find_queue_of("SELECT queue_id FROM awa.dlq_entries WHERE job_id = $1", kJob);
constinit pg::Statement name_of("SELECT queue FROM awa.queues WHERE queue_id = $1 AND dropped_at IS NULL", kQueue);
constinit pg::Statement take_one("DELETE FROM awa.dlq_entries WHERE job_id = $1 RETURNING *", kJob);

// The queues, not dropped, that have letters of the filter.
constinit pg::Statement find_queues(R"sql(
  SELECT q.queue_id FROM awa.queues q
  WHERE q.dropped_at IS NULL AND q.queue_id = COALESCE($1, q.queue_id)
    AND EXISTS (SELECT FROM awa.dlq_entries d
                WHERE d.queue_id = q.queue_id AND d.kind = COALESCE($2, d.kind) AND d.dlq_at <= $3)
  ORDER BY q.queue_id LIMIT $4)sql",
                                    kFilter);

constinit pg::Statement take_some(R"sql(
  DELETE FROM awa.dlq_entries WHERE job_id IN (
    SELECT d.job_id FROM awa.dlq_entries d
    WHERE d.queue_id = $1 AND d.kind = COALESCE($2, d.kind) AND d.dlq_at <= $3
    ORDER BY d.job_id LIMIT $4 FOR UPDATE)
  RETURNING *)sql",
                                  kFilter);

constinit pg::Statement purge_some(R"sql(
  WITH gone AS (
    DELETE FROM awa.dlq_entries WHERE job_id IN (
      SELECT d.job_id FROM awa.dlq_entries d
      WHERE d.queue_id = COALESCE($1, d.queue_id) AND d.kind = COALESCE($2, d.kind) AND d.dlq_at <= $3
      ORDER BY d.job_id LIMIT $4 FOR UPDATE)
    RETURNING job_id, queue_id * 256 + (priority - 1) * 64 AS lane_id
  )
  SELECT job_id, lane_id FROM gone ORDER BY lane_id)sql",
                                   kFilter);

constexpr Oid kExpired[] = {INT4OID, TIMESTAMPTZOID, INT8OID};
constinit pg::Statement expire_some(R"sql(
  WITH chosen AS MATERIALIZED (
    SELECT d.job_id FROM awa.dlq_entries d WHERE d.queue_id = $1 AND d.dlq_at < $2
    ORDER BY d.dlq_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM awa.dlq_entries d USING chosen c WHERE d.job_id = c.job_id
    RETURNING d.job_id, d.queue_id * 256 + (d.priority - 1) * 64 AS lane_id
  )
  SELECT job_id, lane_id FROM gone ORDER BY lane_id)sql",
                                    kExpired);

// A dead letter that was taken out.
struct Taken {
  core::JobId job;
  int priority;
  ring::JobBody body;
};

Taken taken_of(const pg::Sql &sql, std::uint64_t row) {
  bool is_null = false;
  const core::JobId job{DatumGetInt64(sql.value(row, kJobId, is_null))};
  const int priority = DatumGetInt16(sql.value(row, kPriority, is_null));
  return {job, priority, ring::body_of(sql, row, kBody)};
}

core::Vec<Taken> taken_of(const pg::Sql &sql, std::uint64_t count, core::Memory &memory) {
  core::Vec<Taken> letters(memory);
  for (std::uint64_t row = 0; row < count; ++row) letters.push_back(taken_of(sql, row));
  return letters;
}

// The queue of that id as one to produce for, or nothing when it is dropped.
std::optional<queue::Queue> find_to_produce(core::QueueId id) {
  Datum name = 0;
  {
    pg::Sql sql;
    const Datum values[] = {pg::datum(id)};
    if (sql.run(name_of, values) == 0) return std::nullopt;
    bool is_null = false;
    name = sql.value(0, 1, is_null);
    name = pg::guarded([=] { return SPI_datumTransfer(name, false, -1); });
  }
  return queue::find_to_produce(pg::text_view(name));
}

// Brings letters that were taken out back to a queue.
class Revival {
 public:
  Revival(const queue::Queue &queue, std::optional<core::Micros> run_at, core::Memory &memory)
      : queue_(queue), now_(pg::now()), run_at_(run_at.value_or(now_)), memory_(memory) {}

  void run(std::span<Taken> letters) {
    core::Vec<core::LaneId> lanes(memory_);
    for (Taken &letter : letters) {
      letter.body.attempts_used = 0;
      letter.body.run_at = later() ? run_at_ : now_;
      letter.body.payload = receipt::changed_payload(letter.body.payload, {.forget_progress = true});
      lanes.push_back(core::lane_id({queue_.id, letter.priority, queue::shard_for(queue_, {}, false)}));
      take_key(letter);
    }
    later() ? lay_aside(letters, lanes) : append(letters, lanes);
  }

 private:
  bool later() const noexcept { return run_at_ > now_; }

  void take_key(const Taken &letter) const {
    const queue::KeyOwner owner(letter.job, queue_.id, letter.body);
    const core::JobState to = later() ? core::JobState::scheduled : core::JobState::available;
    const queue::KeyOutcome outcome =
        queue::change_state(owner, core::JobState::dead_letter, to, queue::KeyPatience::waits);
    if (outcome.refused()) queue::refuse_held(owner, outcome.holder);
  }

  void lay_aside(std::span<const Taken> letters, std::span<const core::LaneId> lanes) const {
    core::Vec<queue::DeferredJob> jobs(memory_);
    for (std::size_t i = 0; i < letters.size(); ++i) {
      jobs.push_back({.job = letters[i].job, .lane = lanes[i], .body = letters[i].body});
    }
    queue::defer(jobs);
  }

  void append(std::span<const Taken> letters, std::span<const core::LaneId> lanes) const {
    core::Vec<std::int64_t> seqs(memory_);
    seqs.resize(letters.size());
    queue::draw_entry_ids(seqs);
    core::Vec<queue::NewEntry> entries(memory_);
    for (std::size_t i = 0; i < letters.size(); ++i) {
      entries.push_back({lanes[i], {seqs[i]}, letters[i].job, &letters[i].body});
    }
    queue::append_entries(entries);
    queue::notify(queue_);
  }

  const queue::Queue &queue_;
  core::Micros const now_;
  core::Micros const run_at_;
  core::Memory &memory_;
};

// The parameters of a filter.
struct FilterValues {
  FilterValues(std::optional<core::QueueId> queue, Datum kind, core::Micros until, std::int64_t most)
      : values{queue ? pg::datum(*queue) : Datum{0}, kind, pg::datum(until), pg::datum(most)},
        nulls{!queue.has_value(), kind == 0, false, false} {}
  Datum values[4];
  bool nulls[4];
};

std::optional<core::QueueId> queue_of(const DeadLetterFilter &filter) {
  if (!filter.queue) return std::nullopt;
  return queue::find(*filter.queue).id;
}

core::Vec<core::QueueId> queues_of(const DeadLetterFilter &filter, core::Micros until, core::Memory &memory) {
  const FilterValues wanted(queue_of(filter), filter.kind, until, PG_INT64_MAX);
  core::Vec<core::QueueId> queues(memory);
  pg::Sql sql;
  const std::uint64_t count = sql.run(find_queues, wanted.values, wanted.nulls);
  for (std::uint64_t row = 0; row < count; ++row) {
    bool is_null = false;
    queues.push_back({DatumGetInt32(sql.value(row, 1, is_null))});
  }
  return queues;
}

// Runs a statement that deletes letters and tells of each its job and lane, in the order of lanes: they are counted, and told
// to be gone. Returns how many.
std::int64_t remove_letters(pg::Statement &deleting, std::span<const Datum> values, std::span<const bool> nulls,
                            core::Memory &memory) {
  core::Vec<receipt::Ended> ended(memory);
  core::Vec<core::LaneId> lanes(memory);
  {
    pg::Sql sql;
    const std::uint64_t count = sql.run(deleting, values, nulls);
    for (std::uint64_t row = 0; row < count; ++row) {
      bool is_null = false;
      ended.push_back({{DatumGetInt64(sql.value(row, 1, is_null))}, {}, receipt::JobFate::deleted});
      lanes.push_back({DatumGetInt32(sql.value(row, 2, is_null))});
    }
  }
  if (ended.empty()) return 0;
  for (std::span<const core::LaneId> rest(lanes.data(), lanes.size()); !rest.empty();) {
    const auto count = static_cast<std::size_t>(std::upper_bound(rest.begin(), rest.end(), rest[0]) - rest.begin());
    ring::count_gone(rest[0], "dead_letter", static_cast<std::int64_t>(count));
    rest = rest.subspan(count);
  }
  receipt::tell_ended(ended, memory);
  return static_cast<std::int64_t>(ended.size());
}

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

bool retry_dead_letter(core::JobId job, std::optional<core::Micros> run_at, std::optional<std::string_view> queue_name,
                       core::Memory &memory) {
  const Datum by_job[] = {pg::datum(job)};
  std::optional<queue::Queue> queue;
  if (queue_name) {
    queue = queue::find_to_produce(*queue_name);
  } else {
    core::QueueId was_in{0};
    {
      pg::Sql sql;
      if (sql.run(find_queue_of, by_job) == 0) return false;
      bool is_null = false;
      was_in = {DatumGetInt32(sql.value(0, 1, is_null))};
    }
    queue = find_to_produce(was_in);
  }
  if (!queue) {
    pg::raise({.sqlstate = ERRCODE_UNDEFINED_OBJECT,
               .message = pg::format("the queue of dead letter %lld was dropped", static_cast<long long>(job.value)),
               .hint = "Name a queue to try it again in."});
  }
  pg::Sql sql;  // the bodies live as long as it
  core::Vec<Taken> letters = taken_of(sql, sql.run(take_one, by_job), memory);
  if (letters.empty()) return false;  // somebody was faster
  Revival(*queue, run_at, memory).run(letters);
  return true;
}

std::int64_t retry_dead_letters(const DeadLetterFilter &filter, core::Memory &memory) {
  const core::Micros until = pg::now();
  std::int64_t retried = 0;
  for (const core::QueueId id : queues_of(filter, until, memory)) {
    const auto queue = find_to_produce(id);
    if (!queue) continue;
    const FilterValues wanted(id, filter.kind, until, kBatch);
    for (;;) {
      pg::Sql sql;  // the bodies live as long as it
      core::Vec<Taken> letters = taken_of(sql, sql.run(take_some, wanted.values, wanted.nulls), memory);
      if (letters.empty()) break;
      Revival(*queue, std::nullopt, memory).run(letters);
      retried += static_cast<std::int64_t>(letters.size());
      pg::check_for_interrupts();
    }
  }
  return retried;
}

std::int64_t purge_dead_letters(const DeadLetterFilter &filter, core::Memory &memory) {
  const FilterValues wanted(queue_of(filter), filter.kind, pg::now(), kBatch);
  std::int64_t purged = 0;
  for (;;) {
    const std::int64_t gone = remove_letters(purge_some, wanted.values, wanted.nulls, memory);
    if (gone == 0) return purged;
    purged += gone;
    pg::check_for_interrupts();
  }
}

std::int64_t expire_dead_letters(core::QueueId queue, core::Micros before, core::Memory &memory) {
  const Datum values[] = {pg::datum(queue), pg::datum(before), pg::datum(kMostLettersExpired)};
  return remove_letters(expire_some, values, {}, memory);
}

}  // namespace awa::outcome
