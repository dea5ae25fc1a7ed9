#include "rescue/rescuing.hpp"

#include "outcome/giving_back.hpp"
#include "outcome/queue_facts.hpp"
#include "pg/pause_point.hpp"
#include "pg/transaction.hpp"
#include "rescue/busy_attempts.hpp"

namespace awa::rescue {

namespace {

core::Outcome outcome_of(Cause cause) noexcept {
  switch (cause) {
    case Cause::stale:
      return core::Outcome::rescued;
    case Cause::deadline_expired:
      return core::Outcome::deadline_expired;
    case Cause::callback_timeout:
      break;
  }
  return core::Outcome::callback_timeout;
}

std::string_view error_of(Cause cause, const receipt::Attempt &attempt) noexcept {
  switch (cause) {
    case Cause::stale:
      return attempt.has_state ? "heartbeat stale: worker presumed dead" : "claim stale: worker presumed dead";
    case Cause::deadline_expired:
      return "deadline exceeded";
    case Cause::callback_timeout:
      break;
  }
  return "callback timed out";
}

class Rescuing {
 public:
  Rescuing(std::span<const core::Receipt> candidates, Cause cause, std::span<Fate> fates, core::Memory &memory)
      : candidates_(candidates), cause_(cause), fates_(fates), memory_(memory), queues_(memory) {}

  std::int32_t run() {
    const core::Vec<core::Receipt> held = try_to_hold(candidates_, fates_, memory_);
    AWA_PAUSE_POINT("rescue.after_keys");
    deal_with(held, candidates_, fates_, [this](std::span<const core::Receipt> some) { end(some); });
    return rescued_;
  }

 private:
  // The keys are held.
  void end(std::span<const core::Receipt> receipts) {
    const std::int32_t before = rescued_;
    receipt::HeldAttempts held(receipts, receipt::Keys::taken, receipt::Bodies::read, memory_);
    const core::Micros now = pg::now();
    core::Vec<outcome::Departure> departures(memory_);
    core::Vec<Fate> fates(memory_);
    fates.assign(receipts.size(), Fate::over);
    const std::span<receipt::Attempt> attempts = held.attempts();
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      if (!is_due(attempts[i], now)) continue;
      departures.push_back(departure_of(attempts[i], i, now));
      fates[attempts[i].place] = Fate::busy;  // unless it goes: somebody may be about to take its unique key
    }
    const auto gone = outcome::depart(held, departures, now, memory_, queue::KeyPatience::tries);
    for (const outcome::Departure &departure : gone) fates[attempts[departure.attempt].place] = Fate::over;
    rescued_ = before + static_cast<std::int32_t>(gone.size());
    for (std::size_t i = 0; i < receipts.size(); ++i) fate_of(receipts[i]) = fates[i];
  }

  // The attempt is open, and its key held: what it says is the truth.
  bool is_due(const receipt::Attempt &attempt, core::Micros now) {
    switch (cause_) {
      case Cause::stale: {
        if (attempt.waiting()) return false;
        const core::Micros alive =
            std::max({attempt.claimed_at, attempt.state.heartbeat_at, last_busy(attempt.receipt).value_or(0)});
        return alive + queues_.of(attempt.lane).stale_after <= now;
      }
      case Cause::deadline_expired:
        return attempt.deadline_at != 0 && attempt.deadline_at <= now;
      case Cause::callback_timeout:
        break;
    }
    return attempt.waiting() && attempt.lease.callback_timeout_at <= now;
  }

  outcome::Departure departure_of(receipt::Attempt &attempt, std::size_t place, core::Micros now) {
    outcome::Departure departure =
        outcome::failure_of(attempt, place, {.error = error_of(cause_, attempt)}, queues_.of(attempt.lane).retry, now);
    departure.outcome = outcome_of(cause_);
    if (cause_ == Cause::callback_timeout) departure.dlq_reason = "callback_timeout";
    return departure;
  }

  Fate &fate_of(const core::Receipt &receipt) noexcept {
    const auto place = std::lower_bound(candidates_.begin(), candidates_.end(), receipt) - candidates_.begin();
    return fates_[static_cast<std::size_t>(place)];
  }

  std::span<const core::Receipt> const candidates_;
  Cause const cause_;
  std::span<Fate> const fates_;
  core::Memory &memory_;
  outcome::QueueFacts queues_;
  std::int32_t rescued_ = 0;
};

}  // namespace

std::int32_t rescue(std::span<const core::Receipt> candidates, Cause cause, std::span<Fate> fates,
                    core::Memory &memory) {
  if (candidates.empty()) return 0;
  return Rescuing(candidates, cause, fates, memory).run();
}

}  // namespace awa::rescue
