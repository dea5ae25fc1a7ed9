#include "queue/ready_plane.hpp"

#include <limits>

#include "core/blocks.hpp"
#include "core/places.hpp"
#include "pg/datum.hpp"
#include "pg/index_reader.hpp"
#include "pg/transaction.hpp"
#include "ring/foreign_loads.hpp"

namespace awa::queue {

namespace {

// A read steps over entries that were rolled back, and in a recheck window over emitted ones; it visits no more than this
// many rows of a slot.
constexpr std::size_t kMostVisits = 100'000;

// Entries that a read makes room for before it knows how many there are.
constexpr std::size_t kMostRoom = 1'024;

// Columns of the index on entries by position.
enum : AttrNumber { kSlotKey = 1, kLaneKey, kXidKey, kSeqKey };

core::EntryPosition position_of(const pg::Row &row) {
  return {row.xid8(ring::ready_entries::xid), {row.int8(ring::ready_entries::lane_seq)}};
}

// Shows a lane's entries in a leaf, seen or not, from behind `from` up to `to`.
template <typename Visit>
void walk_between(const pg::OpenTable &leaf, core::LaneId lane, const core::EntryPosition &from,
                  const core::EntryPosition &to, const pg::FreshSnapshot &snapshot, Visit &&visit) {
  const Oid index = leaf.index(ring::ready_entries::by_position);
  if (from.xid == to.xid) {
    ScanKeyData keys[] = {pg::key_equal(kSlotKey, leaf.slot()), pg::key_equal(kLaneKey, lane.value),
                          pg::key_equal(kXidKey, from.xid), pg::key_above(kSeqKey, from.seq.value),
                          pg::key_at_most(kSeqKey, to.seq.value)};
    pg::walk_any(leaf, index, snapshot.get(), keys, visit);
    return;
  }
  pg::KeyAfter after(kXidKey, kSeqKey);
  ScanKeyData keys[] = {pg::key_equal(kSlotKey, leaf.slot()), pg::key_equal(kLaneKey, lane.value),
                        after.after(from.xid, from.seq.value), pg::key_at_most(kXidKey, to.xid)};
  pg::walk_any(leaf, index, snapshot.get(), keys,
               [&](const pg::Row &row) { return position_of(row) > to ? pg::Walk::stop : visit(row); });
}

// Walks the window's entries in a leaf, from behind its position on, seen by the snapshot or rolled back, up to a position if
// one is given. Runs of transactions that the window's snapshot saw running are jumped over. `wanted`: after so many the
// visitor is likely to stop.
template <typename Visit>
void walk_window(const pg::OpenTable &leaf, core::LaneId lane, const core::Frontier &window, std::size_t wanted,
                 const std::optional<core::EntryPosition> &bound, const pg::FreshSnapshot &snapshot,
                 core::Memory &memory, Visit &&visit) {
  constexpr core::LaneSeq last_seq{std::numeric_limits<std::int64_t>::max()};
  bool stopped = false;
  for (const core::Segment &segment : core::segments(window, memory)) {
    const core::Xid before{segment.first.value == 0 ? 0 : segment.first.value - 1};
    core::EntryPosition from = window.at.xid >= segment.first ? window.at : core::EntryPosition{before, last_seq};
    const core::Reaches reaches = core::reaches(window, segment, wanted);
    for (const core::EntryPosition &reach : reaches.all()) {
      const core::EntryPosition end = bound ? std::min(reach, *bound) : reach;
      while (!stopped && from < end) {
        core::EntryPosition next = end;
        walk_between(leaf, lane, from, end, snapshot, [&](const pg::Row &row) {
          const core::Xid xid = row.xid8(ring::ready_entries::xid);
          if (!core::in_window(window, xid)) {
            next = {{core::after_running(window.cur, xid).value - 1}, last_seq};
            return pg::Walk::stop;
          }
          const pg::Walk told = visit(row);
          stopped = told == pg::Walk::stop;
          return told;
        });
        from = next;
      }
    }
  }
}

// The slots that may hold something of the window, those that were filled first before the others.
core::Vec<core::Slot> slots_of(const core::Frontier &window, const ring::QueueSlots &slots, core::Memory &memory) {
  core::Vec<core::Slot> result(memory);
  const auto sealed_at = [&](core::Slot slot) { return slots[static_cast<std::size_t>(slot.value)].sealed_xid; };
  for (int slot = 0; slot < core::kQueueSlots; ++slot) {
    const ring::QueueSlot &facts = slots[static_cast<std::size_t>(slot)];
    if (!facts.drained && core::slot_may_matter(window, facts.sealed_xid)) result.push_back({slot});
  }
  std::sort(result.begin(), result.end(), [&](core::Slot a, core::Slot b) {
    const auto place = [&](core::Slot slot) { return std::pair(sealed_at(slot).value - 1, slot); };  // no seal: last
    return place(a) < place(b);
  });
  return result;
}

// Lanes without entries in a slot that nobody writes to any more: they stay without as long as its content stays, and a slot
// that keeps history is looked into by each claim.
struct WithoutEntries {
  core::Slot slot{};
  core::Generation generation{-1};
  std::uint32_t edition = 0;  // of the leaf
  core::LaneId first{};
  core::LaneId last{};
  friend bool operator==(const WithoutEntries &, const WithoutEntries &) = default;
};
constinit core::Places<WithoutEntries, 8> known_without;

WithoutEntries &place_of(const WithoutEntries &lanes) noexcept {
  return known_without.of(core::mixed(lanes.first.value, lanes.slot.value));
}

}  // namespace

Entry entry_of(const pg::Row &row, core::Slot slot) {
  row.make_ready();
  return {.slot = slot,
          .position = position_of(row),
          .job = {row.int8(ring::ready_entries::job_id)},
          .body = ring::body_of(row, ring::kEntryBody)};
}

pg::OpenTable *Leaves::of(core::Slot slot) {
  auto &place = open_[static_cast<std::size_t>(slot.value)];
  if (place) return &*place;
  const std::uint32_t bit = 1u << slot.value;
  if ((known_empty_ & bit) != 0) return nullptr;
  place.emplace(leaf_of_(slot), AccessShareLock);
  if (place->disarmed()) ring::refuse_foreign_load();
  if (!place->has_no_blocks()) return &*place;
  place->unlock();
  place.reset();
  known_empty_ |= bit;
  return nullptr;
}

void Leaves::look_anew(const ring::SlotsOfCall *slots) noexcept {
  known_empty_ = 0;
  if (slots == nullptr) return;
  for (int slot = 0; slot < core::kQueueSlots; ++slot) {
    if (slots->is_unused({slot}) && leaf_of_({slot}).was_empty()) known_empty_ |= 1u << slot;
  }
}

void Leaves::unlock_all() {
  for (auto &place : open_) {
    if (place) place->unlock();
    place.reset();
  }
}

Stretch ReadyPlane::read(core::LaneId lane, const core::Frontier &window, const ring::QueueSlots &slots,
                         const pg::FreshSnapshot &snapshot, std::size_t limit) {
  Stretch stretch(memory_);
  std::size_t slots_read = 0;
  for (const core::Slot slot : slots_of(window, slots, memory_)) {
    const pg::OpenTable *const leaf = entries_.of(slot);
    if (leaf == nullptr) continue;
    read_slot(*leaf, lane, window, snapshot, limit, stretch);
    if (++slots_read > 1) {
      std::sort(stretch.entries.begin(), stretch.entries.end(),
                [](const Entry &a, const Entry &b) { return a.position < b.position; });
    }
  }
  if (stretch.entries.size() > limit) {
    // Each slot gave its own first ones: of all together only so many are certainly the first. A place that an entry was
    // carried from, and the one it was carried to, are the same position: whoever goes on behind it has dealt with both.
    const core::EntryPosition last = stretch.entries[limit - 1].position;
    const auto behind = std::find_if(stretch.entries.begin() + static_cast<std::ptrdiff_t>(limit),
                                     stretch.entries.end(), [=](const Entry &entry) { return entry.position != last; });
    stretch.entries.erase(behind, stretch.entries.end());
    stretch.covered = stretch.complete ? last : std::min(stretch.covered, last);
    stretch.complete = false;
  }
  if (!stretch.complete) {
    while (!stretch.entries.empty() && stretch.entries.back().position > stretch.covered) stretch.entries.pop_back();
  }
  return stretch;
}

void ReadyPlane::read_slot(const pg::OpenTable &leaf, core::LaneId lane, const core::Frontier &window,
                           const pg::FreshSnapshot &snapshot, std::size_t limit, Stretch &stretch) {
  const core::Slot slot{leaf.slot()};
  core::RangeSet spent(memory_);
  if (window.recheck) spent = emitted(lane, slot, snapshot);
  std::size_t taken = 0;
  std::size_t visits = 0;
  stretch.entries.reserve(stretch.entries.size() + std::min(limit, kMostRoom));
  // Others gave enough: of this one nothing counts that lies behind.
  std::optional<core::EntryPosition> bound;
  if (limit > 0 && stretch.entries.size() >= limit) bound = stretch.entries[limit - 1].position;
  if (bound) {
    stretch.covered = stretch.complete ? *bound : std::min(stretch.covered, *bound);
    stretch.complete = false;
  }
  walk_window(leaf, lane, window, limit, bound, snapshot, memory_, [&](const pg::Row &row) {
    const core::EntryPosition position = position_of(row);
    // Its transaction ended before the window was cut: what the snapshot does not see now, it never will.
    if (!row.visible() || (!spent.empty() && core::contains(spent, position.seq.value))) {
      ++stretch.passed;
    } else {
      stretch.entries.push_back(entry_of(row, slot));
      ++taken;
    }
    if (taken < limit && ++visits < kMostVisits) return pg::Walk::on;
    // What lies behind this position in this slot is unknown, and so is everything behind it in the window.
    stretch.covered = stretch.complete ? position : std::min(stretch.covered, position);
    stretch.complete = false;
    return pg::Walk::stop;
  });
}

FirstEntry ReadyPlane::first(core::LaneId lane, const core::Frontier &window, const ring::QueueSlots &slots,
                             const pg::FreshSnapshot &snapshot) {
  FirstEntry result;
  core::EntryPosition first{};
  for (const core::Slot slot : slots_of(window, slots, memory_)) {
    const pg::OpenTable *const leaf = entries_.of(slot);
    if (leaf == nullptr) continue;
    const auto bound = result.due ? std::optional(first) : std::nullopt;
    walk_window(*leaf, lane, window, 1, bound, snapshot, memory_, [&](const pg::Row &row) {
      if (!row.visible()) {
        ++result.passed;
        return result.passed < kMostVisits ? pg::Walk::on : pg::Walk::stop;
      }
      if (const core::EntryPosition position = position_of(row); !result.due || position < first) {
        first = position;
        result.due = row.int8(ring::ready_entries::run_at);
      }
      return pg::Walk::stop;
    });
  }
  return result;
}

bool ReadyPlane::has_any(core::LaneId first, core::LaneId last, const ring::QueueSlots &slots,
                         const pg::FreshSnapshot &snapshot) {
  for (int slot = 0; slot < core::kQueueSlots; ++slot) {
    const ring::QueueSlot &facts = slots[static_cast<std::size_t>(slot)];
    if (facts.drained) continue;
    const WithoutEntries lanes{{slot}, facts.generation, ring::ready_entries_leaf({slot}).edition(), first, last};
    const bool sealed = facts.sealed_xid != core::Xid{};
    if (sealed && place_of(lanes) == lanes) continue;
    const pg::OpenTable *const leaf = entries_.of({slot});
    if (leaf == nullptr) continue;
    ScanKeyData keys[] = {pg::key_equal(kSlotKey, leaf->slot()), pg::key_at_least(kLaneKey, first.value),
                          pg::key_at_most(kLaneKey, last.value)};
    bool found = false;
    pg::walk_any(*leaf, leaf->index(ring::ready_entries::by_position), snapshot.get(), keys, [&](const pg::Row &) {
      found = true;
      return pg::Walk::stop;
    });
    if (found) return true;
    // Whoever wrote to it has ended.
    if (sealed && facts.sealed_xid <= snapshot.over_xids(memory_).xmin) place_of(lanes) = lanes;
  }
  return false;
}

bool ReadyPlane::has_foreign(core::LaneId lane, core::Xid next, const pg::FreshSnapshot &snapshot) {
  const core::Xid own = pg::own_xid_if_any();
  bool found = false;
  for (int slot = 0; slot < core::kQueueSlots && !found; ++slot) {
    const pg::OpenTable *const leaf = entries_.of({slot});
    if (leaf == nullptr) continue;
    ScanKeyData keys[] = {pg::key_equal(kSlotKey, leaf->slot()), pg::key_equal(kLaneKey, lane.value),
                          pg::key_at_least(kXidKey, next)};
    pg::walk_any(*leaf, leaf->index(ring::ready_entries::by_position), snapshot.get(), keys, [&](const pg::Row &row) {
      found = row.xid8(ring::ready_entries::xid) != own && row.visible();
      return found ? pg::Walk::stop : pg::Walk::on;
    });
  }
  return found;
}

bool ReadyPlane::is_tombstoned(core::LaneId lane, const Entry &entry, const pg::FreshSnapshot &snapshot) {
  const pg::OpenTable *const leaf = tombstones_.of(entry.slot);
  if (leaf == nullptr) return false;
  bool found = false;
  ScanKeyData keys[] = {pg::key_equal(1, entry.slot.value), pg::key_equal(2, lane.value),
                        pg::key_equal(3, entry.position.seq.value)};
  pg::walk(*leaf, leaf->index(ring::ready_tombstones::by_position), snapshot.get(), keys, [&](const pg::Row &) {
    found = true;
    return pg::Walk::stop;
  });
  return found;
}

bool ReadyPlane::contradicts(core::LaneId lane, core::Slot slot, core::FrontierId frontier,
                             std::span<const Entry> candidates, const pg::FreshSnapshot &snapshot) {
  namespace column = ring::attempt_batches;
  const pg::OpenTable *const leaf = attempts_.of(slot);
  if (leaf == nullptr) return false;
  bool found = false;
  bool contradicted = false;
  const auto look_from = [&](std::int64_t batch) {
    ScanKeyData keys[] = {pg::key_equal(1, slot.value), pg::key_equal(2, lane.value), pg::key_at_least(3, batch)};
    pg::walk(
        *leaf, leaf->index(column::by_batch), snapshot.get(), keys,
        [&](const pg::Row &row) {
          found = true;
          contradicted = row.int8(column::batch_id) > frontier.value;
          if (contradicted || candidates.empty()) return pg::Walk::stop;
          core::RangeSet emitted(memory_);
          pg::unite_multirange(emitted, row.value(column::lane_ranges));
          contradicted = std::any_of(candidates.begin(), candidates.end(), [&](const Entry &entry) {
            return entry.slot == slot && core::contains(emitted, entry.position.seq.value);
          });
          return pg::Walk::stop;
        },
        BackwardScanDirection);
  };
  if (candidates.empty()) {
    look_from(frontier.value + 1);
    return contradicted;
  }
  // The claim that stored the frontier drew its batches' ids from one block with it. A lane has as much evidence in a slot as it
  // had claims, and a page of it costs more than a second look.
  look_from(frontier.value - core::kReceiptBlock);
  if (!found) look_from(0);
  return contradicted;
}

bool ReadyPlane::has_later_evidence(core::LaneId lane, const core::Frontier &frontier, core::FrontierId id,
                                    const ring::QueueSlots &slots, const SlotSet &except,
                                    const pg::FreshSnapshot &snapshot) {
  // Later claims handed out only what a snapshot up to this one sees.
  const core::Frontier since = core::opened(frontier, snapshot.over_xids(memory_), 0);
  for (int slot = 0; slot < core::kQueueSlots; ++slot) {
    const ring::QueueSlot &facts = slots[static_cast<std::size_t>(slot)];
    if (except.test(static_cast<std::size_t>(slot))) continue;
    if (facts.drained || !core::slot_may_matter(since, facts.sealed_xid)) continue;
    if (contradicts(lane, {slot}, id, {}, snapshot)) return true;
  }
  return false;
}

bool ReadyPlane::has_evidence(core::LaneId lane, const pg::FreshSnapshot &snapshot) {
  bool found = false;
  for (int slot = 0; slot < core::kQueueSlots && !found; ++slot) {
    const pg::OpenTable *const leaf = attempts_.of({slot});
    if (leaf == nullptr) continue;
    ScanKeyData keys[] = {pg::key_equal(1, leaf->slot()), pg::key_equal(2, lane.value)};
    pg::walk(*leaf, leaf->index(ring::attempt_batches::by_batch), snapshot.get(), keys, [&](const pg::Row &) {
      found = true;
      return pg::Walk::stop;
    });
  }
  return found;
}

void ReadyPlane::unlock_all() {
  for (Leaves *leaves : {&entries_, &tombstones_, &attempts_}) leaves->unlock_all();
}

core::RangeSet ReadyPlane::emitted(core::LaneId lane, core::Slot slot, const pg::FreshSnapshot &snapshot) {
  core::RangeSet spent(memory_);
  core::BatchId newest{};
  add_emitted(spent, newest, lane, slot, snapshot);
  return spent;
}

void ReadyPlane::add_emitted(core::RangeSet &positions, core::BatchId &newest, core::LaneId lane, core::Slot slot,
                             const pg::FreshSnapshot &snapshot) {
  namespace column = ring::attempt_batches;
  const pg::OpenTable *const leaf = attempts_.of(slot);
  if (leaf == nullptr) return;
  ScanKeyData keys[] = {pg::key_equal(1, slot.value), pg::key_equal(2, lane.value),
                        pg::key_at_least(3, newest.value + 1)};
  pg::walk(*leaf, leaf->index(column::by_batch), snapshot.get(), keys, [&](const pg::Row &row) {
    pg::unite_multirange(positions, row.value(column::lane_ranges));
    newest = {row.int8(column::batch_id)};
    return pg::Walk::on;
  });
}

}  // namespace awa::queue
