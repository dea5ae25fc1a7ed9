#include "worker/duties.hpp"

#include <limits>

#include "ledger/expiry.hpp"
#include "pg/error.hpp"
#include "pg/pause_point.hpp"
#include "pg/settings.hpp"
#include "queue/promote.hpp"
#include "rescue/retention.hpp"
#include "rescue/room.hpp"
#include "rescue/steps.hpp"
#include "rescue/sweeps.hpp"
#include "ring/foreign_loads.hpp"
#include "ring/rotation.hpp"
#include "ring/slot_content.hpp"
#include "worker/consolidating.hpp"
#include "worker/duty_book.hpp"

namespace awa::worker {

namespace {

using core::Duty;
using core::RunEnd;
using rescue::Steps;
using ring::Ring;

constexpr core::Micros kSecond = 1'000'000;
constexpr core::Micros kSlice = 5 * kSecond;  // no step of a duty begins later in its turn: the others wait
constexpr int kNoteWait = 10;                 // milliseconds: somebody may be about to pause or resume
constexpr core::Micros kNoLimit = std::numeric_limits<core::Micros>::max();

// What a duty tells; the rest of the Run is the runner's.
struct Told {
  RunEnd end;
  const char *outcome;
  std::int64_t affected = 0;
  core::Micros wake_at = 0;
};

Told told_of(std::int64_t affected, bool more) {
  if (affected == 0) return {RunEnd::idle, "none"};
  return {more ? RunEnd::more : RunEnd::done, "done", affected};
}

Told promote_due(Steps &steps, core::Memory &memory) {
  std::int32_t promoted = 0;
  core::Micros next = 0;
  steps.run([&] {
    promoted = queue::promote_due(memory);
    const core::Micros now = pg::now();
    next = queue::first_due_between(now, now + pg::duty_interval());
  });
  Told told = told_of(promoted, promoted >= static_cast<std::int32_t>(queue::kMostPromoted));
  told.wake_at = next;
  return told;
}

template <std::int32_t (*sweep)(core::Memory &)>
Told rescue_by(Steps &steps, core::Memory &memory) {
  std::int32_t rescued = 0;
  steps.run([&] { rescued = sweep(memory); });
  return told_of(rescued, rescued >= pg::rescue_limit());
}

Told expire_holds(Steps &steps, core::Memory &memory) {
  std::int32_t expired = 0;
  steps.run([&] { expired = ledger::expire_newly_due(memory); });
  return told_of(expired, expired >= ledger::kMostExpired);
}

template <Ring ring>
core::TurnLimits limits_of() noexcept {
  return ring == Ring::claim ? pg::claim_turn() : ring == Ring::lease ? pg::lease_turn() : pg::queue_turn();
}

template <Ring ring>
Told rotate(Steps &steps, core::Memory &memory) {
  auto outcome = ring::RotateOutcome::skipped_idle;
  steps.run([&] {
    const core::TurnLimits limits = limits_of<ring>();
    if (core::is_due_to_turn(ring::content_of_current(ring, limits, memory), limits, pg::now())) {
      outcome = ring::rotate(ring, memory);
    }
  });
  const char *const word = ring::word_of(outcome);
  switch (outcome) {
    case ring::RotateOutcome::rotated:
      return {RunEnd::done, word, 1};
    case ring::RotateOutcome::skipped_idle:
      return {RunEnd::not_needed, word};
    case ring::RotateOutcome::skipped_busy:
    case ring::RotateOutcome::skipped_locked:
      break;
  }
  return {RunEnd::in_vain, word};
}

template <Ring ring>
Told make_room(Steps &steps, core::Memory &memory) {
  int empty = 0;
  const int wanted = pg::empty_slots();
  if (!steps.run([&] { empty = ring::empty_slots(ring, memory); }) || empty >= wanted) {
    return {RunEnd::not_needed, "none"};
  }
  rescue::Room room(ring, steps, memory);
  const char *const outcome = ring::text_of(room.make(wanted));
  const std::int64_t affected = room.moved() + room.pruned();
  return {affected > 0 ? steps.out_of_time() ? RunEnd::more : RunEnd::done : RunEnd::in_vain, outcome, affected};
}

Told apply_retention(Steps &steps, core::Memory &memory) {
  const rescue::Expired expired = rescue::apply_retention(steps, memory);
  return told_of(expired.jobs, !expired.all);
}

Told keep_accounts_small(Steps &steps, core::Memory &memory) {
  const Consolidated consolidated = consolidate(steps, memory);
  Told told = consolidated.looked ? told_of(consolidated.postings, false) : Told{RunEnd::not_needed, "none"};
  told.wake_at = consolidated.wake_at;
  return told;
}

// How a duty is run, in the order of the enumeration. Those that fail to make headway wait the longer, the more a try costs.
// Urgent ones, which take one step, have their turns between the steps of the others as well, when a round takes long.
struct DutyWork {
  Told (*work)(Steps &steps, core::Memory &memory);
  core::Micros longest_vain;
  core::Micros (*interval)() noexcept;
  bool urgent = false;
};

constexpr DutyWork kWorks[core::kDuties] = {
    {promote_due, 0, pg::duty_interval, true},
    {rescue_by<rescue::rescue_stale>, 0, pg::duty_interval, true},
    {rescue_by<rescue::rescue_deadlines>, 0, pg::duty_interval, true},
    {rescue_by<rescue::rescue_callbacks>, 0, pg::duty_interval, true},
    {expire_holds, 0, pg::duty_interval, true},
    {rotate<Ring::claim>, 5 * kSecond, pg::duty_interval},
    {rotate<Ring::lease>, 5 * kSecond, pg::duty_interval},
    {rotate<Ring::queue>, 5 * kSecond, pg::duty_interval},
    {make_room<Ring::claim>, 30 * kSecond, pg::duty_interval},
    {make_room<Ring::lease>, 30 * kSecond, pg::duty_interval},
    {make_room<Ring::queue>, 30 * kSecond, pg::duty_interval},
    {apply_retention, 0, pg::retention_interval},
    {keep_accounts_small, 0, pg::duty_interval},
};

const DutyWork &work_of(Duty duty) noexcept { return kWorks[static_cast<std::size_t>(duty)]; }

core::Cadence cadence_of(Duty duty) noexcept { return {work_of(duty).interval(), work_of(duty).longest_vain}; }

// The error of a duty, in one line; it is told in the log and to whoever called.
const char *tell(Duty duty, const ErrorData &error) {
  const char *const message = error.message != nullptr ? error.message : "";
  const std::string_view name = core::name_of(duty);
  pg::warn({.sqlstate = error.sqlerrcode,
            .message = pg::format("maintenance: %.*s failed: %s", static_cast<int>(name.size()), name.data(), message),
            .detail = error.detail,
            .hint = "It is tried again, later each time, and shows in awa.duty_status."});
  return pg::format("%s: %s", pg::guarded([&] { return unpack_sql_state(error.sqlerrcode); }), message);
}

class Rounds {
 public:
  Rounds(pg::Procedure &procedure, core::Memory &memory) : procedure_(procedure), memory_(memory) {}

  Round run() {
    Round round;
    round.word = begin();
    if (round.word == Round::Word::none) {
      for (std::size_t i = 0; i < core::kDuties && !not_leader_; ++i) {
        const auto duty = static_cast<Duty>(i);
        if (!is_its_turn(duty)) continue;
        AWA_PAUSE_POINT("maintain.before_duty");
        run(duty);
      }
      if (did_something_) round.word = Round::Word::done;
      if (not_leader_) round.word = Round::Word::skipped_locked;
      note();
    }
    round.next_due = next_due();
    return round;
  }

 private:
  Round::Word begin() {
    Round::Word word = Round::Word::none;
    Steps steps(procedure_, rescue::OnError::raise, kNoLimit, rescue::Leader::required);
    steps.run([&] {
      DutyBook::read();
      const pg::FreshSnapshot snapshot;
      if (ring::restore_under_way(snapshot)) word = Round::Word::foreign_load;
    });
    if (steps.not_leader()) return Round::Word::skipped_locked;
    bool all_paused = true;
    for (std::size_t i = 0; i < core::kDuties; ++i)
      all_paused = all_paused && DutyBook::is_paused(static_cast<Duty>(i));
    return all_paused ? Round::Word::paused : word;
  }

  static bool is_its_turn(Duty duty) {
    return !DutyBook::is_paused(duty) && DutyBook::is_due(duty, cadence_of(duty), pg::now());
  }

  // Most rounds are over before anything is due again.
  void run_urgent() {
    if (pg::now() - began_ < kSecond) return;
    for (std::size_t i = 0; i < core::kDuties; ++i) {
      const auto duty = static_cast<Duty>(i);
      if (work_of(duty).urgent && is_its_turn(duty)) run(duty);
    }
  }

  void run(Duty duty) {
    Run run;
    run.began = pg::now();
    rescue::Between between;
    if (!work_of(duty).urgent) between = {[](void *rounds) { static_cast<Rounds *>(rounds)->run_urgent(); }, this};
    Steps steps(procedure_, rescue::OnError::keep, run.began + kSlice, rescue::Leader::required, between);
    const Told told = work_of(duty).work(steps, memory_);
    not_leader_ = steps.not_leader();
    if (not_leader_ && told.affected == 0) return;
    run.ended = pg::now();
    run.end = told.end;
    run.outcome = told.outcome;
    run.affected = told.affected;
    run.wake_at = told.wake_at;
    if (steps.failure() != nullptr) {
      run.end = RunEnd::failed;
      run.outcome = "failed";
      run.error = tell(duty, *steps.failure());
    }
    DutyBook::enter(duty, run, cadence_of(duty));
    did_something_ |= run.affected > 0;
  }

  // What is written down is for people; that it cannot be is no reason to stop.
  void note() {
    const core::Micros now = pg::now();
    if (!DutyBook::is_to_be_noted(now)) return;
    Steps steps(procedure_, rescue::OnError::keep, kNoLimit);
    auto write = [] {
      const pg::LockTimeoutScope brief(kNoteWait);
      DutyBook::write();
    };
    if (steps.run(write)) DutyBook::written(now);
  }

  static core::Micros next_due() noexcept {
    core::Micros next = pg::now() + kSecond;
    for (std::size_t i = 0; i < core::kDuties; ++i) {
      const auto duty = static_cast<Duty>(i);
      if (!DutyBook::is_paused(duty)) next = std::min(next, DutyBook::next_due(duty));
    }
    return next;
  }

  pg::Procedure &procedure_;
  core::Memory &memory_;
  core::Micros const began_ = pg::now();
  bool not_leader_ = false;
  bool did_something_ = false;
};

}  // namespace

const char *word_of(Round::Word word) noexcept {
  switch (word) {
    case Round::Word::done:
      return "done";
    case Round::Word::none:
      break;
    case Round::Word::skipped_locked:
      return "skipped_locked";
    case Round::Word::paused:
      return "skipped_active(paused)";
    case Round::Word::foreign_load:
      return "skipped_active(foreign_load)";
  }
  return "none";
}

Round run_due(pg::Procedure &procedure, core::Memory &memory) { return Rounds(procedure, memory).run(); }

}  // namespace awa::worker
