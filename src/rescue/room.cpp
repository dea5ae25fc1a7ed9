#include "rescue/room.hpp"

#include "rescue/carry_entries.hpp"
#include "rescue/carry_failed.hpp"
#include "rescue/carry_frontiers.hpp"
#include "rescue/evict.hpp"
#include "ring/proofs.hpp"

namespace awa::rescue {

namespace {

using Word = ring::PruneOutcome::Word;

constexpr std::size_t kMostEvicted = 10'000;  // of a slot, looked up at once

const char *frontiers_in(core::Slot slot, core::Memory &memory) {
  return lanes_to_carry(slot, memory).empty() ? nullptr : "frontiers";
}

}  // namespace

core::Vec<core::Slot> Room::slots() {
  core::Vec<core::Slot> slots(memory_);
  steps_.run([&] { slots = ring::slots_to_prune(ring_, memory_); });
  return slots;
}

ring::PruneOutcome Room::prune() {
  for (const core::Slot slot : slots()) note(prune(slot));
  return outcome_;
}

std::int64_t Room::evict() {
  for (const core::Slot slot : slots()) move_out(slot);
  return moved_;
}

ring::PruneOutcome Room::make(int wanted) {
  int empty = ring::slots_of(ring_) - 1;
  const core::Vec<core::Slot> all = slots();
  empty -= static_cast<int>(all.size());
  core::Vec<core::Slot> left(memory_);
  for (const core::Slot slot : all) {
    const ring::PruneOutcome outcome = prune(slot);
    note(outcome);
    if (outcome.word == Word::pruned) {
      ++empty;
    } else {
      left.push_back(slot);
    }
  }
  for (const core::Slot slot : left) {
    if (empty >= wanted) break;
    if (keeps_history(slot)) continue;
    move_out(slot);
    const ring::PruneOutcome outcome = prune(slot);
    note(outcome);
    if (outcome.word == Word::pruned) ++empty;
  }
  return outcome_;
}

// The best that was reached counts; of what was not, the first.
void Room::note(const ring::PruneOutcome &outcome) noexcept {
  if (outcome.word == Word::pruned) ++pruned_;
  if (outcome.word == Word::none || outcome_.word == Word::pruned) return;
  if (outcome_.word == Word::none || outcome.word == Word::pruned) outcome_ = outcome;
}

bool Room::keeps_history(core::Slot slot) {
  bool keeps = false;
  if (ring_ == ring::Ring::queue) steps_.run([&] { keeps = ring::keeps_history(slot); });
  return keeps;
}

ring::PruneOutcome Room::prune(core::Slot slot) {
  ring::PruneOutcome outcome{Word::drained};
  if (ring_ == ring::Ring::claim) carry_all_frontiers(slot);
  if (ring_ == ring::Ring::queue) {
    // The cheapest look, and the one that most slots fail at.
    if (keeps_history(slot)) return {Word::skipped_active, "history"};
    carry_all_failed(slot);
    // Committed first: from then on no claim reads the slot, and the readers' locks on it run out.
    if (!steps_.run([&] { outcome = ring::drain(slot, memory_); })) return {};
  }
  if (outcome.word != Word::drained) return outcome;
  const auto also_live = ring_ == ring::Ring::claim ? frontiers_in : nullptr;
  if (!steps_.run([&] { outcome = ring::empty(ring_, slot, also_live, memory_); })) return {};
  return outcome;
}

void Room::move_out(core::Slot slot) {
  move_attempts(slot);
  if (ring_ == ring::Ring::queue) carry_entries(slot);
}

void Room::move_attempts(core::Slot slot) {
  core::Vec<core::Receipt> live(memory_);
  steps_.run([&] { live = live_attempts(ring_, slot, kMostEvicted, memory_); });
  core::Vec<Fate> fates(memory_);
  while (!live.empty()) {
    fates.assign(live.size(), Fate::left);
    if (!steps_.run([&] { moved_ += move_to_leases(ring_, slot, live, fates, memory_); })) return;
    core::Vec<core::Receipt> left(memory_);
    for (std::size_t i = 0; i < live.size(); ++i) {
      if (fates[i] == Fate::left) left.push_back(live[i]);
    }
    live = std::move(left);
  }
}

void Room::carry_entries(core::Slot slot) {
  core::Vec<core::LaneId> lanes(memory_);
  steps_.run([&] { lanes = lanes_with_waiting_entries(slot, memory_); });
  for (const core::LaneId lane : lanes) {
    EntryCarrier carrier(slot, lane, memory_);
    auto outcome = EntryCarrier::Outcome::more;
    while (outcome == EntryCarrier::Outcome::more) {
      if (!steps_.run([&] { outcome = carrier.carry(); })) break;
    }
    moved_ += carrier.carried();
  }
}

void Room::carry_all_frontiers(core::Slot slot) {
  core::Vec<core::LaneId> lanes(memory_);
  steps_.run([&] { lanes = lanes_to_carry(slot, memory_); });
  for (std::span<const core::LaneId> rest = lanes; !rest.empty();) {
    const auto some = rest.first(std::min(rest.size(), kMostLanesCarried));
    if (!steps_.run([&] { carry_frontiers(slot, some, memory_); })) return;
    rest = rest.subspan(some.size());
  }
}

void Room::carry_all_failed(core::Slot slot) {
  std::int32_t carried = kMostFailedCarried;
  while (carried == kMostFailedCarried) {
    if (!steps_.run([&] { carried = carry_failed(slot); })) return;
  }
}

}  // namespace awa::rescue
