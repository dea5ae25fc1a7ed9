#include "queue/lane_claim.hpp"

#include "pg/pause_point.hpp"
#include "pg/transaction.hpp"
#include "queue/claim_rows.hpp"
#include "ring/foreign_loads.hpp"

namespace awa::queue {

namespace {

constexpr std::size_t kMostPassed = 10'000;      // entries a call passes over on a lane
constexpr std::size_t kPassedWorthStoring = 64;  // more: the frontier is stored though nothing was handed out
constexpr std::size_t kMostAhead = 1'024;        // read at once while passing over tombstones

// The walk of one claim along a lane: what it took, what it passed, where it stands.
class LaneWalk {
 public:
  LaneWalk(core::LaneId lane, std::size_t most, ClaimReader &reader)
      : lane_(lane),
        most_(most),
        reader_(reader),
        slots_(reader.slots.under(snapshot_)),
        latest_(snapshot_.over_xids(reader.memory)),
        now_(pg::now()),
        taken_(reader.memory) {
    reader.plane.look_anew(&reader.slots);
    const auto stored = reader.frontiers.newest(lane, snapshot_);
    if (stored && !core::is_of_the_future(stored->frontier, latest_)) {
      frontier_ = stored->frontier;
      known_up_to_ = stored->id;
      is_proven_ = false;
    } else {
      rebuild(stored ? stored->frontier.claimed_total : 0);
    }
  }

  void run() {
    while (taken_.size() < most_ && passed_ < kMostPassed) {
      if (frontier_.exhausted) {
        if (is_latest_) return;
        frontier_ = core::opened(frontier_, latest_, now_);
        is_latest_ = true;
      }
      // One more than is wanted: where there is none, the window is dealt with, and the next claim need not find that out.
      const std::size_t wanted = most_ - taken_.size() + 1;
      Stretch stretch =
          reader_.plane.read(lane_, frontier_, slots_, snapshot_, std::max(wanted, std::min(passed_, kMostAhead)));
      if (is_stale(stretch)) {
        // The evidence decides. What was taken so far came from the same frontier.
        taken_.clear();
        rebuild(frontier_.claimed_total);
        continue;
      }
      passed_ += stretch.passed;
      if (take(stretch)) frontier_ = core::closed(frontier_);
    }
  }

  std::span<const Entry> taken() const noexcept { return taken_; }
  const core::Frontier &frontier() const noexcept { return frontier_; }
  core::Micros now() const noexcept { return now_; }
  // Entries of another cluster: a lane whose frontier was lost, or comes from there, cannot be told to have nothing.
  bool meets_foreign() { return rebuilt_ && reader_.plane.has_foreign(lane_, latest_.xmax, snapshot_); }
  bool worth_storing() const noexcept { return passed_ > kPassedWorthStoring || (rebuilt_ && passed_ > 0); }

 private:
  void rebuild(std::int64_t claimed_total) {
    frontier_ = core::rebuilt(latest_, now_, claimed_total);
    // On a lane that was never claimed from, nothing can be spent.
    frontier_.recheck = reader_.plane.has_evidence(lane_, snapshot_);
    is_latest_ = true;
    is_proven_ = true;
    rebuilt_ = true;
  }

  // A hint may be wrong: the newest evidence of each slot that the candidates come from must agree with the frontier, and in the
  // other slots there must be none that is newer.
  bool is_stale(const Stretch &stretch) {
    SlotSet looked_at;
    if (!frontier_.recheck) {
      for (const Entry &entry : stretch.entries) {
        const auto slot = static_cast<std::size_t>(entry.slot.value);
        if (looked_at.test(slot)) continue;
        if (reader_.plane.contradicts(lane_, entry.slot, known_up_to_, stretch.entries, snapshot_)) return true;
        looked_at.set(slot);
      }
    }
    return !std::exchange(is_proven_, true) &&
           reader_.plane.has_later_evidence(lane_, frontier_, known_up_to_, slots_, looked_at, snapshot_);
  }

  // Takes what is not tombstoned, in order, until there is enough. Returns whether the window is dealt with.
  bool take(const Stretch &stretch) {
    taken_.reserve(taken_.size() + std::min(most_ - taken_.size(), stretch.entries.size()));
    for (const Entry &entry : stretch.entries) {
      if (taken_.size() == most_) return false;
      frontier_.at = entry.position;
      if (reader_.plane.is_tombstoned(lane_, entry, snapshot_)) {
        ++passed_;
      } else {
        taken_.push_back(entry);
      }
    }
    if (!stretch.complete) frontier_.at = stretch.covered;
    return stretch.complete;
  }

  core::LaneId const lane_;
  std::size_t const most_;
  ClaimReader &reader_;
  pg::FreshSnapshot const snapshot_;
  const ring::QueueSlots &slots_;
  core::XidSnapshot const latest_;
  core::Micros const now_;
  core::Frontier frontier_;
  core::FrontierId known_up_to_{0};  // evidence of later claims contradicts the frontier
  bool is_proven_ = true;            // no evidence of later claims is in any slot that may matter
  bool is_latest_ = false;           // the window is cut by this claim's own snapshot
  bool rebuilt_ = false;
  std::size_t passed_ = 0;
  core::Vec<Entry> taken_;
};

}  // namespace

Peek peek(core::LaneId lane, const ring::QueueSlots &slots, const pg::FreshSnapshot &snapshot, ClaimReader &reader) {
  const core::XidSnapshot latest = snapshot.over_xids(reader.memory);
  const auto look = [&](const core::Frontier &window) {
    const FirstEntry first = reader.plane.first(lane, window, slots, snapshot);
    return Peek{first.due.has_value() || first.passed > kPassedWorthStoring, first.due.value_or(pg::now())};
  };
  auto stored = reader.frontiers.current(lane, snapshot);
  if (!stored) {
    // A lane that was never used has no entry at all; only one that was is worth the search for its frontier.
    if (!reader.plane.has_any(lane, lane, slots, snapshot)) return {};
    stored = reader.frontiers.newest(lane, snapshot);
  }
  if (!stored || core::is_of_the_future(stored->frontier, latest)) {
    const Peek seen = look(core::rebuilt(latest, 0, 0));
    if (!seen.has_entries && reader.plane.has_foreign(lane, latest.xmax, snapshot)) ring::refuse_foreign_load();
    return seen;
  }
  core::Frontier frontier = stored->frontier;
  if (!frontier.exhausted) {
    if (const Peek open = look(frontier); open.has_entries) return open;
    frontier = core::closed(frontier);
  }
  return look(core::opened(frontier, latest, 0));
}

LaneOutcome claim_lane(core::LaneId lane, std::size_t most, const ClaimTerms &terms, ClaimReader &reader,
                       core::Vec<Claimed> &claimed) {
  LaneWalk walk(lane, most, reader);
  walk.run();
  if (walk.taken().empty() && walk.meets_foreign()) ring::refuse_foreign_load();
  if (walk.taken().empty() && !walk.worth_storing()) return LaneOutcome::nothing;
  AWA_PAUSE_POINT("claim.before_evidence");
  write_claim({lane, walk.taken(), walk.frontier(), reader.slots, walk.now()}, terms, reader.memory, claimed);
  return walk.taken().empty() ? LaneOutcome::only_frontier : LaneOutcome::claimed;
}

}  // namespace awa::queue
