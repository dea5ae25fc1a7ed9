#include "queue/low_water.hpp"

#include "pg/index_reader.hpp"
#include "pg/sequence.hpp"
#include "pg/snapshot.hpp"
#include "pg/transaction.hpp"
#include "ring/tables.hpp"

namespace awa::queue {

namespace {

constexpr core::Micros kUnknown = 0;
constexpr core::Micros kClockSlack = 1'000'000;       // the clock may be set back that far between two passes
constexpr core::Micros kPatience = 60'000'000;        // longer is not waited for a writer to end
constexpr core::Micros kLongestMemory = 600'000'000;  // what became of older transactions may not be known any more
constexpr std::size_t kDeadWorthMoving = 16;          // rows: fewer are cheaper to pass than a mark is to write
constexpr std::size_t kLookedAtBelow = 16;            // rows a pass

constinit pg::CachedSequence deferred_low_water("deferred_low_water");

// What a pass of this session found and could not be sure of.
struct Finding {
  core::Micros none_before = kUnknown;
  core::Xid taker{};      // if this (sub)transaction has committed; zero = in any case
  pg::Writers writers{};  // and these have ended
  Oid sequence = InvalidOid;
  core::Micros mark = kUnknown;  // as it was; a lower one: it was reset since
  core::Micros noted_at = 0;
};
constinit Finding finding;

// Where the look below the mark goes on.
constinit core::Micros round_from = DT_NOBEGIN;

}  // namespace

LowWater::LowWater(const pg::OpenTable &deferred, core::Micros now)
    : sequence_(deferred_low_water.oid()), now_(now), mark_(pg::last_value(sequence_)), from_(DT_NOBEGIN) {
  if (mark_ > now_) write(kUnknown);  // the clock was set back
  if (mark_ != kUnknown) from_ = mark_;
  recall();
  writers_ = pg::writers_of(RelationGetRelid(deferred.relation()));
  look_below(deferred);
}

// Makes use of what was found before, if it is sure by now.
void LowWater::recall() {
  if (finding.none_before == kUnknown) return;
  const bool is_of_now = finding.sequence == sequence_ && finding.mark <= mark_ && finding.none_before > mark_ &&
                         now_ - finding.noted_at < kLongestMemory;
  const auto fate = finding.taker == core::Xid{} ? pg::XidFate::committed : pg::fate_of(finding.taker);
  if (!is_of_now || fate == pg::XidFate::aborted) {
    finding = {};
  } else if (fate == pg::XidFate::committed && pg::have_ended(finding.writers)) {
    write(finding.none_before);
    from_ = mark_;
    finding = {};
  } else if (now_ - finding.noted_at > kPatience) {
    finding = {};
  }
}

void LowWater::look_below(const pg::OpenTable &deferred) {
  if (from_ == DT_NOBEGIN) return;
  namespace column = ring::deferred_jobs;
  const pg::FreshSnapshot snapshot;
  core::Micros live = DT_NOEND;
  core::Micros next = DT_NOBEGIN;
  std::size_t looked_at = 0;
  ScanKeyData keys[] = {pg::key_time_at_least(1, round_from), pg::key_time_at_most(1, from_ - 1)};
  pg::walk_any(deferred, deferred.index(column::by_due), snapshot.get(), keys, [&](const pg::Row &row) {
    const core::Micros run_at = row.int8(column::run_at);
    if (row.visible()) {
      live = run_at;
      return pg::Walk::stop;
    }
    if (++looked_at < kLookedAtBelow) return pg::Walk::on;
    next = run_at + 1;
    return pg::Walk::stop;
  });
  round_from = next;
  if (live == DT_NOEND) return;
  write(live);
  from_ = live;
  finding = {};
}

void LowWater::saw_none_before(core::Micros first, std::size_t dead) {
  const core::Micros none_before = std::min(first, now_ - kClockSlack);
  if (none_before <= mark_ || dead < kDeadWorthMoving) return;
  if (writers_.none()) {
    write(none_before);
  } else if (finding.none_before == kUnknown) {
    finding = {none_before, {}, writers_, sequence_, mark_, now_};
  }
}

void LowWater::takes_all_before(core::Micros time) {
  const core::Micros none_before = std::min(time, now_ - kClockSlack);
  if (none_before > mark_) finding = {none_before, pg::own_subxid(), writers_, sequence_, mark_, now_};
}

void LowWater::reset() { pg::set_value(deferred_low_water.oid(), kUnknown); }

void LowWater::write(core::Micros mark) {
  pg::set_value(sequence_, mark);
  mark_ = mark;
}

}  // namespace awa::queue
