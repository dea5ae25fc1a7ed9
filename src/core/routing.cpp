#include "core/routing.hpp"

#include "core/backoff.hpp"

namespace awa::core {

const char *word_of(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::completed:
      return "completed";
    case Outcome::retryable:
      return "retryable";
    case Outcome::scheduled:
      return "scheduled";
    case Outcome::cancelled:
      return "cancelled";
    case Outcome::failed:
      return "failed";
    case Outcome::dead_letter:
      return "dead_letter";
    case Outcome::released:
      return "released";
    case Outcome::rescued:
      return "rescued";
    case Outcome::deadline_expired:
      return "deadline_expired";
    case Outcome::callback_timeout:
      return "callback_timeout";
    case Outcome::materialized:
      return "materialized";
    case Outcome::deleted:
      return "deleted";
  }
  return "unknown";
}

Route route_failure(const Failure &failure, const RetryPolicy &policy, std::uint32_t jitter) noexcept {
  const bool exhausted = failure.attempt >= failure.max_attempts;
  if (failure.terminal || exhausted) {
    return {policy.dead_letter ? Outcome::dead_letter : Outcome::failed, 0,
            failure.terminal ? "terminal_error" : "max_attempts_exhausted"};
  }
  if (failure.retry_after) return {Outcome::retryable, *failure.retry_after, nullptr};
  return {Outcome::retryable, backoff(failure.attempt, policy.backoff_base, policy.backoff_cap, jitter), nullptr};
}

}  // namespace awa::core
