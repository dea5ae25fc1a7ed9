// Attempts by job: which receipt the last claim of a job gave out. It may be over, or be over by the time it is looked at:
// whoever acts on it holds it first (receipt/held_attempts.hpp).
#pragma once

#include <optional>
#include <string_view>

#include "core/receipt.hpp"

namespace awa::outcome {

// The receipt of the attempt that the job is in, as far as can be told without its key.
std::optional<core::Receipt> attempt_of(core::JobId job);

// What became of an action on a job's attempt.
enum class Found : std::uint8_t {
  nothing,   // the job was not claimed, or its attempt is over
  changing,  // its attempt ended while it was looked for: the job is to be looked for anew
  done,
};

// A job whose attempt is looked for, perhaps again and again.
struct Sought {
  core::JobId job;
  std::optional<core::Receipt> over = std::nullopt;  // its attempt that was found to be over
};

// Cancels the job's attempt, running or waiting, and sends a NOTIFY to its worker on channel awa:cancel. `reason` may be
// empty. The transaction must be writable. Errors: 55P03, 40P01.
Found cancel_attempt(Sought &sought, std::string_view reason, core::Memory &memory);

// Deletes a job that is being attempted; only a count stays.
Found delete_attempt(Sought &sought, core::Memory &memory);

// The same as cancel_attempt for attempts by their receipts, sorted and distinct. Returns how many were open.
std::size_t cancel_attempts(std::span<const core::Receipt> receipts, std::string_view reason, core::Memory &memory);

}  // namespace awa::outcome
