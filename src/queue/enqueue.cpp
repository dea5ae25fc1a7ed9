#include "queue/enqueue.hpp"

#include "pg/transaction.hpp"
#include "queue/deferred.hpp"
#include "queue/entries.hpp"

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

void enqueue(std::span<NewJob> jobs, std::span<std::int64_t> ids, core::Memory &memory) {
  draw_entry_ids(ids);
  const core::Micros now = pg::now();
  core::Vec<NewEntry> entries(memory);
  core::Vec<DeferredJob> later(memory);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    NewJob &job = jobs[i];
    job.body.created_at = now;
    if (job.body.run_at > now) {
      later.push_back({.job = {ids[i]}, .lane = job.lane, .body = job.body});
      continue;
    }
    job.body.run_at = now;
    entries.push_back({job.lane, {ids[i]}, {ids[i]}, &job.body});
  }
  append_entries(entries);
  defer(later);
}

void notify(const Queue &queue) {
  if (!queue.notify || queue.paused) return;
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
