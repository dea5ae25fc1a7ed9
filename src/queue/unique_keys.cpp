#include "queue/unique_keys.hpp"

#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/keys.hpp"
#include "pg/spi.hpp"
#include "pg/subtransaction.hpp"
#include "pg/transaction.hpp"

namespace awa::queue {

namespace {

using Word = KeyOutcome::Word;

constexpr Oid kKey[] = {INT4OID, TEXTOID};
constexpr Oid kKeyAndJob[] = {INT4OID, TEXTOID, INT8OID};
constexpr int kTryMilliseconds = 1;
constexpr int kMostRetries = 3;

constinit pg::Statement insert_key(
    "INSERT INTO awa.job_unique_claims (queue_id, unique_key, job_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    kKeyAndJob);
constinit pg::Statement delete_key(
    "DELETE FROM awa.job_unique_claims WHERE queue_id = $1 AND unique_key = $2 AND job_id = $3", kKeyAndJob);
constinit pg::Statement find_holder("SELECT job_id FROM awa.job_unique_claims WHERE queue_id = $1 AND unique_key = $2",
                                    kKey);

bool run(pg::Statement &statement, const KeyOwner &owner) {
  const Datum values[] = {pg::datum(owner.queue), owner.key, pg::datum(owner.job)};
  pg::Sql sql;
  return sql.run(statement, values) > 0;
}

std::optional<core::JobId> holder_of(const KeyOwner &owner) {
  const Datum values[] = {pg::datum(owner.queue), owner.key};
  pg::Sql sql;
  if (sql.run(find_holder, values) == 0) return std::nullopt;
  bool is_null = false;
  return core::JobId{DatumGetInt64(sql.value(0, 1, is_null))};
}

// Inserts the row of the key unless there is one, after having waited for whoever is about to make or delete one. In a
// transaction with one snapshot for all, PostgreSQL reports a row that appeared during the wait as a serialization failure;
// another look, under a snapshot taken after it, sees that row.
bool insert_waiting(const KeyOwner &owner) {
  if (!pg::keeps_snapshot()) return run(insert_key, owner);
  bool inserted = false;
  for (int tries = 0; tries < kMostRetries; ++tries) {
    if (pg::subtransaction_unless(ERRCODE_T_R_SERIALIZATION_FAILURE, [&] { inserted = run(insert_key, owner); })) {
      return inserted;
    }
  }
  return run(insert_key, owner);
}

KeyOutcome take(const KeyOwner &owner, KeyPatience patience) {
  for (;;) {
    bool inserted = false;
    if (patience == KeyPatience::waits) {
      inserted = insert_waiting(owner);
    } else {
      const pg::LockTimeoutScope bounded(kTryMilliseconds);
      if (!pg::subtransaction_unless(ERRCODE_LOCK_NOT_AVAILABLE, [&] { inserted = run(insert_key, owner); })) {
        return {Word::busy};
      }
    }
    if (inserted) return {Word::taken};
    // It may have been given up since: then it is to be had.
    if (const auto holder = holder_of(owner)) {
      return *holder == owner.job ? KeyOutcome{Word::taken} : KeyOutcome{Word::held, *holder};
    }
    pg::check_for_interrupts();
  }
}

}  // namespace

KeyOutcome change_state(const KeyOwner &owner, std::optional<core::JobState> from, std::optional<core::JobState> to,
                        KeyPatience patience) {
  if (owner.key == 0) return {};
  switch (core::key_change(owner.states, from, to)) {
    case core::KeyChange::none:
      return {};
    case core::KeyChange::given_up:
      run(delete_key, owner);
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

void refuse_held(const KeyOwner &owner, core::JobId holder) {
  const std::string_view key = pg::text_view(owner.key);
  pg::raise({.sqlstate = ERRCODE_UNIQUE_VIOLATION,
             .message = pg::format("unique key \"%.*s\" is held by job %lld", pg::shown_length(key, 200), key.data(),
                                   static_cast<long long>(holder.value)),
             .hint = "See awa.load_job(). With on_conflict => 'ignore' enqueueing returns the id of the holder, with "
                     "'replace' a waiting one gets the new content."});
}

}  // namespace awa::queue
