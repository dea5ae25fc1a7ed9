#include "queue/change_jobs.hpp"

#include "queue/deferred.hpp"
#include "queue/enqueue.hpp"
#include "queue/entries.hpp"
#include "queue/unique_keys.hpp"
#include "receipt/attempt_end.hpp"
#include "ring/rollups.hpp"

namespace awa::queue {

namespace {

// The job, held, if it waits.
core::Vec<WaitingJob> hold(core::JobId job, core::Memory &memory) { return hold_waiting({&job, 1}, memory); }

void move_to(WaitingJob job, core::LaneId lane, core::Memory &memory) {
  take_away({&job, 1}, Removal::moved, memory);
  job.lane = lane;
  put(job);
}

}  // namespace

void put(const WaitingJob &job) {
  if (!job.has_entry()) {
    const DeferredJob deferred{job.job, job.lane, job.state, job.finalized_at, job.body};
    defer({&deferred, 1});
    return;
  }
  std::int64_t seq = 0;
  draw_entry_ids({&seq, 1});
  const NewEntry entry{job.lane, {seq}, job.job, &job.body};
  append_entries({&entry, 1});
  notify(core::lane_of(job.lane).queue);
}

bool set_priority(core::JobId id, int priority, core::Memory &memory) {
  for (const WaitingJob &job : hold(id, memory)) {
    const core::Lane lane = core::lane_of(job.lane);
    if (lane.priority == priority) return false;
    move_to(job, core::lane_id({lane.queue, priority, lane.shard}), memory);
    return true;
  }
  return false;
}

bool move(core::JobId id, const Queue &to, core::Memory &memory) {
  for (const WaitingJob &job : hold(id, memory)) {
    const core::Lane lane = core::lane_of(job.lane);
    if (lane.queue == to.id) return false;
    // Keys are unique within a queue.
    const KeyOwner there(job.job, to.id, job.body);
    const KeyOutcome outcome = change_state(there, std::nullopt, job.state, KeyPatience::waits);
    if (outcome.refused()) refuse_held(there, outcome.holder);
    change_state(KeyOwner(job.job, lane.queue, job.body), job.state, std::nullopt, KeyPatience::waits);
    move_to(job, core::lane_id({to.id, lane.priority, shard_for(to, {}, false)}), memory);
    return true;
  }
  return false;
}

bool delete_waiting(core::JobId id, core::Memory &memory) {
  for (const WaitingJob &job : hold(id, memory)) {
    const core::Lane lane = core::lane_of(job.lane);
    change_state(KeyOwner(job.job, lane.queue, job.body), job.state, std::nullopt, KeyPatience::waits);
    take_away({&job, 1}, Removal::deleted, memory);
    ring::count_gone(job.lane, "deleted", 1);
    const receipt::Ended ended{job.job, {}, receipt::JobFate::deleted};
    receipt::tell_ended({&ended, 1}, memory);
    return true;
  }
  return false;
}

}  // namespace awa::queue
