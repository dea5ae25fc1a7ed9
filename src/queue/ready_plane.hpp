// The ready plane as a claim reads it: entries in window order, tombstones, emission evidence.
#pragma once

#include <array>
#include <optional>

#include "core/ranges.hpp"
#include "core/ring.hpp"
#include "core/window.hpp"
#include "pg/cached_table.hpp"
#include "pg/snapshot.hpp"
#include "ring/queue_slots.hpp"
#include "ring/tables.hpp"

namespace awa::queue {

// An entry that was read, with the body of its job. Values are in the memory of the call.
struct Entry {
  core::Slot slot;
  core::EntryPosition position;
  core::JobId job;
  core::RunLease last_lease;
  std::int16_t attempts_used;
  std::int16_t max_attempts;
  core::Micros run_at;
  core::Micros created_at;
  Datum kind;
  Datum args;
  Datum payload;     // 0 = null
  Datum unique_key;  // 0 = null
};

// Leaves of one table of the ready plane, each opened at most once a call. One without blocks is closed and unlocked at
// once: nothing in it was committed.
class Leaves {
 public:
  explicit Leaves(pg::CachedTable &(*leaf_of)(core::Slot)) noexcept : leaf_of_(leaf_of) {}
  // Null when the leaf has no blocks.
  pg::OpenTable *of(core::Slot slot);

 private:
  pg::CachedTable &(*const leaf_of_)(core::Slot);
  std::array<std::optional<pg::OpenTable>, core::kQueueSlots> open_;
};

// What one read brought.
struct Stretch {
  explicit Stretch(core::Memory &memory) : entries(memory) {}
  core::Vec<Entry> entries;                        // visible, unspent as far as looked, in order
  core::EntryPosition covered = core::kBeforeAll;  // everything up to here has been dealt with, unless `complete`
  bool complete = true;                            // the window holds nothing more
  std::size_t spent = 0;                           // entries that were stepped over because they were emitted
};

class ReadyPlane {
 public:
  explicit ReadyPlane(core::Memory &memory) noexcept : memory_(memory) {}

  // Reads the open window's entries from behind its position on, at most `limit` of them, over all slots that may
  // matter. In a recheck window entries that were emitted are stepped over.
  Stretch read(core::LaneId lane, const core::Frontier &window, const ring::QueueSlots &slots,
               const pg::FreshSnapshot &snapshot, std::size_t limit);

  // Due time of the first entry of the open window, if there is one. Tombstones and evidence are not looked at.
  std::optional<core::Micros> first_due(core::LaneId lane, const core::Frontier &window, const ring::QueueSlots &slots,
                                        const pg::FreshSnapshot &snapshot);

  bool is_tombstoned(core::LaneId lane, const Entry &entry, const pg::FreshSnapshot &snapshot);

  // Whether the slot holds evidence of a claim on the lane that came after the frontier: then the frontier is stale.
  bool emitted_after(core::LaneId lane, core::Slot slot, core::FrontierId frontier, const pg::FreshSnapshot &snapshot);

 private:
  // The positions of the lane that claims handed out from the slot.
  core::RangeSet emitted(core::LaneId lane, core::Slot slot, const pg::FreshSnapshot &snapshot);
  void read_slot(const pg::OpenTable &leaf, core::LaneId lane, const core::Frontier &window,
                 const pg::FreshSnapshot &snapshot, std::size_t limit, Stretch &stretch);

  core::Memory &memory_;
  Leaves entries_{ring::ready_entries_leaf};
  Leaves tombstones_{ring::ready_tombstones_leaf};
  Leaves attempts_{ring::attempt_batches_leaf};
};

}  // namespace awa::queue
