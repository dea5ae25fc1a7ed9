// The ready plane as a claim reads it: entries in window order, tombstones, emission evidence.
#pragma once

#include <array>
#include <bitset>
#include <optional>

#include "core/ranges.hpp"
#include "core/ring.hpp"
#include "core/window.hpp"
#include "pg/cached_table.hpp"
#include "pg/snapshot.hpp"
#include "ring/job_body.hpp"
#include "ring/queue_slots.hpp"
#include "ring/tables.hpp"

namespace awa::queue {

using SlotSet = std::bitset<core::kQueueSlots>;

// An entry that was read, with the body of its job. Values are in the memory of the call.
struct Entry {
  core::Slot slot;
  core::EntryPosition position;
  core::JobId job;
  ring::JobBody body;
};

// Leaves of one table of the ready plane, each opened at most once a call. One without blocks is closed and unlocked at
// once: nothing in it was committed. That is remembered until the call takes another snapshot.
class Leaves {
 public:
  explicit Leaves(pg::CachedTable &(*leaf_of)(core::Slot)) noexcept : leaf_of_(leaf_of) {}
  // Null when the leaf has no blocks. Errors: 55000 when its triggers are off: a restore is under way, or not made good.
  pg::OpenTable *of(core::Slot slot);
  void unlock_all();
  // `slots`: what the call knows of the ring; of unused slots this session looks at each leaf once.
  void look_anew(const ring::SlotsOfCall *slots) noexcept;

 private:
  pg::CachedTable &(*const leaf_of_)(core::Slot);
  std::array<std::optional<pg::OpenTable>, core::kQueueSlots> open_;
  std::uint32_t known_empty_ = 0;  // a bit a slot
};

// What one read brought.
struct Stretch {
  explicit Stretch(core::Memory &memory) : entries(memory) {}
  core::Vec<Entry> entries;                        // visible, not known to be emitted, in order
  core::EntryPosition covered = core::kBeforeAll;  // everything up to here has been dealt with, unless `complete`
  bool complete = true;                            // the window holds nothing more
  std::size_t passed = 0;                          // entries stepped over: emitted, or of what was rolled back
};

// The first entry of a window, as far as a look goes that takes no lane lock.
struct FirstEntry {
  std::optional<core::Micros> due;  // due time, if there is one
  std::size_t passed = 0;           // entries of what was rolled back that lie before it
};

// The entry of a row of the leaf of a slot, copied into the current context. C room.
Entry entry_of(const pg::Row &row, core::Slot slot);

class ReadyPlane {
 public:
  explicit ReadyPlane(core::Memory &memory) noexcept : memory_(memory) {}

  // Reads the open window's entries from behind its position on, at most `limit` of them, over all slots that may
  // matter. In a recheck window entries that were emitted are stepped over.
  Stretch read(core::LaneId lane, const core::Frontier &window, const ring::QueueSlots &slots,
               const pg::FreshSnapshot &snapshot, std::size_t limit);

  // Looks for the first entry of the open window. Tombstones and evidence are not looked at.
  FirstEntry first(core::LaneId lane, const core::Frontier &window, const ring::QueueSlots &slots,
                   const pg::FreshSnapshot &snapshot);

  // Whether any of the lanes from `first` to `last` has an entry, seen or not, in a slot that claims read.
  bool has_any(core::LaneId first, core::LaneId last, const ring::QueueSlots &slots, const pg::FreshSnapshot &snapshot);

  // Whether the lane has entries of a transaction that is yet to come, but not of this one: they were loaded from another
  // cluster.
  bool has_foreign(core::LaneId lane, core::Xid next, const pg::FreshSnapshot &snapshot);

  bool is_tombstoned(core::LaneId lane, const Entry &entry, const pg::FreshSnapshot &snapshot);

  // Whether the newest emission evidence of the lane in the slot contradicts the frontier: it is of a later claim, or it
  // names one of the candidates. Batch ids rise on a lane, so one row tells.
  bool contradicts(core::LaneId lane, core::Slot slot, core::FrontierId frontier, std::span<const Entry> candidates,
                   const pg::FreshSnapshot &snapshot);

  // Whether claims later than the frontier handed out anything of the slots that may matter from it on, but for those of which
  // it is known. Such a frontier may not go on even where its candidates are beyond doubt: the frontier stored behind them would
  // pass for one that knows.
  bool has_later_evidence(core::LaneId lane, const core::Frontier &frontier, core::FrontierId id,
                          const ring::QueueSlots &slots, const SlotSet &except, const pg::FreshSnapshot &snapshot);

  // Whether claims ever handed out anything of the lane that is still in the ring.
  bool has_evidence(core::LaneId lane, const pg::FreshSnapshot &snapshot);

  // The positions of the lane that claims handed out from the slot.
  core::RangeSet emitted(core::LaneId lane, core::Slot slot, const pg::FreshSnapshot &snapshot);

  // Adds those that were handed out in batches after `newest`, and moves `newest` on. Under the lane's lock nothing is missed:
  // batch ids rise on a lane.
  void add_emitted(core::RangeSet &positions, core::BatchId &newest, core::LaneId lane, core::Slot slot,
                   const pg::FreshSnapshot &snapshot);

  // To be called when the caller took another snapshot: what was empty may now hold what that one sees.
  void look_anew(const ring::SlotsOfCall *slots = nullptr) noexcept {
    for (Leaves *leaves : {&entries_, &tombstones_, &attempts_}) leaves->look_anew(slots);
  }

  // Gives back the locks on what was read.
  void unlock_all();

 private:
  void read_slot(const pg::OpenTable &leaf, core::LaneId lane, const core::Frontier &window,
                 const pg::FreshSnapshot &snapshot, std::size_t limit, Stretch &stretch);

  core::Memory &memory_;
  Leaves entries_{ring::ready_entries_leaf};
  Leaves tombstones_{ring::ready_tombstones_leaf};
  Leaves attempts_{ring::attempt_batches_leaf};
};

}  // namespace awa::queue
