#include "queue/waiting_jobs.hpp"

#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/keys.hpp"
#include "pg/pause_point.hpp"
#include "pg/settings.hpp"
#include "pg/transaction.hpp"
#include "queue/deferred.hpp"
#include "queue/job_entries.hpp"
#include "receipt/attempt_keys.hpp"

namespace awa::queue {

namespace {

std::string_view word_of(Removal reason) noexcept {
  switch (reason) {
    case Removal::cancelled:
      return "cancelled";
    case Removal::moved:
      return "moved";
    case Removal::deleted:
      return "deleted";
    case Removal::replaced:
      break;
  }
  return "replaced";
}

// The search for a call's jobs: where each of them waits, until nothing is left to look at.
class Search {
 public:
  Search(std::span<const core::JobId> jobs, core::Memory &memory)
      : memory_(memory), entries_(memory), missing_(jobs, memory), lanes_(memory), held_(memory) {}

  // A job that waits for a time becomes an entry meanwhile, and the other way round; so both are looked at in turn.
  core::Vec<WaitingJob> run() {
    do {
      hold_deferred_ones();
      if (missing_.empty()) break;
    } while (lock_lanes());
    entries_.unlock_all();
    unlock_idle_lanes();
    return std::move(held_);
  }

 private:
  void hold_deferred_ones() {
    for (const DeferredJob &found : hold_deferred(missing_, memory_)) {
      held_.push_back({.job = found.job,
                       .lane = found.lane,
                       .state = found.state,
                       .slot = {},
                       .seq = {},
                       .finalized_at = found.finalized_at,
                       .body = found.body});
    }
    forget_held();
  }

  // Locks the lanes that missing jobs may wait on, and holds those that do. Returns whether there were lanes that had not
  // been looked at under their locks.
  bool lock_lanes() {
    core::Vec<core::LaneId> lanes(memory_);
    {
      const pg::FreshSnapshot snapshot;
      core::Vec<JobEntry> found = entries_.not_tombstoned(missing_, snapshot);
      entries_.drop_emitted(found, snapshot);  // what is known to be handed out needs no lock
      for (const JobEntry &each : found) lanes.push_back(each.lane);
    }
    std::sort(lanes.begin(), lanes.end());
    AWA_PAUSE_POINT("wait.before_lanes");
    bool any_new = false;
    for (const core::LaneId lane : lanes) {
      if (std::find(lanes_.begin(), lanes_.end(), lane) != lanes_.end()) continue;
      lock_lane(lane);
      lanes_.push_back(lane);
      any_new = true;
    }
    AWA_PAUSE_POINT("wait.before_look");
    if (any_new) hold_entries();
    return any_new && !missing_.empty();
  }

  void hold_entries() {
    const pg::FreshSnapshot snapshot;
    core::Vec<JobEntry> found = entries_.not_tombstoned(missing_, snapshot);
    // On a lane that is not locked it may still be handed out; the next round locks it.
    found.erase(std::remove_if(found.begin(), found.end(),
                               [this](const JobEntry &each) {
                                 return std::find(lanes_.begin(), lanes_.end(), each.lane) == lanes_.end();
                               }),
                found.end());
    entries_.drop_emitted(found, snapshot);
    for (const JobEntry &each : found) {
      held_.push_back({.job = each.entry.job,
                       .lane = each.lane,
                       .state = core::JobState::available,
                       .slot = each.entry.slot,
                       .seq = each.entry.position.seq,
                       .body = each.entry.body});
    }
    forget_held();
  }

  void forget_held() {
    core::Vec<core::JobId> ids(memory_);
    for (const WaitingJob &each : held_) ids.push_back(each.job);
    std::sort(ids.begin(), ids.end());
    const auto is_held = [&](core::JobId job) { return std::binary_search(ids.begin(), ids.end(), job); };
    missing_.erase(std::remove_if(missing_.begin(), missing_.end(), is_held), missing_.end());
  }

  // Lanes on which the jobs were handed out meanwhile need not wait for the end of this transaction.
  void unlock_idle_lanes() {
    for (const core::LaneId lane : lanes_) {
      const auto is_on_it = [lane](const WaitingJob &each) { return each.has_entry() && each.lane == lane; };
      if (std::any_of(held_.begin(), held_.end(), is_on_it)) continue;
      pg::unlock({pg::KeyClass::lane, lane.value}, pg::LockStrength::exclusive);
    }
  }

  core::Memory &memory_;
  JobEntries entries_;
  core::Vec<core::JobId> missing_;
  core::Vec<core::LaneId> lanes_;  // locked
  core::Vec<WaitingJob> held_;
};

}  // namespace

void lock_lane(core::LaneId lane) {
  const pg::Key key{pg::KeyClass::lane, lane.value};
  const int patience = receipt::holds_attempt_keys() ? 0 : static_cast<int>(pg::claim_wait() / 1000);
  const bool locked = patience > 0 ? pg::lock_within(key, pg::LockStrength::exclusive, patience)
                                   : pg::try_lock(key, pg::LockStrength::exclusive);
  if (locked) return;
  const core::Lane busy = core::lane_of(lane);
  pg::raise({.sqlstate = ERRCODE_LOCK_NOT_AVAILABLE,
             .message = "a lane is held by a transaction that does not end",
             .detail = pg::format("It claims from queue id %d, priority %d, shard %d, or changes jobs that wait there.",
                                  busy.queue.value, busy.priority, busy.shard),
             .hint = "See awa.lane_status for the session, and try again."});
}

core::Vec<WaitingJob> hold_waiting(std::span<const core::JobId> jobs, core::Memory &memory) {
  core::Vec<WaitingJob> held = Search(jobs, memory).run();
  AWA_PAUSE_POINT("wait.before_rows");
  return held;
}

void take_away(std::span<const WaitingJob> jobs, Removal reason, core::Memory &memory) {
  namespace column = ring::ready_tombstones;
  core::Vec<const WaitingJob *> entries(memory);
  core::Vec<core::JobId> deferred(memory);
  for (const WaitingJob &job : jobs) {
    if (job.has_entry()) {
      entries.push_back(&job);
    } else {
      deferred.push_back(job.job);
    }
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const WaitingJob *a, const WaitingJob *b) { return a->slot < b->slot; });
  const core::Micros now = pg::now();
  for (std::span<const WaitingJob *const> rest(entries.data(), entries.size()); !rest.empty();) {
    std::size_t count = 1;
    while (count < rest.size() && rest[count]->slot == rest[0]->slot) ++count;
    // An entry that waits keeps its slot.
    const pg::OpenTable leaf(ring::ready_tombstones_leaf(rest[0]->slot), RowExclusiveLock);
    pg::append_many(leaf, count, [&](std::size_t index, pg::NewRow row) {
      const WaitingJob &job = *rest[index];
      row.set(column::ready_slot, pg::datum(job.slot));
      row.set(column::lane_id, pg::datum(job.lane));
      row.set(column::lane_seq, pg::datum(job.seq));
      row.set(column::job_id, pg::datum(job.job));
      row.set(column::tombstoned_at, pg::datum(now));
      row.set(column::reason, pg::text_datum(word_of(reason)));
    });
    rest = rest.subspan(count);
  }
  remove_deferred(deferred, memory);
}

}  // namespace awa::queue
