#include "queue/claim.hpp"

#include <optional>
#include <tuple>

#include "pg/early_release.hpp"
#include "pg/keys.hpp"
#include "pg/pause_point.hpp"
#include "pg/settings.hpp"
#include "pg/transaction.hpp"
#include "ring/foreign_loads.hpp"

namespace awa::queue {

namespace {

constexpr core::Micros kWaitForOneLane = 50'000;
constexpr core::Micros kTryFor = 50'000;
constexpr core::Micros kPauseBetweenTries = 1'000;

// A lane that looks as if it had something, and its place in the order of the call.
struct LaneChoice {
  core::LaneId lane;
  int priority;  // effective
  core::Micros first_due;
  int turn;  // among shards of one priority
  const ClaimTarget *target;
  bool is_sole = false;  // nobody has looked whether it has anything: it is the only one that may
};

pg::Key key_of(core::LaneId lane) noexcept { return {pg::KeyClass::lane, lane.value}; }

// The lanes of a queue that are worth a look, ascending: those in use, as far as this session knows, and whole stretches between
// them where there is any entry. Most queues use few of their lanes.
core::Vec<core::LaneId> used_lanes(const Queue &queue, const ring::QueueSlots &slots, const pg::FreshSnapshot &snapshot,
                                   ClaimReader &reader) {
  core::Vec<core::LaneId> used(reader.memory);
  core::Vec<core::LaneId> unknown(reader.memory);
  const auto look_at_unknown = [&] {
    if (!unknown.empty() && reader.plane.has_any(unknown.front(), unknown.back(), slots, snapshot)) {
      used.insert(used.end(), unknown.begin(), unknown.end());
    }
    unknown.clear();
  };
  for (int priority = 1; priority <= core::kPriorities; ++priority) {
    for (int shard = 0; shard < queue.shards_used; ++shard) {
      const core::LaneId lane = core::lane_id({queue.id, priority, shard});
      if (!Frontiers::is_known(lane)) {
        unknown.push_back(lane);
        continue;
      }
      look_at_unknown();
      used.push_back(lane);
    }
  }
  look_at_unknown();
  return used;
}

// Where only one lane is in use there is nothing to choose from.
enum class SoleLane : bool { is_looked_at, as_it_is };

// The lanes of a target that may have something, best first.
core::Vec<LaneChoice> lanes_of(const ClaimTarget &target, std::uint32_t turn_of_call, SoleLane sole,
                               ClaimReader &reader) {
  core::Vec<LaneChoice> lanes(reader.memory);
  const pg::FreshSnapshot snapshot;
  if (ring::foreign_load_marked(snapshot)) ring::refuse_foreign_load();
  const ring::QueueSlots &slots = reader.slots.under(snapshot);
  reader.plane.look_anew(&reader.slots);
  const core::Vec<core::LaneId> used = used_lanes(target.queue, slots, snapshot, reader);
  if (used.size() == 1 && sole == SoleLane::as_it_is) {
    lanes.push_back({used.front(), core::lane_of(used.front()).priority, 0, 0, &target, true});
    return lanes;
  }
  const core::Micros now = pg::now();
  const int shards = target.queue.shards_used;
  const int first_shard = static_cast<int>(turn_of_call % static_cast<std::uint32_t>(shards));
  for (const core::LaneId id : used) {
    const Peek seen = peek(id, slots, snapshot, reader);
    if (!seen.has_entries) continue;
    const core::Lane lane = core::lane_of(id);
    const int effective = core::aged_priority(lane.priority, now - seen.first_due, target.terms.aging);
    lanes.push_back({id, effective, seen.first_due, (lane.shard - first_shard + shards) % shards, &target});
  }
  // With aging the longest waiting goes first among equals. Apart from that, calls spread over the shards.
  const auto place = [by_age = target.terms.aging > 0](const LaneChoice &lane) {
    return std::tuple(lane.priority, by_age ? lane.first_due : 0, lane.turn);
  };
  std::stable_sort(lanes.begin(), lanes.end(),
                   [=](const LaneChoice &a, const LaneChoice &b) { return place(a) < place(b); });
  return lanes;
}

class Claiming {
 public:
  Claiming(std::span<const ClaimTarget> targets, std::size_t most, core::Memory &memory)
      : targets_(targets), most_(most), reader_(memory), claimed_(memory) {}

  core::Vec<Claimed> run(Patience patience) {
    const core::Micros until = pg::now() + (patience == Patience::trying ? kTryFor : pg::claim_wait());
    for (;;) {
      const std::optional<LaneChoice> busy = pass();
      if (!claimed_.empty() || !busy) break;
      const core::Micros left = until - pg::now();
      if (left < 1000) break;
      if (patience == Patience::trying) {
        pg::pause(kPauseBetweenTries);
      } else {
        claim_in_turn(*busy, std::min(left, kWaitForOneLane));
      }
      if (!claimed_.empty()) break;
    }
    if (claimed_.empty()) reader_.unlock_all();
    return std::move(claimed_);
  }

 private:
  // Looks at every lane once. Returns the first that had something but was held by another claim.
  std::optional<LaneChoice> pass() {
    std::optional<LaneChoice> busy;
    for (const ClaimTarget &target : targets_) {
      if (target.queue.paused) continue;
      if (claimed_.size() == most_) return std::nullopt;
      for (const LaneChoice &choice : lanes_of(target, turn_, sole_, reader_)) {
        if (claimed_.size() == most_) return std::nullopt;
        AWA_PAUSE_POINT("claim.before_lane");
        if (pg::try_lock(key_of(choice.lane), pg::LockStrength::exclusive)) {
          claim_held(choice);
        } else if (choice.is_sole) {
          // Whether it is worth waiting for.
          sole_ = SoleLane::is_looked_at;
          const core::Vec<LaneChoice> seen = lanes_of(target, turn_, sole_, reader_);
          if (!busy && !seen.empty()) busy = seen.front();
        } else if (!busy) {
          busy = choice;
        }
      }
      pg::check_for_interrupts();
    }
    return busy;
  }

  void claim_in_turn(const LaneChoice &choice, core::Micros patience) {
    if (pg::lock_within(key_of(choice.lane), pg::LockStrength::exclusive, static_cast<int>(patience / 1000))) {
      claim_held(choice);
    }
  }

  void claim_held(const LaneChoice &choice) {
    AWA_PAUSE_POINT("claim.after_lane");
    const std::size_t before = claimed_.size();
    const LaneOutcome outcome = claim_lane(choice.lane, most_ - before, choice.target->terms, reader_, claimed_);
    int priority = choice.priority;
    if (choice.is_sole && claimed_.size() > before) {
      const Claimed &first = claimed_[before];
      priority = core::aged_priority(priority, first.claimed_at - first.entry.body.run_at, choice.target->terms.aging);
    }
    for (std::size_t i = before; i < claimed_.size(); ++i) {
      claimed_[i].priority = priority;
      claimed_[i].queue = choice.target->name;
    }
    // The next claim of the lane needs to see this one, not to wait for the disk; nor, if nothing was handed out, for its end.
    if (outcome == LaneOutcome::claimed) {
      early_release_.of(key_of(choice.lane));
    } else {
      pg::unlock(key_of(choice.lane), pg::LockStrength::exclusive);
    }
  }

  std::span<const ClaimTarget> targets_;
  std::size_t const most_;
  std::uint32_t const turn_ = pg::random_turn();
  SoleLane sole_ = SoleLane::as_it_is;
  pg::EarlyRelease early_release_;
  ClaimReader reader_;
  core::Vec<Claimed> claimed_;
};

}  // namespace

core::Vec<Claimed> claim(std::span<const ClaimTarget> targets, std::size_t most, Patience patience,
                         core::Memory &memory) {
  return Claiming(targets, most, memory).run(patience);
}

bool may_find(std::span<const ClaimTarget> targets, core::Memory &memory) {
  ClaimReader reader(memory);
  const bool found = std::any_of(targets.begin(), targets.end(), [&](const ClaimTarget &target) {
    return !target.queue.paused && !lanes_of(target, 0, SoleLane::is_looked_at, reader).empty();
  });
  reader.unlock_all();
  return found;
}

}  // namespace awa::queue
