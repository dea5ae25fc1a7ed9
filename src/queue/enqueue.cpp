#include "queue/enqueue.hpp"

#include "pg/transaction.hpp"
#include "queue/deferred.hpp"
#include "queue/entries.hpp"
#include "queue/unique_entering.hpp"
#include "wake/seats.hpp"

namespace awa::queue {

int shard_for(const Queue &queue, std::string_view ordering_key, bool has_ordering_key) {
  if (queue.enqueue_shards == 1) return 0;
  if (has_ordering_key) {
    const auto *const bytes = reinterpret_cast<const unsigned char *>(ordering_key.data());
    return core::shard_of(hash_bytes_extended(bytes, static_cast<int>(ordering_key.size()), 0), queue.enqueue_shards);
  }
  static constinit std::uint32_t turn = 0;
  if (turn == 0) turn = pg::random_turn();  // sessions begin at different shards
  return core::shard_of(turn++, queue.enqueue_shards);
}

namespace {

bool any_keyed(std::span<const NewJob> jobs) noexcept {
  return std::any_of(jobs.begin(), jobs.end(), [](const NewJob &job) { return job.body.unique_key != 0; });
}

// What a call lays down, and where.
struct Placed {
  explicit Placed(core::Memory &memory) : now_entries(memory), later(memory) {}
  core::Vec<NewEntry> now_entries;
  core::Vec<DeferredJob> later;
};

// `seq` is zero for a job that is no new one: it gets another position.
void place(NewJob &job, core::JobId id, core::LaneSeq seq, core::Micros now, Placed &placed) {
  if (job.body.run_at > now) {
    placed.later.push_back({.job = id, .lane = job.lane, .body = job.body});
    return;
  }
  job.body.run_at = now;
  placed.now_entries.push_back({job.lane, seq, id, &job.body});
}

void place_keyed(std::span<NewJob> jobs, std::span<std::int64_t> ids, core::Micros now, Placed &placed,
                 core::Memory &memory) {
  core::Vec<Entrance> entrances(memory);
  entrances.resize(jobs.size());
  UniqueEntering entering(memory);
  entering.decide(jobs, ids, now, entrances);
  core::Vec<WaitingJob> replaced(memory);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Entrance &entrance = entrances[i];
    switch (entrance.way) {
      case Entrance::Way::enters:
        place(jobs[i], {ids[i]}, {ids[i]}, now, placed);
        break;
      case Entrance::Way::ignored:
        ids[i] = entrance.holder.value;
        break;
      case Entrance::Way::replaces: {
        // Its id and its past stay: receipts of earlier attempts are stale for ever.
        const WaitingJob &before = entering.held(entrance.holder);
        ids[i] = entrance.holder.value;
        jobs[i].body.last_lease = before.body.last_lease;
        jobs[i].body.created_at = before.body.created_at;
        replaced.push_back(before);
        place(jobs[i], before.job, {}, now, placed);
        break;
      }
      case Entrance::Way::merged:
        ids[i] = ids[entrance.first];  // which comes before
        break;
    }
  }
  take_away(replaced, Removal::replaced, memory);
}

// Appends entries; those of jobs that are not new get positions.
void append_placed(Placed &placed, core::Memory &memory) {
  core::Vec<std::int64_t> seqs(memory);
  core::Vec<NewEntry *> old(memory);
  for (NewEntry &entry : placed.now_entries) {
    if (entry.seq.value == 0) old.push_back(&entry);
  }
  seqs.resize(old.size());
  draw_entry_ids(seqs);
  for (std::size_t i = 0; i < old.size(); ++i) old[i]->seq = {seqs[i]};
  append_entries(placed.now_entries);
  defer(placed.later);
}

}  // namespace

std::size_t enqueue(std::span<NewJob> jobs, std::span<std::int64_t> ids, core::Memory &memory) {
  draw_entry_ids(ids);
  const core::Micros now = pg::now();
  for (NewJob &job : jobs) job.body.created_at = now;
  Placed placed(memory);
  if (!any_keyed(jobs)) {
    for (std::size_t i = 0; i < jobs.size(); ++i) place(jobs[i], {ids[i]}, {ids[i]}, now, placed);
  } else {
    place_keyed(jobs, ids, now, placed, memory);
  }
  append_placed(placed, memory);
  return placed.now_entries.size();
}

void notify(const Queue &queue) {
  if (queue.paused) return;
  wake::at_commit(queue.id);
  if (!queue.notify) return;
  char channel[kChannelSize];
  channel_name(queue.id, channel);
  pg::guarded([&] { Async_Notify(channel, ""); });
}

void notify(core::QueueId id) {
  std::optional<Queue> queue;
  {
    const pg::FreshSnapshot snapshot;
    queue = look_up(id, snapshot);
  }
  if (queue) notify(*queue);
}

}  // namespace awa::queue
