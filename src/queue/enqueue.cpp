#include "queue/enqueue.hpp"

#include "core/blocks.hpp"
#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "pg/pause_point.hpp"
#include "pg/sequence.hpp"
#include "pg/transaction.hpp"
#include "ring/generation.hpp"

namespace awa::queue {

namespace {

constinit pg::CachedSequence entry_seq("entry_seq");

// What this session has left of its last block, and the sequence it came from: a new one after DROP and CREATE EXTENSION.
constinit core::BlockLeftover leftover;
constinit Oid leftover_of = InvalidOid;

std::int64_t next_entry_id(Oid sequence) {
  if (leftover_of != sequence) {
    leftover = {};
    leftover_of = sequence;
  }
  if (leftover.empty()) leftover.refill(pg::next_value(sequence), core::kEntryBlock);
  return leftover.take();
}

}  // namespace

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

void enqueue(std::span<const NewJob> jobs, std::span<std::int64_t> ids) {
  if (jobs.empty()) return;
  namespace column = ring::ready_entries;
  const Oid sequence = entry_seq.oid();
  for (std::int64_t &id : ids) id = next_entry_id(sequence);
  const ring::CurrentLeaf leaf = ring::open_current(ring::Ring::queue, ring::ready_entries_leaf);
  const core::Xid xid = pg::own_xid();
  const core::Micros now = pg::now();
  AWA_PAUSE_POINT("enqueue.before_append");
  pg::append_many(leaf.table, jobs.size(), [&](std::size_t index, pg::NewRow row) {
    const NewJob &job = jobs[index];
    row.set(column::ready_slot, pg::datum(leaf.table.slot()));
    row.set(column::lane_id, pg::datum(job.lane));
    row.set(column::xid, pg::datum(xid));
    row.set(column::lane_seq, pg::datum(ids[index]));
    row.set(column::job_id, pg::datum(ids[index]));
    row.set(column::run_lease, pg::datum(std::int64_t{0}));
    row.set(column::run_at, pg::datum(now));
    row.set(column::created_at, pg::datum(now));
    row.set(column::attempt, pg::datum(std::int16_t{0}));
    row.set(column::max_attempts, pg::datum(job.max_attempts));
    row.set(column::kind, job.kind);
    row.set(column::args, job.args);
    if (job.payload != 0) row.set(column::payload, job.payload);
  });
}

void notify(const Queue &queue) {
  if (!queue.notify || queue.paused) return;
  char channel[kChannelSize];
  channel_name(queue.id, channel);
  pg::guarded([&] { Async_Notify(channel, ""); });
}

}  // namespace awa::queue
