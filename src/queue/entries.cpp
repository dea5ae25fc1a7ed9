#include "queue/entries.hpp"

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

}  // namespace

void draw_entry_ids(std::span<std::int64_t> ids) {
  const Oid sequence = entry_seq.oid();
  if (leftover_of != sequence) {
    leftover = {};
    leftover_of = sequence;
  }
  for (std::int64_t &id : ids) {
    if (leftover.empty()) leftover.refill(pg::next_value(sequence), core::kEntryBlock);
    id = leftover.take();
  }
}

void append_entries(std::span<const NewEntry> entries) {
  if (entries.empty()) return;
  namespace column = ring::ready_entries;
  const ring::CurrentLeaf leaf = ring::open_current(ring::Ring::queue, ring::ready_entries_leaf);
  const core::Xid xid = pg::own_xid();
  AWA_PAUSE_POINT("enqueue.before_append");
  pg::append_many(leaf.table, entries.size(), [&](std::size_t index, pg::NewRow row) {
    const NewEntry &entry = entries[index];
    row.set(column::ready_slot, pg::datum(leaf.table.slot()));
    row.set(column::lane_id, pg::datum(entry.lane));
    row.set(column::xid, pg::datum(entry.xid == core::Xid{} ? xid : entry.xid));
    row.set(column::lane_seq, pg::datum(entry.seq));
    row.set(column::job_id, pg::datum(entry.job));
    ring::set_body(row, ring::kEntryBody, *entry.body);
  });
}

}  // namespace awa::queue
