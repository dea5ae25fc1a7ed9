#include "queue/unique_keys.hpp"

#include "pg/cached_table.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/index_reader.hpp"
#include "pg/keys.hpp"
#include "pg/memory.hpp"
#include "pg/snapshot.hpp"
#include "pg/spi.hpp"
#include "pg/subtransaction.hpp"
#include "pg/transaction.hpp"

namespace awa::queue {

namespace {

using Word = KeyOutcome::Word;

constexpr Oid kKeyAndJob[] = {INT4OID, TEXTOID, INT8OID};
constexpr Oid kKeysAndJobs[] = {INT4ARRAYOID, TEXTARRAYOID, INT8ARRAYOID};
constexpr int kTryMilliseconds = 1;
constexpr int kMostRetries = 10;

// In one order for all: calls cannot deadlock with one another.
constinit pg::Statement insert_keys(R"sql(
  INSERT INTO awa.job_unique_claims (queue_id, unique_key, job_id)
  SELECT w.queue_id, w.unique_key, w.job_id
  FROM unnest($1, $2, $3) w(queue_id, unique_key, job_id)
  ORDER BY w.queue_id, w.unique_key COLLATE "C"
  ON CONFLICT (queue_id, unique_key) DO NOTHING RETURNING job_id)sql",
                                    kKeysAndJobs);
constinit pg::Statement delete_key(
    "DELETE FROM awa.job_unique_claims WHERE queue_id = $1 AND unique_key = $2 AND job_id = $3", kKeyAndJob);
constinit pg::Statement select_holders(R"sql(
  SELECT w.job_id, u.job_id
  FROM unnest($1, $2, $3) w(queue_id, unique_key, job_id)
    JOIN awa.job_unique_claims u ON u.queue_id = w.queue_id AND u.unique_key = w.unique_key COLLATE "C")sql",
                                       kKeysAndJobs);

// The keys as parallel arrays.
struct KeyArrays {
  Datum values[3];
};

KeyArrays arrays_of(std::span<const KeyOwner> owners, core::Memory &memory) {
  core::Vec<std::int32_t> queues(memory);
  core::Vec<Datum> keys(memory);
  core::Vec<std::int64_t> jobs(memory);
  for (const KeyOwner &owner : owners) {
    queues.push_back(owner.queue.value);
    keys.push_back(owner.key);
    jobs.push_back(owner.job.value);
  }
  return {{pg::int4_array(queues), pg::text_array(keys), pg::int8_array(jobs)}};
}

// The places of jobs among the owners.
class Places {
 public:
  Places(std::span<const KeyOwner> owners, core::Memory &memory) : by_job_(memory) {
    for (std::size_t i = 0; i < owners.size(); ++i) by_job_.push_back({owners[i].job, i});
    std::sort(by_job_.begin(), by_job_.end());
  }
  std::size_t of(core::JobId job) const noexcept {
    return std::lower_bound(by_job_.begin(), by_job_.end(), std::pair(job, std::size_t{0}))->second;
  }

 private:
  core::Vec<std::pair<core::JobId, std::size_t>> by_job_;
};

void give_up(const KeyOwner &owner) {
  const Datum values[] = {pg::datum(owner.queue), owner.key, pg::datum(owner.job)};
  pg::Sql sql;
  sql.run(delete_key, values);
}

// Inserts the rows of keys that have none, after having waited for whoever is about to make or delete one.
void insert(std::span<const KeyOwner> owners, std::span<core::JobId> holders, core::Memory &memory) {
  const Places places(owners, memory);
  pg::Sql sql;
  const std::uint64_t count = sql.run(insert_keys, arrays_of(owners, memory).values);
  for (std::uint64_t row = 0; row < count; ++row) {
    bool is_null = false;
    const core::JobId job{DatumGetInt64(sql.value(row, 1, is_null))};
    holders[places.of(job)] = job;
  }
}

// In a transaction with one snapshot for all, PostgreSQL reports a row that appeared during the wait as a serialization
// failure; another try, under a snapshot taken after it, sees that row.
void insert_in_turn(std::span<const KeyOwner> owners, std::span<core::JobId> holders, core::Memory &memory) {
  for (int tries = 0; pg::keeps_snapshot() && tries < kMostRetries; ++tries) {
    if (pg::subtransaction_unless(ERRCODE_T_R_SERIALIZATION_FAILURE, [&] { insert(owners, holders, memory); })) return;
  }
  insert(owners, holders, memory);
}

constexpr pg::Column kClaimColumns[] = {{"queue_id", INT4OID}, {"unique_key", TEXTOID}, {"job_id", INT8OID}};
constexpr pg::IndexShape kClaimIndexes[] = {pg::unique_btree({1, 2})};
constexpr pg::TableShape kClaimShape{"job_unique_claims", kClaimColumns, kClaimIndexes};
constinit pg::CachedTable unique_claims(kClaimShape, pg::kNotALeaf);

// Who has the key, or that somebody is about to decide about it; nothing if it is free. Waits for nobody.
std::optional<KeyOutcome> look(const KeyOwner &owner) {
  constexpr AttrNumber kJob = 3;
  std::optional<KeyOutcome> found;
  pg::OpenTable table(unique_claims, AccessShareLock);
  pg::UndecidedSnapshot snapshot;
  ScanKeyData keys[] = {pg::key_equal(1, owner.queue.value), pg::key_text_equal(2, owner.key)};
  pg::walk(table, table.index(0), snapshot.get(), keys, [&](const pg::Row &row) {
    found = snapshot.is_open() ? KeyOutcome{Word::busy} : KeyOutcome{Word::held, {row.int8(kJob)}};
    return pg::Walk::stop;
  });
  table.unlock();
  return found;
}

KeyOutcome take(const KeyOwner &owner, KeyPatience patience) {
  pg::ScratchContext scratch;
  core::JobId holder{};
  if (patience == KeyPatience::waits) {
    take_keys({&owner, 1}, {&holder, 1}, scratch.memory());
  } else {
    if (const auto met = look(owner)) return met->holder == owner.job ? KeyOutcome{Word::taken} : *met;
    // Somebody may come in between, whom the insertion would wait for.
    const pg::LockTimeoutScope bounded(kTryMilliseconds);
    const bool done = pg::subtransaction_unless(ERRCODE_LOCK_NOT_AVAILABLE, [&] {
      take_keys({&owner, 1}, {&holder, 1}, scratch.memory());
    });
    if (!done) return {Word::busy};
  }
  return holder == owner.job ? KeyOutcome{Word::taken} : KeyOutcome{Word::held, holder};
}

}  // namespace

KeyOutcome change_state(const KeyOwner &owner, std::optional<core::JobState> from, std::optional<core::JobState> to,
                        KeyPatience patience) {
  if (owner.key == 0) return {};
  switch (core::key_change(owner.states, from, to)) {
    case core::KeyChange::none:
      return {};
    case core::KeyChange::given_up:
      give_up(owner);
      return {Word::given_up};
    case core::KeyChange::taken:
      break;
  }
  return take(owner, patience);
}

const char *reason_of_loss(core::JobId holder) {
  return pg::format("cancelled as a duplicate: its unique key is held by job %lld",
                    static_cast<long long>(holder.value));
}

void find_holders(std::span<const KeyOwner> owners, std::span<core::JobId> holders, core::Memory &memory) {
  const Places places(owners, memory);
  pg::Sql sql;
  const std::uint64_t count = sql.run(select_holders, arrays_of(owners, memory).values);
  for (std::uint64_t row = 0; row < count; ++row) {
    bool is_null = false;
    const core::JobId job{DatumGetInt64(sql.value(row, 1, is_null))};
    holders[places.of(job)] = {DatumGetInt64(sql.value(row, 2, is_null))};
  }
}

void take_keys(std::span<const KeyOwner> owners, std::span<core::JobId> holders, core::Memory &memory) {
  std::fill(holders.begin(), holders.end(), core::JobId{});
  const Places places(owners, memory);
  core::Vec<KeyOwner> wanted(owners, memory);
  core::Vec<core::JobId> found(memory);
  while (!wanted.empty()) {
    found.assign(wanted.size(), core::JobId{});
    insert_in_turn(wanted, found, memory);
    if (std::find(found.begin(), found.end(), core::JobId{}) != found.end()) find_holders(wanted, found, memory);
    // A key that was held may have been given up since: then it is to be had.
    core::Vec<KeyOwner> again(memory);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (found[i] == core::JobId{}) {
        again.push_back(wanted[i]);
      } else {
        holders[places.of(wanted[i].job)] = found[i];
      }
    }
    wanted = std::move(again);
    pg::check_for_interrupts();
  }
}

void refuse_held(const KeyOwner &owner, core::JobId holder) {
  const std::string_view key = pg::text_view(owner.key);
  pg::raise({.sqlstate = ERRCODE_UNIQUE_VIOLATION,
             .message = pg::format("unique key \"%.*s\" is held by job %lld", pg::shown_length(key, 200), key.data(),
                                   static_cast<long long>(holder.value)),
             .hint = "See awa.load_job(). With on_conflict => 'ignore' enqueueing returns the id of the holder, with "
                     "'replace' a waiting one gets the new content."});
}

}  // namespace awa::queue
