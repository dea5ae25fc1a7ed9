// Where the jobs of ended attempts go: laid aside until they are due, back to their lanes, to history, to the dead letters,
// or nowhere.
//
// A verb holds the attempts (receipt/held_attempts.hpp), decides on a departure for each, and writes them all at once: first
// the unique keys, then the rows of the jobs, then the ends of the attempts. A job that comes back to a state in which it needs
// its unique key, and finds it held by another job, ends cancelled instead.
#pragma once

#include <optional>
#include <string_view>

#include "core/job_state.hpp"
#include "queue/unique_keys.hpp"
#include "receipt/held_attempts.hpp"

namespace awa::outcome {

struct Departure {
  std::size_t attempt;  // place in the attempts that are held
  std::optional<core::JobState>
      to;                 // scheduled, retryable, available, completed, failed, cancelled, dead_letter; nothing =
                          // the job is deleted
  core::Outcome outcome;  // of the attempt
  const char *dlq_reason = nullptr;  // of a dead letter
  Datum result = 0;                  // of a completed job: jsonb; 0 = none
};

// The attempts' bodies must have been read, and say what is to be kept: run_at of those laid aside, attempts_used, the
// payload. Changes a departure to cancelled when its job lost its unique key. Returns those that were written: whose unique
// key was busy, where it is only tried for, comes behind them and goes on as it was. Errors: 40P01 from unique keys.
std::span<Departure> depart(receipt::HeldAttempts &held, std::span<Departure> departures, core::Micros now,
                            core::Memory &memory, queue::KeyPatience patience = queue::KeyPatience::waits);

}  // namespace awa::outcome
