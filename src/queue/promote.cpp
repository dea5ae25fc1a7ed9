#include "queue/promote.hpp"

#include <tuple>

#include "pg/error.hpp"
#include "pg/index_reader.hpp"
#include "pg/pause_point.hpp"
#include "pg/subtransaction.hpp"
#include "pg/transaction.hpp"
#include "queue/cancel.hpp"
#include "queue/deferred.hpp"
#include "queue/enqueue.hpp"
#include "queue/entries.hpp"
#include "queue/low_water.hpp"
#include "queue/unique_keys.hpp"

namespace awa::queue {

namespace {

namespace column = ring::deferred_jobs;

constexpr std::size_t kBatch = 1'000;
constexpr int kMostDead = 100;          // passed by to find out when the next job is due
constexpr std::size_t kMostLooks = 16;  // a call; more than one when others are at work on what is due

// Where a due job stands in the order of promotion.
struct Due {
  core::Micros run_at;
  std::int16_t priority;
  core::JobId job;
  friend constexpr auto operator<=>(const Due &, const Due &) = default;
};

constexpr Due kBeforeAllDue{DT_NOBEGIN, 0, {0}};

Due place_of(const DeferredJob &job) noexcept {
  return {job.body.run_at, static_cast<std::int16_t>(core::lane_of(job.lane).priority), job.job};
}

// One look along the index of due times.
struct Look {
  explicit Look(core::Memory &memory) : due(memory) {}
  core::Vec<Due> due;    // in order
  bool complete = true;  // there are no more
  std::size_t dead = 0;  // rows passed that the snapshot does not see
};

Look look(const pg::OpenTable &table, core::Micros from, core::Micros now, const Due &after, std::size_t most,
          core::Memory &memory) {
  Look result(memory);
  const pg::FreshSnapshot snapshot;
  ScanKeyData keys[] = {pg::key_time_at_least(1, std::max(from, after.run_at)), pg::key_time_at_most(1, now)};
  pg::walk_any(table, table.index(column::by_due), snapshot.get(), keys, [&](const pg::Row &row) {
    if (!row.visible()) {
      ++result.dead;
      return pg::Walk::on;
    }
    const Due due{row.int8(column::run_at), DatumGetInt16(row.value(column::priority)), {row.int8(column::job_id)}};
    if (due <= after) return pg::Walk::on;
    if (result.due.size() == most) {
      result.complete = false;
      return pg::Walk::stop;
    }
    result.due.push_back(due);
    return pg::Walk::on;
  });
  return result;
}

class Promotion {
 public:
  explicit Promotion(core::Memory &memory)
      : memory_(memory),
        table_(ring::deferred_jobs_table(), RowExclusiveLock),
        now_(pg::now()),
        mark_(table_, now_),
        queues_(memory) {}

  std::size_t run() {
    Due after = kBeforeAllDue;
    bool complete = false;
    for (std::size_t looks = 0; looks < kMostLooks && !complete && done_ < kMostPromoted; ++looks) {
      const Look seen = look(table_, mark_.from(), now_, after, kMostPromoted - done_, memory_);
      if (looks == 0) {
        first_ = seen.due.empty() ? now_ : seen.due.front().run_at;
        mark_.saw_none_before(first_, seen.dead);
      }
      complete = seen.complete;
      for (std::span<const Due> rest(seen.due.data(), seen.due.size()); !rest.empty();) {
        const std::span<const Due> batch = rest.first(std::min(rest.size(), kBatch));
        promote(batch);
        after = batch.back();
        rest = rest.subspan(batch.size());
        pg::check_for_interrupts();
      }
    }
    if (done_ > 0) mark_.takes_all(first_, std::min(left_, complete ? now_ : after.run_at), done_);
    for (const core::QueueId queue : queues_) notify(queue);
    return done_;
  }

 private:
  void promote(std::span<const Due> due) {
    core::Vec<core::JobId> ids(memory_);
    for (const Due &each : due) ids.push_back(each.job);
    core::Vec<DeferredJob> held = try_hold_deferred(ids, memory_);
    std::sort(held.begin(), held.end(),
              [](const DeferredJob &a, const DeferredJob &b) { return place_of(a) < place_of(b); });
    note_left(due, held);
    AWA_PAUSE_POINT("promote.before_rows");
    core::Vec<DeferredJob> ready(memory_);
    core::Vec<core::JobId> gone(memory_);
    for (DeferredJob &job : held) {
      if (job.body.run_at > now_) continue;  // put off by whoever had it
      switch (enter(job)) {
        case Entering::yes:
          gone.push_back(job.job);
          ready.push_back(job);
          break;
        case Entering::cancelled:
          break;
        case Entering::later:
          left_ = std::min(left_, job.body.run_at);
          continue;
      }
      ++done_;
    }
    append(ready);
    remove_deferred(gone, memory_);
  }

  // What others have locked stays where it is.
  void note_left(std::span<const Due> due, std::span<const DeferredJob> held) {
    if (held.size() == due.size()) return;
    core::Vec<core::JobId> ids(memory_);
    for (const DeferredJob &job : held) ids.push_back(job.job);
    std::sort(ids.begin(), ids.end());
    for (const Due &each : due) {
      if (!std::binary_search(ids.begin(), ids.end(), each.job)) left_ = std::min(left_, each.run_at);
    }
  }

  enum class Entering : std::uint8_t { yes, cancelled, later };

  // The job takes the unique key that it needs from now on. If another has it, that one wins.
  Entering enter(const DeferredJob &job) {
    const KeyOwner owner(job.job, core::lane_of(job.lane).queue, job.body);
    const KeyOutcome outcome = change_state(owner, job.state, core::JobState::available, KeyPatience::tries);
    if (outcome.word == KeyOutcome::Word::busy) return Entering::later;
    if (!outcome.refused()) return Entering::yes;
    const WaitingJob waiting{.job = job.job,
                             .lane = job.lane,
                             .state = job.state,
                             .slot = {},
                             .seq = {},
                             .finalized_at = job.finalized_at,
                             .body = job.body};
    const bool cancelled = pg::subtransaction_unless(ERRCODE_LOCK_NOT_AVAILABLE, [&] {
      cancel_held({&waiting, 1}, reason_of_loss(outcome.holder), memory_, receipt::EndPatience::tries);
    });
    return cancelled ? Entering::cancelled : Entering::later;
  }

  void append(std::span<const DeferredJob> jobs) {
    core::Vec<std::int64_t> seqs(memory_);
    seqs.resize(jobs.size());
    draw_entry_ids(seqs);
    core::Vec<NewEntry> entries(memory_);
    entries.reserve(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      entries.push_back({jobs[i].lane, {seqs[i]}, jobs[i].job, &jobs[i].body});
      const core::QueueId queue = core::lane_of(jobs[i].lane).queue;
      if (std::find(queues_.begin(), queues_.end(), queue) == queues_.end()) queues_.push_back(queue);
    }
    append_entries(entries);
  }

  core::Memory &memory_;
  pg::OpenTable const table_;
  core::Micros const now_;
  LowWater mark_;
  core::Vec<core::QueueId> queues_;
  std::size_t done_ = 0;
  core::Micros first_ = DT_NOEND;  // of what is due
  core::Micros left_ = DT_NOEND;   // of what is due and stays
};

}  // namespace

std::int32_t promote_due(core::Memory &memory) { return static_cast<std::int32_t>(Promotion(memory).run()); }

core::Micros first_due_between(core::Micros from, core::Micros until) {
  pg::OpenTable table(ring::deferred_jobs_table(), AccessShareLock);
  core::Micros first = 0;
  {
    const pg::FreshSnapshot snapshot;
    int dead = 0;
    ScanKeyData keys[] = {pg::key_time_at_least(1, from), pg::key_time_at_most(1, until)};
    pg::walk_any(table, table.index(column::by_due), snapshot.get(), keys, [&](const pg::Row &row) {
      if (!row.visible()) return ++dead < kMostDead ? pg::Walk::on : pg::Walk::stop;
      first = row.int8(column::run_at);
      return pg::Walk::stop;
    });
  }
  table.unlock();
  return first;
}

}  // namespace awa::queue
