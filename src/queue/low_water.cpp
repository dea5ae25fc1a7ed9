#include "queue/low_water.hpp"

#include "pg/sequence.hpp"
#include "pg/table_locks.hpp"
#include "pg/transaction.hpp"
#include "pg/writers.hpp"

namespace awa::queue {

namespace {

constexpr core::Micros kUnknown = 0;
constexpr core::Micros kClockSlack = 1'000'000;  // the clock may be set back that far between two passes
constexpr std::size_t kWorthWriting = 16;        // dead rows below the mark that would be: fewer are cheaper to pass
constexpr int kMostWatched = pg::Writers::kMost;

constinit pg::CachedSequence deferred_low_water("deferred_low_water");

// A transaction that may have deferred jobs, all to times from `low` on, which nobody sees yet.
struct Watched {
  VirtualTransactionId transaction;
  core::Micros low;
};

// The value of the sequence: the mark, rounded down, and in its last digits a count of the resets.
struct Stored {
  static constexpr std::int64_t kResets = 1024;  // sql/schema/backlog.sql says the same number

  Oid sequence;
  std::int64_t value;

  static Stored now() {
    const Oid sequence = deferred_low_water.oid();
    return {sequence, pg::last_value(sequence)};
  }
  core::Micros mark() const noexcept { return value - value % kResets; }
  std::int64_t resets() const noexcept { return value % kResets; }
};

// Changes the value as nobody else does meanwhile: a reset must not be overwritten by a mark, nor counted together with
// another. The lock meets its like alone, and readers not at all.
template <typename Change>
auto alone(Change &&change) {
  const Oid sequence[] = {deferred_low_water.oid()};
  pg::lock_table(sequence[0], ShareUpdateExclusiveLock);
  const auto result = change(Stored::now());
  pg::unlock_all(sequence, ShareUpdateExclusiveLock);
  return result;
}

// Moves the mark, unless it was reset since `before` was read. Returns what it is then.
core::Micros write(const Stored &before, core::Micros mark) {
  return alone([&](const Stored &now) {
    if (now.resets() != before.resets()) return now.mark();
    const core::Micros rounded = mark - mark % Stored::kResets;
    pg::set_value(now.sequence, rounded + now.resets());
    return rounded;
  });
}

// What this session knows beyond the mark: no job is due before `none_before`, but those of the watched, and those that its
// own last pass took away if that was undone.
struct Memory {
  Stored stored{InvalidOid, 0};
  core::Micros none_before = kUnknown;
  core::Micros last_pass = 0;
  std::size_t dead = 0;  // rows between the mark and none_before, at least
  core::Xid taker{};     // the (sub)transaction of its own last pass; zero = that took nothing
  core::Micros taken_from = 0;
  int watched_count = 0;
  Watched watched[kMostWatched] = {};

  bool is_of(const Stored &now) const noexcept {
    return stored.sequence == now.sequence && stored.resets() == now.resets();
  }
  bool watches(const VirtualTransactionId &transaction) const noexcept {
    return std::any_of(watched, watched + watched_count,
                       [&](const Watched &each) { return VirtualTransactionIdEquals(each.transaction, transaction); });
  }
};
constinit Memory memory;

}  // namespace

LowWater::LowWater(const pg::OpenTable &deferred, core::Micros now) : now_(now) {
  const Stored stored = Stored::now();
  if (stored.mark() > now_ || (memory.is_of(stored) && memory.last_pass > now_)) reset();  // the clock was set back
  recall();
  watch(RelationGetRelid(deferred.relation()));
  if (from_ == kUnknown) from_ = DT_NOBEGIN;
}

void LowWater::recall() {
  const Stored stored = Stored::now();
  mark_ = stored.mark();
  from_ = mark_;
  if (!memory.is_of(stored)) {
    memory = {};
    memory.stored = stored;
    memory.last_pass = mark_;  // whoever is writing now may have begun before any pass that we know of
    return;
  }
  memory.stored = stored;
  from_ = std::max(from_, memory.none_before);
  if (memory.taker != core::Xid{}) {
    const pg::XidFate fate = pg::fate_of(memory.taker);
    if (fate == pg::XidFate::aborted || fate == pg::XidFate::forgotten) from_ = std::min(from_, memory.taken_from);
    if (fate != pg::XidFate::running) memory.taker = {};
  }
  int left = 0;
  for (const Watched &each : std::span(memory.watched, static_cast<std::size_t>(memory.watched_count))) {
    if (pg::has_ended(each.transaction)) {
      from_ = std::min(from_, each.low);
    } else {
      memory.watched[left++] = each;
    }
  }
  memory.watched_count = left;
}

void LowWater::watch(Oid deferred) {
  const core::Micros low = memory.last_pass == kUnknown ? kUnknown : memory.last_pass - kClockSlack;
  const pg::Writers writers = pg::writers_of(deferred);
  bool all = !writers.too_many;
  for (int i = 0; i < writers.count && all; ++i) {
    if (memory.watches(writers.transactions[i])) continue;
    all = memory.watched_count < kMostWatched;
    if (all) memory.watched[memory.watched_count++] = {writers.transactions[i], low};
  }
  memory.last_pass = now_;
  if (!all) memory = {};  // more than can be watched: nothing is known but the mark
}

void LowWater::saw_none_before(core::Micros first, std::size_t dead) {
  if (memory.stored.sequence == InvalidOid) return;
  memory.none_before = std::min(first, now_ - kClockSlack);
  memory.dead += dead;
  core::Micros sure = memory.none_before;
  for (int i = 0; i < memory.watched_count; ++i) sure = std::min(sure, memory.watched[i].low);
  if (memory.taker != core::Xid{}) sure = std::min(sure, memory.taken_from);
  if (sure <= mark_ || memory.dead < kWorthWriting) return;
  mark_ = write(memory.stored, sure);
  memory.dead = 0;
}

void LowWater::takes_all(core::Micros first, core::Micros before, std::size_t count) {
  if (memory.stored.sequence == InvalidOid) return;
  // An earlier pass of this transaction may be undone as well.
  memory.taken_from = memory.taker == core::Xid{} ? first : std::min(first, memory.taken_from);
  memory.taker = pg::own_subxid();
  memory.none_before = std::min(before, now_ - kClockSlack);
  memory.dead += count;
}

void LowWater::reset() {
  alone([](const Stored &now) {
    const std::int64_t resets = (now.resets() + 1) % Stored::kResets;
    pg::set_value(now.sequence, resets);
    return resets;
  });
}

}  // namespace awa::queue
