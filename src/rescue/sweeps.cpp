#include "rescue/sweeps.hpp"

#include <limits>

#include "core/lane.hpp"
#include "pg/datum.hpp"
#include "pg/pause_point.hpp"
#include "pg/settings.hpp"
#include "pg/spi.hpp"
#include "pg/transaction.hpp"
#include "queue/queues.hpp"
#include "receipt/attempt_states.hpp"
#include "rescue/busy_attempts.hpp"
#include "rescue/claim_window.hpp"
#include "rescue/lease_candidates.hpp"
#include "rescue/rescuing.hpp"
#include "rescue/sweep_cursors.hpp"
#include "ring/generation.hpp"

namespace awa::rescue {

namespace {

constinit pg::Statement least_stale_after("SELECT min(stale_after) FROM awa.queues", {});

// An attempt that looks due, and where it was met.
struct Due {
  core::Receipt receipt;
  core::Micros stale_after;  // of its queue, where it matters
  std::size_t look;          // place in the looks of the sweep; kOfLease = none
  std::size_t claim;         // place among the claims of the look
};
constexpr auto kOfLease = std::numeric_limits<std::size_t>::max();

// What was visited in one slot.
struct Look {
  core::Slot slot;
  Way way;
  core::Vec<core::SweepVisit> visits;
  core::Sweep sweep;
};

// One duty's sweeps, of one cause.
class Sweeping {
 public:
  Sweeping(Cause cause, core::Memory &memory)
      : cause_(cause), memory_(memory), began_(pg::now()), looks_(memory), due_(memory), queues_(memory) {}

  std::int32_t run() {
    if (cause_ == Cause::stale) {
      if (const auto least = find_least_stale_after()) look_at_claims(Way::claimed, began_ - *least);
    } else if (cause_ == Cause::deadline_expired) {
      look_at_claims(Way::batch_deadline, began_);
      look_at_claims(Way::row_deadline, began_);
    }
    look_at_leases();
    AWA_PAUSE_POINT("rescue.before_keys");
    const std::int32_t rescued = rescue_due();
    for (const Look &look : looks_) {
      if (const auto position = core::cursor_after(look.visits, look.sweep)) {
        move_cursor(look.slot, look.way, *position);
      }
    }
    return rescued;
  }

 private:
  static std::optional<core::Micros> find_least_stale_after() {
    pg::Sql sql;
    sql.run(least_stale_after, {});
    bool none = false;
    const Datum least = sql.value(0, 1, none);
    return none ? std::nullopt : std::optional(pg::interval_micros(least));
  }

  bool has_enough() const noexcept { return new_ >= static_cast<std::size_t>(pg::rescue_limit()); }

  // Slots that were turned away from longest ago come first: they are wanted empty.
  void look_at_claims(Way way, core::Micros until) {
    const core::Generation current = ring::generation_of(ring::Ring::claim);
    for (int step = 1; step <= core::kClaimSlots && !has_enough(); ++step) {
      look_at_slot(core::slot_of({current.value + step}, core::kClaimSlots), way, until);
      pg::check_for_interrupts();
    }
  }

  void look_at_slot(core::Slot slot, Way way, core::Micros until) {
    ClaimWindow window(slot, way, cursor_of(slot, way), until, static_cast<std::size_t>(pg::rescue_scan_limit()),
                       memory_);
    if (window.claims().empty()) {
      window.unlock();
      return;
    }
    looks_.push_back({slot, way, core::Vec<core::SweepVisit>(memory_), window.sweep()});
    const std::size_t before = due_.size();
    for (std::size_t i = 0; i < window.claims().size(); ++i) {
      const VisitedClaim &claim = window.claims()[i];
      looks_.back().visits.push_back({claim.position, true});
      if (!claim.has_open) continue;
      core::Micros stale_after = 0;
      if (cause_ == Cause::stale) {
        const auto known = stale_after_of(claim.lane);
        if (!known || claim.claimed_at + *known > began_) continue;
        stale_after = *known;
      }
      for (const core::Receipt &receipt : window.open_members(claim)) {
        due_.push_back({receipt, stale_after, looks_.size() - 1, i});
      }
    }
    if (cause_ == Cause::stale) drop_those_that_beat(before, window.snapshot());
    window.unlock();
    for (std::size_t i = before; i < due_.size(); ++i) {
      if (!was_met(due_[i].receipt)) ++new_;
    }
  }

  // A heartbeat may have come since the claim. What comes from now on is seen under the key.
  void drop_those_that_beat(std::size_t from, const pg::FreshSnapshot &snapshot) {
    core::Vec<core::Receipt> receipts(memory_);
    for (std::size_t i = from; i < due_.size(); ++i) receipts.push_back(due_[i].receipt);
    if (receipts.empty()) return;
    core::Vec<receipt::AttemptState> states = receipt::AttemptStates(memory_).of(receipts, snapshot);
    const auto is_before = [](const receipt::AttemptState &state, const core::Receipt &r) { return state.receipt < r; };
    std::sort(states.begin(), states.end(),
              [](const receipt::AttemptState &a, const receipt::AttemptState &b) { return a.receipt < b.receipt; });
    const auto beats = [&](const Due &due) {
      const auto state = std::lower_bound(states.begin(), states.end(), due.receipt, is_before);
      return state != states.end() && state->receipt == due.receipt && state->heartbeat_at + due.stale_after > began_;
    };
    due_.erase(std::remove_if(due_.begin() + static_cast<std::ptrdiff_t>(from), due_.end(), beats), due_.end());
  }

  // Nothing for a lane without a queue.
  std::optional<core::Micros> stale_after_of(core::LaneId lane) {
    const core::QueueId id = core::lane_of(lane).queue;
    const auto known =
        std::find_if(queues_.begin(), queues_.end(), [=](const queue::Queue &each) { return each.id == id; });
    if (known != queues_.end()) return known->stale_after;
    const pg::FreshSnapshot snapshot;
    const auto found = queue::look_up(id, snapshot);
    if (!found) return std::nullopt;
    queues_.push_back(*found);
    return found->stale_after;
  }

  void look_at_leases() {
    if (has_enough()) return;
    for (const core::Receipt &receipt :
         leases_due(cause_, began_, static_cast<std::size_t>(pg::rescue_scan_limit()), memory_)) {
      due_.push_back({receipt, 0, kOfLease, 0});
    }
  }

  // Whether an earlier call met it and could not have it: it must not keep this one from the others.
  bool was_met(const core::Receipt &receipt) const noexcept {
    return was_busy_before(receipt, began_) || is_bad(receipt, began_);
  }

  std::int32_t rescue_due() {
    // Those that were met before come last: they may be busy still.
    std::stable_partition(due_.begin(), due_.end(), [this](const Due &due) { return !was_met(due.receipt); });
    core::Vec<core::Receipt> first(memory_);
    for (const Due &due : due_) {
      if (first.size() < static_cast<std::size_t>(pg::rescue_limit()) && !is_bad(due.receipt, began_)) {
        first.push_back(due.receipt);
      }
    }
    // An attempt may have been seen twice, while it moved.
    const core::Vec<core::Receipt> chosen = core::sorted_unique(first, memory_);
    core::Vec<Fate> fates(memory_);
    fates.assign(chosen.size(), Fate::left);
    const std::int32_t rescued = rescue(chosen, cause_, fates, memory_);
    for (const Due &due : due_) {
      const auto place = std::lower_bound(chosen.begin(), chosen.end(), due.receipt);
      const bool was_chosen = place != chosen.end() && *place == due.receipt;
      const Fate fate = was_chosen ? fates[static_cast<std::size_t>(place - chosen.begin())] : Fate::left;
      // A claim can be passed when all its attempts that are due can.
      if (due.look != kOfLease && fate != Fate::over && !was_met(due.receipt)) {
        looks_[due.look].visits[due.claim].passable = false;
      }
    }
    return rescued;
  }

  Cause const cause_;
  core::Memory &memory_;
  core::Micros const began_;
  core::Vec<Look> looks_;
  core::Vec<Due> due_;
  core::Vec<queue::Queue> queues_;
  std::size_t new_ = 0;  // due, and not met before
};

}  // namespace

std::int32_t rescue_stale(core::Memory &memory) { return Sweeping(Cause::stale, memory).run(); }
std::int32_t rescue_deadlines(core::Memory &memory) { return Sweeping(Cause::deadline_expired, memory).run(); }
std::int32_t rescue_callbacks(core::Memory &memory) { return Sweeping(Cause::callback_timeout, memory).run(); }

}  // namespace awa::rescue
