// Decides where a job goes when its attempt did not succeed.
#pragma once

#include <cstdint>
#include <optional>

#include "core/ids.hpp"

namespace awa::core {

// How an attempt ended, as closures and history say it.
enum class Outcome : std::uint8_t {
  completed,
  retryable,  // failed, and there will be another attempt
  scheduled,  // put off by its worker
  cancelled,
  failed,
  dead_letter,
  released,  // given back untouched
  rescued,
  deadline_expired,
  callback_timeout,
  materialized,  // it goes on outside the rings
  deleted,
};

// The word of an outcome in tables and results.
const char *word_of(Outcome outcome) noexcept;

// What a queue says about failures.
struct RetryPolicy {
  Micros backoff_base;
  Micros backoff_cap;
  bool dead_letter;  // jobs that failed for good become dead letters
};

// A failure of one attempt.
struct Failure {
  int attempt;  // the one that failed, 1 = first
  int max_attempts;
  bool terminal;                      // the worker says that trying again is no use
  std::optional<Micros> retry_after;  // the worker's own choice of a delay
};

// Where the job goes: retryable after a delay, failed, or dead_letter.
struct Route {
  Outcome outcome;
  Micros delay;        // of retryable
  const char *reason;  // of failed and dead_letter: terminal_error or max_attempts_exhausted
};

// A delay of the worker's choice counts against max_attempts like any other. `jitter` is any random number.
Route route_failure(const Failure &failure, const RetryPolicy &policy, std::uint32_t jitter) noexcept;

}  // namespace awa::core
