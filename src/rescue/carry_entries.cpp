#include "rescue/carry_entries.hpp"

#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "pg/index_reader.hpp"
#include "pg/keys.hpp"
#include "pg/memory.hpp"
#include "pg/pause_point.hpp"
#include "pg/spi.hpp"
#include "pg/transaction.hpp"
#include "queue/entries.hpp"
#include "ring/tables.hpp"

namespace awa::rescue {

namespace {

constexpr std::size_t kMostCarried = 1'000;  // in a transaction, which keeps claims from the lane
constexpr std::size_t kMostVisited = 20'000;

constexpr Oid kSlot[] = {INT4OID};

constinit pg::Statement find_lanes(
    "SELECT DISTINCT lane_id FROM awa.unspent_entries WHERE ready_slot = $1 ORDER BY lane_id", kSlot);

}  // namespace

core::Vec<core::LaneId> lanes_with_waiting_entries(core::Slot slot, core::Memory &memory) {
  core::Vec<core::LaneId> lanes(memory);
  const Datum values[] = {pg::datum(slot)};
  pg::Sql sql;
  const std::uint64_t count = sql.run(find_lanes, values);
  for (std::uint64_t row = 0; row < count; ++row) {
    bool is_null = false;
    lanes.push_back({DatumGetInt32(sql.value(row, 1, is_null))});
  }
  return lanes;
}

EntryCarrier::Outcome EntryCarrier::carry() {
  AWA_PAUSE_POINT("carry.before_lane");
  if (!pg::try_lock({pg::KeyClass::lane, lane_.value}, pg::LockStrength::exclusive)) return Outcome::busy;
  // What is read for one transaction is forgotten with it.
  const pg::ScratchContext scratch;
  queue::ReadyPlane plane(memory_);
  bool all = true;
  core::Vec<queue::Entry> entries(memory_);
  {
    const pg::FreshSnapshot snapshot;
    plane.add_emitted(emitted_, newest_batch_, lane_, slot_, snapshot);
    entries = waiting(plane, snapshot, all);
  }
  AWA_PAUSE_POINT("carry.before_rows");
  if (!entries.empty()) move(entries);
  return all ? Outcome::done : Outcome::more;
}

// The next entries that wait, in order.
core::Vec<queue::Entry> EntryCarrier::waiting(queue::ReadyPlane &plane, const pg::FreshSnapshot &snapshot, bool &all) {
  namespace column = ring::ready_entries;
  core::Vec<queue::Entry> found(memory_);
  const pg::OpenTable leaf(ring::ready_entries_leaf(slot_), AccessShareLock);
  pg::KeyAfter after(3, 4);
  ScanKeyData keys[] = {pg::key_equal(1, slot_.value), pg::key_equal(2, lane_.value),
                        after.after(at_.xid, at_.seq.value)};
  std::size_t visited = 0;
  pg::walk(leaf, leaf.index(column::by_position), snapshot.get(), keys, [&](const pg::Row &row) {
    if (found.size() == kMostCarried || visited == kMostVisited) {
      all = false;
      return pg::Walk::stop;
    }
    ++visited;
    at_ = {row.xid8(column::xid), {row.int8(column::lane_seq)}};
    if (!core::contains(emitted_, at_.seq.value)) found.push_back(queue::entry_of(row, slot_));
    return pg::Walk::on;
  });
  found.erase(std::remove_if(found.begin(), found.end(),
                             [&](const queue::Entry &entry) { return plane.is_tombstoned(lane_, entry, snapshot); }),
              found.end());
  return found;
}

void EntryCarrier::move(std::span<const queue::Entry> entries) {
  namespace column = ring::ready_tombstones;
  const core::Micros now = pg::now();
  {
    const pg::OpenTable leaf(ring::ready_tombstones_leaf(slot_), RowExclusiveLock);
    const Datum carried = pg::text_datum("carried");
    pg::append_many(leaf, entries.size(), [&](std::size_t index, pg::NewRow row) {
      const queue::Entry &entry = entries[index];
      row.set(column::ready_slot, pg::datum(slot_));
      row.set(column::lane_id, pg::datum(lane_));
      row.set(column::lane_seq, pg::datum(entry.position.seq));
      row.set(column::job_id, pg::datum(entry.job));
      row.set(column::tombstoned_at, pg::datum(now));
      row.set(column::reason, carried);
    });
  }
  core::Vec<queue::NewEntry> copies(memory_);
  copies.reserve(entries.size());
  for (const queue::Entry &entry : entries) {
    copies.push_back({lane_, entry.position.seq, entry.job, &entry.body, entry.position.xid});
  }
  queue::append_entries(copies);
  carried_ += static_cast<std::int64_t>(entries.size());
}

}  // namespace awa::rescue
