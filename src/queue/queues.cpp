#include "queue/queues.hpp"

#include "core/places.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/index_reader.hpp"
#include "pg/keys.hpp"
#include "pg/settings.hpp"
#include "pg/transaction.hpp"

namespace awa::queue {

namespace {

enum : AttrNumber {
  kQueueId = 1,
  kQueue,
  kEnqueueShards,
  kShardsUsed,
  kMaxAttempts,
  kDeadline,
  kStaleAfter,
  kAging,
  kBackoffBase,
  kBackoffCap,
  kDeadLetter,
  kNotify,
  kFailedRetention,
  kDeadLetterRetention,
  kPausedAt,
  kCreatedAt,
  kDroppedAt
};

constexpr pg::Column kColumns[] = {{"queue_id", INT4OID},
                                   {"queue", TEXTOID},
                                   {"enqueue_shards", INT4OID},
                                   {"shards_used", INT4OID},
                                   {"max_attempts", INT4OID},
                                   {"deadline", INTERVALOID},
                                   {"stale_after", INTERVALOID},
                                   {"aging", INTERVALOID},
                                   {"backoff_base", INTERVALOID},
                                   {"backoff_cap", INTERVALOID},
                                   {"dead_letter", BOOLOID},
                                   {"notify", BOOLOID},
                                   {"failed_retention", INTERVALOID},
                                   {"dead_letter_retention", INTERVALOID},
                                   {"paused_at", TIMESTAMPTZOID},
                                   {"created_at", TIMESTAMPTZOID},
                                   {"dropped_at", TIMESTAMPTZOID}};
constexpr pg::IndexShape kIndexes[] = {pg::unique_btree({kQueue}, {pg::IndexPredicate::Kind::is_null, kDroppedAt}),
                                       pg::unique_btree({kQueueId})};
enum : int { kByName, kById };  // indexes
constexpr pg::TableShape kShape{"queues", kColumns, kIndexes, 5};
constinit pg::CachedTable queues_table(kShape, pg::kNotALeaf);

core::Micros span_of(const pg::Row &row, AttrNumber column) {
  bool is_null = false;
  const Datum value = row.value(column, is_null);
  return is_null ? 0 : pg::interval_micros(value);
}

// C room.
Queue queue_of(const pg::Row &row) {
  return {.id = {row.int4(kQueueId)},
          .enqueue_shards = row.int4(kEnqueueShards),
          .shards_used = row.int4(kShardsUsed),
          .max_attempts = row.int4(kMaxAttempts),
          .deadline = span_of(row, kDeadline),
          .stale_after = span_of(row, kStaleAfter),
          .aging = span_of(row, kAging),
          .retry = {span_of(row, kBackoffBase), span_of(row, kBackoffCap), DatumGetBool(row.value(kDeadLetter))},
          .notify = DatumGetBool(row.value(kNotify)),
          .paused = !row.is_null(kPausedAt),
          .dropped = !row.is_null(kDroppedAt)};
}

std::optional<Queue> read(const pg::OpenTable &table, int index, ScanKeyData key, const pg::FreshSnapshot &snapshot) {
  std::optional<Queue> found;
  pg::walk(table, table.index(index), snapshot.get(), {&key, 1}, [&](const pg::Row &row) {
    found = queue_of(row);
    return pg::Walk::stop;
  });
  return found;
}

// A queue that the session read. It holds for as long as no news of the table came: whoever changes queues sends them, which
// arrive before he is told that it is done.
struct KnownQueue {
  std::array<char, 64> name;
  std::size_t length;  // 0 = no queue
  std::uint32_t edition;
  Queue queue;

  bool is_of(std::string_view wanted, std::uint32_t newest) const noexcept {
    return edition == newest && std::string_view(name.data(), length) == wanted;
  }
};
constinit core::Places<KnownQueue, 6> known_queues;

}  // namespace

std::optional<Queue> look_up(std::string_view name) {
  KnownQueue &known = known_queues.of(std::hash<std::string_view>()(name));
  if (known.length > 0 && known.is_of(name, queues_table.edition_now())) return known.queue;
  pg::OpenTable table(queues_table, AccessShareLock);
  const std::uint32_t edition = queues_table.edition();
  const auto found = read(table, kByName, pg::key_text_equal(1, pg::text_datum(name)), pg::FreshSnapshot());
  table.unlock();
  // What this transaction may have changed itself, in this very statement, is not news yet.
  const bool is_committed = pg::own_xid_if_any() == core::Xid{};
  if (found && is_committed && name.size() <= known.name.size()) {
    name.copy(known.name.data(), name.size());
    known.length = name.size();
    known.edition = edition;
    known.queue = *found;
  }
  return found;
}

std::optional<Queue> look_up(core::QueueId id, const pg::FreshSnapshot &snapshot) {
  pg::OpenTable table(queues_table, AccessShareLock);
  const auto found = read(table, kById, pg::key_equal(1, id.value), snapshot);
  table.unlock();
  return found;
}

Queue find(std::string_view name) {
  const auto found = look_up(name);
  if (found) return *found;
  const char *const shown = pg::format("%.*s", pg::shown_length(name, 200), name.data());
  pg::raise({.sqlstate = ERRCODE_UNDEFINED_OBJECT,
             .message = pg::format("queue \"%s\" does not exist", shown),
             .hint = "Names are case-sensitive: see awa.list_queues(). Create a queue with awa.create_queue()."});
}

Queue find_to_produce(std::string_view name) {
  core::QueueId held{0};
  for (;;) {
    const Queue queue = find(name);
    // Found by a look that came after the key: it can no more be dropped.
    if (queue.id == held) return queue;
    const int patience = static_cast<int>(pg::key_wait() / 1000);
    if (!pg::lock_within({pg::KeyClass::queue, queue.id.value}, pg::LockStrength::row_exclusive,
                         std::max(patience, 1))) {
      pg::raise({.sqlstate = ERRCODE_LOCK_NOT_AVAILABLE,
                 .message = pg::format("queue \"%.*s\" is being dropped by another transaction",
                                       static_cast<int>(name.size()), name.data()),
                 .hint = "Wait for that transaction to end."});
    }
    held = queue.id;
  }
}

void channel_name(core::QueueId queue, char (&channel)[kChannelSize]) noexcept {
  snprintf(channel, sizeof channel, "awa:%d", queue.value);
}

}  // namespace awa::queue
