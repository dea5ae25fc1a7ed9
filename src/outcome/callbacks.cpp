#include "outcome/callbacks.hpp"

#include "outcome/departures.hpp"
#include "outcome/queue_facts.hpp"
#include "pg/datum.hpp"
#include "pg/transaction.hpp"
#include "queue/unique_keys.hpp"
#include "receipt/payload.hpp"

namespace awa::outcome {

namespace {

using core::JobState;
using receipt::Attempt;
using receipt::CallbackId;
using receipt::HeldAttempts;

CallbackId new_token() {
  CallbackId token;
  pg::guarded(
      [&] { memcpy(token.data(), DatumGetUUIDP(DirectFunctionCall1(gen_random_uuid, Datum{0}))->data, token.size()); });
  return token;
}

// The attempt that waits for a token, held.
class Awaited {
 public:
  Awaited(const CallbackId &token, core::Memory &memory) : receipt_(find(token)) {
    if (!receipt_) return;
    held_.emplace(std::span(&*receipt_, 1), receipt::Keys::take, receipt::Bodies::read, memory);
    // It was found before its key was held.
    const auto attempts = held_->attempts();
    if (attempts.empty() || attempts.front().lease.callback != token) held_.reset();
  }

  explicit operator bool() const noexcept { return held_.has_value(); }
  HeldAttempts &held() noexcept { return *held_; }
  Attempt &attempt() noexcept { return held_->attempts().front(); }

 private:
  static std::optional<core::Receipt> find(const CallbackId &token) {
    receipt::Leases leases(AccessShareLock);
    const pg::FreshSnapshot snapshot;
    return leases.waiting_for(token, snapshot);
  }

  std::optional<core::Receipt> receipt_;
  std::optional<HeldAttempts> held_;
};

void wait_anew(HeldAttempts &held, const CallbackId &token, core::Micros timeout) {
  const core::Micros now = pg::now();
  receipt::Lease lease = held.lease_of(0);
  lease.callback = token;
  lease.callback_timeout_at = now + timeout;
  lease.deadline_at = 0;  // the timeout bounds the wait
  held.move_to_lease(0, lease, now);
}

}  // namespace

std::optional<CallbackId> wait_external(const core::Receipt &receipt, core::Micros timeout, core::Memory &memory) {
  HeldAttempts held({&receipt, 1}, receipt::Keys::take, receipt::Bodies::read, memory);
  if (held.attempts().empty()) return std::nullopt;
  const Attempt &attempt = held.attempts().front();
  if (!attempt.waiting()) {
    const queue::KeyOwner owner(receipt.job, core::lane_of(attempt.lane).queue, attempt.body);
    queue::change_state(owner, JobState::running, JobState::waiting_external, queue::KeyPatience::waits);
  }
  const CallbackId token = attempt.waiting() ? *attempt.lease.callback : new_token();
  wait_anew(held, token, timeout);
  return token;
}

bool complete_external(const CallbackId &token, Datum result, Resumption resumption, core::Memory &memory) {
  Awaited awaited(token, memory);
  if (!awaited) return false;
  Attempt &attempt = awaited.attempt();
  Departure departure{.attempt = 0, .to = JobState::completed, .outcome = core::Outcome::completed, .result = result};
  if (resumption == Resumption::resumes) {
    departure = {.attempt = 0, .to = JobState::available, .outcome = core::Outcome::released};
    --attempt.body.attempts_used;
    attempt.body.payload =
        receipt::changed_payload(attempt.body.payload, {.forget_callback_result = true, .callback_result = result});
  } else {
    attempt.body.payload = receipt::changed_payload(attempt.body.payload, {.forget_progress = true});
  }
  depart(awaited.held(), {&departure, 1}, pg::now(), memory);
  return true;
}

std::optional<JobState> fail_external(const CallbackId &token, const Failed &failed, core::Memory &memory) {
  Awaited awaited(token, memory);
  if (!awaited) return std::nullopt;
  std::optional<JobState> state;
  fail(awaited.held(), {&failed, 1}, {&state, 1}, memory);
  return state;
}

std::optional<JobState> retry_external(const CallbackId &token, core::Memory &memory) {
  Awaited awaited(token, memory);
  if (!awaited) return std::nullopt;
  Attempt &attempt = awaited.attempt();
  if (attempt.number >= attempt.body.max_attempts) {
    const Failed failed{.error = "retried by its callback, without an attempt left"};
    std::optional<JobState> state;
    fail(awaited.held(), {&failed, 1}, {&state, 1}, memory);
    return state;
  }
  const core::Micros now = pg::now();
  attempt.body.run_at = now;
  Departure departure{.attempt = 0, .to = JobState::available, .outcome = core::Outcome::retryable};
  depart(awaited.held(), {&departure, 1}, now, memory);
  return departure.to;
}

bool extend_external(const CallbackId &token, core::Micros timeout, core::Memory &memory) {
  Awaited awaited(token, memory);
  if (!awaited) return false;
  wait_anew(awaited.held(), token, timeout);
  return true;
}

}  // namespace awa::outcome
