#include "queue/retry_job.hpp"

#include <optional>

#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/index_reader.hpp"
#include "pg/keys.hpp"
#include "pg/memory.hpp"
#include "pg/settings.hpp"
#include "pg/transaction.hpp"
#include "queue/change_jobs.hpp"
#include "queue/unique_keys.hpp"

namespace awa::queue {

namespace {

namespace done = ring::done_entries;

constexpr Oid kDoneKey[] = {INT4OID, INT8OID, INT8OID};
constexpr Oid kTombstone[] = {INT4OID, INT4OID, INT8OID, INT8OID, INT8OID};
constexpr Oid kJob[] = {INT8OID};

constinit pg::Statement delete_done(
    "DELETE FROM awa.done_entries WHERE ready_slot = $1 AND job_id = $2 AND run_lease = $3", kDoneKey);

// A tombstoned entry whose end is not in history any more: this tells that it was. It may tell so already, of an earlier
// time before any attempt.
constinit pg::Statement note_removed(R"sql(
  INSERT INTO awa.receipt_completion_tombstones (ready_slot, lane_id, job_id, run_lease, lane_seq, deleted_at)
  VALUES ($1, $2, $3, $4, $5, clock_timestamp()) ON CONFLICT (ready_slot, job_id, run_lease) DO NOTHING)sql",
                                     kTombstone);

constinit pg::Statement delete_failed("DELETE FROM awa.failed_history WHERE job_id = $1 RETURNING *", kJob);

// Places of the columns of failed_history.
constexpr AttrNumber kFailedQueue = 3;
constexpr AttrNumber kFailedPriority = 4;
constexpr ring::BodyColumns kFailedBody{.run_lease = 2,
                                        .run_at = 6,
                                        .created_at = 7,
                                        .attempt = 8,
                                        .max_attempts = 9,
                                        .unique_states = 10,
                                        .kind = 12,
                                        .args = 13,
                                        .payload = 14,
                                        .own_deadline = 15,
                                        .unique_key = 16};

// The end of a job as history has it.
struct EndedJob {
  core::Slot slot;
  core::LaneId lane;
  core::LaneSeq seq;
  core::JobId job;
  core::JobState state;
  bool narrow;
  ring::JobBody body;  // of a narrow row: run lease and payload only
};

// C room.
EndedJob ended_job_of(const pg::Row &row, core::Slot slot, core::JobState state) {
  EndedJob ended{.slot = slot,
                 .lane = {row.int4(done::lane_id)},
                 .seq = {row.int8(done::lane_seq)},
                 .job = {row.int8(done::job_id)},
                 .state = state,
                 .narrow = row.is_null(done::kind),
                 .body = {}};
  if (!ended.narrow) {
    ended.body = ring::body_of(row, ring::kDoneBody);
    return ended;
  }
  bool is_null = false;
  const Datum payload = row.value(done::payload, is_null);
  ended.body.payload = pg::copied(payload, is_null, -1);
  ended.body.last_lease = {row.int8(done::run_lease)};
  return ended;
}

// Looks for the failed or cancelled end of a job in the rings. Returns it with its whole body.
std::optional<EndedJob> find_ended(core::JobId job, core::Memory &memory) {
  core::Vec<pg::OpenTable> leaves(memory);
  for (int slot = 0; slot < core::kQueueSlots; ++slot) {
    leaves.push_back(pg::OpenTable(ring::done_entries_leaf({slot}), AccessShareLock));
  }
  const pg::FreshSnapshot snapshot;
  std::optional<EndedJob> found;
  for (const pg::OpenTable &leaf : leaves) {
    if (found || leaf.has_no_blocks()) continue;
    ScanKeyData keys[] = {pg::key_equal(1, std::int32_t{leaf.slot()}), pg::key_equal(2, job.value)};
    pg::walk(leaf, leaf.index(done::by_job), snapshot.get(), keys, [&](const pg::Row &row) {
      const auto state = core::job_state_of(pg::text_view(row.value(done::state)));
      if (state != core::JobState::failed && state != core::JobState::cancelled) return pg::Walk::on;
      found = ended_job_of(row, {leaf.slot()}, *state);
      return pg::Walk::stop;
    });
  }
  if (!found || !found->narrow) return found;

  namespace entry = ring::ready_entries;
  const pg::OpenTable entries(ring::ready_entries_leaf(found->slot), AccessShareLock);
  ScanKeyData keys[] = {pg::key_equal(1, job.value)};
  bool complete = false;
  pg::walk(entries, entries.index(entry::by_job), snapshot.get(), keys, [&](const pg::Row &row) {
    if (row.int4(entry::lane_id) != found->lane.value || row.int8(entry::lane_seq) != found->seq.value) {
      return pg::Walk::on;
    }
    const ring::JobBody ending = found->body;
    found->body = ring::body_of(row, ring::kEntryBody);
    found->body.last_lease = ending.last_lease;
    if (ending.payload != 0) found->body.payload = ending.payload;
    complete = true;
    return pg::Walk::stop;
  });
  if (!complete) {
    pg::raise({.sqlstate = ERRCODE_DATA_CORRUPTED,
               .message = pg::format("the entry of job %lld is missing", static_cast<long long>(job.value)),
               .detail = pg::format("It should be in ready slot %d, lane %d, at position %lld.", found->slot.value,
                                    found->lane.value, static_cast<long long>(found->seq.value)),
               .hint = "See awa.check()."});
  }
  return found;
}

// Takes the end out of history. Returns false when somebody else did meanwhile.
bool remove_end(const EndedJob &ended) {
  pg::Sql sql;
  const Datum key[] = {pg::datum(ended.slot), pg::datum(ended.job), pg::datum(ended.body.last_lease)};
  if (sql.run(delete_done, key) == 0) return false;
  if (ended.state == core::JobState::cancelled) {
    const Datum values[] = {pg::datum(ended.slot), pg::datum(ended.lane), pg::datum(ended.job),
                            pg::datum(ended.body.last_lease), pg::datum(ended.seq)};
    sql.run(note_removed, values);
  }
  return true;
}

// Failed jobs outlive their slot in a table of their own.
std::optional<EndedJob> take_from_failed_history(core::JobId job) {
  MemoryContext const caller = CurrentMemoryContext;
  const Datum values[] = {pg::datum(job)};
  pg::Sql sql;
  if (sql.run(delete_failed, values) == 0) return std::nullopt;
  const pg::InContext context(caller);
  bool is_null = false;
  const core::QueueId queue{DatumGetInt32(sql.value(0, kFailedQueue, is_null))};
  const int priority = DatumGetInt16(sql.value(0, kFailedPriority, is_null));
  return EndedJob{.slot = {},
                  .lane = core::lane_id({queue, priority, 0}),
                  .seq = {},
                  .job = job,
                  .state = core::JobState::failed,
                  .narrow = false,
                  .body = ring::body_of(sql, 0, kFailedBody)};
}

// Shares the key of the queue of the lane, so that it cannot be dropped meanwhile.
void join_producers(core::LaneId lane) {
  const core::QueueId id = core::lane_of(lane).queue;
  const int patience = std::max(static_cast<int>(pg::key_wait() / 1000), 1);
  const bool joined = pg::lock_within({pg::KeyClass::queue, id.value}, pg::LockStrength::row_exclusive, patience);
  const pg::FreshSnapshot snapshot;
  if (joined && look_up(id, snapshot)->dropped) {
    pg::raise({.sqlstate = ERRCODE_UNDEFINED_OBJECT,
               .message = "the queue of the job was dropped",
               .hint = "Enqueue the job anew in another queue: awa.load_job() tells what it was."});
  }
  if (joined) return;
  pg::raise({.sqlstate = ERRCODE_LOCK_NOT_AVAILABLE,
             .message = "the queue of the job is being dropped by another transaction",
             .hint = "Wait for that transaction to end."});
}

}  // namespace

bool retry_job(core::JobId job, core::Memory &memory) {
  std::optional<EndedJob> ended = find_ended(job, memory);
  if (ended) {
    join_producers(ended->lane);
    if (!remove_end(*ended)) return false;
  } else {
    ended = take_from_failed_history(job);
    if (!ended) return false;
    join_producers(ended->lane);
  }
  const KeyOwner owner(job, core::lane_of(ended->lane).queue, ended->body);
  const KeyOutcome outcome = change_state(owner, ended->state, core::JobState::available, KeyPatience::waits);
  if (outcome.refused()) refuse_held(owner, outcome.holder);
  WaitingJob again{
      .job = job, .lane = ended->lane, .state = core::JobState::available, .slot = {}, .seq = {}, .body = ended->body};
  again.body.attempts_used = 0;
  again.body.run_at = pg::now();
  put(again);
  return true;
}

}  // namespace awa::queue
