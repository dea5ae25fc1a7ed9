#include "outcome/giving_back.hpp"

#include "outcome/departures.hpp"
#include "outcome/queue_facts.hpp"
#include "pg/transaction.hpp"
#include "receipt/payload.hpp"

namespace awa::outcome {

namespace {

using core::JobState;

JobState state_of(core::Outcome outcome) noexcept {
  switch (outcome) {
    case core::Outcome::failed:
      return JobState::failed;
    case core::Outcome::dead_letter:
      return JobState::dead_letter;
    default:
      return JobState::retryable;
  }
}

}  // namespace

Departure failure_of(receipt::Attempt &attempt, std::size_t place, const Failed &failed,
                     const core::RetryPolicy &policy, core::Micros now) {
  const core::Route route = core::route_failure(
      {attempt.number, attempt.body.max_attempts, failed.terminal, failed.retry_after}, policy, pg::random_turn());
  const bool over = route.outcome != core::Outcome::retryable;
  attempt.body.payload = receipt::changed_payload(
      attempt.body.payload, {.error = receipt::ErrorEntry{failed.error, attempt.number, now, over}});
  if (!over) attempt.body.run_at = now + route.delay;
  return {place, state_of(route.outcome), route.outcome, route.reason};
}

void fail(std::span<const core::Receipt> receipts, std::span<const Failed> failures,
          std::span<std::optional<JobState>> states, core::Memory &memory) {
  std::fill(states.begin(), states.end(), std::nullopt);
  if (receipts.empty()) return;
  receipt::HeldAttempts held(receipts, receipt::Keys::take, receipt::Bodies::read, memory);
  fail(held, failures, states, memory);
}

void fail(receipt::HeldAttempts &held, std::span<const Failed> failures, std::span<std::optional<JobState>> states,
          core::Memory &memory) {
  QueueFacts queues(memory);
  core::Vec<Departure> departures(memory);
  const core::Micros now = pg::now();
  for (receipt::Attempt &attempt : held.attempts()) {
    departures.push_back(
        failure_of(attempt, departures.size(), failures[attempt.place], queues.of(attempt.lane).retry, now));
  }
  depart(held, departures, now, memory);
  for (const Departure &departure : departures) states[held.attempts()[departure.attempt].place] = departure.to;
}

bool snooze(const core::Receipt &receipt, core::Micros delay, core::Memory &memory) {
  receipt::HeldAttempts held({&receipt, 1}, receipt::Keys::take, receipt::Bodies::read, memory);
  if (held.attempts().empty()) return false;
  const core::Micros now = pg::now();
  receipt::Attempt &attempt = held.attempts().front();
  --attempt.body.attempts_used;
  attempt.body.run_at = now + delay;
  Departure departure{0, JobState::scheduled, core::Outcome::scheduled};
  depart(held, {&departure, 1}, now, memory);
  return true;
}

std::int32_t release(std::span<const core::Receipt> receipts, core::Memory &memory) {
  if (receipts.empty()) return 0;
  receipt::HeldAttempts held(receipts, receipt::Keys::take, receipt::Bodies::read, memory);
  core::Vec<Departure> departures(memory);
  for (receipt::Attempt &attempt : held.attempts()) {
    --attempt.body.attempts_used;
    departures.push_back({departures.size(), JobState::available, core::Outcome::released});
  }
  depart(held, departures, pg::now(), memory);
  return static_cast<std::int32_t>(departures.size());
}

}  // namespace awa::outcome
