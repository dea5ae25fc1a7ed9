// Attempts by job: which receipt the last claim of a job gave out. It may be over, or be over by the time it is looked at:
// whoever acts on it holds it first (receipt/held_attempts.hpp).
#pragma once

#include <optional>

#include "core/receipt.hpp"
#include "receipt/held_attempts.hpp"

namespace awa::outcome {

// The receipt of the attempt that the job is in, as far as can be told without its key.
std::optional<core::Receipt> attempt_of(core::JobId job);

// What became of an action on a job's attempt.
enum class Found : std::uint8_t {
  nothing,   // the job is not being attempted
  changing,  // it was, but its attempt ended, or began, meanwhile: to be looked at anew
  done,
};

// Cancels the job's attempt, running or waiting, and sends a NOTIFY to its worker on channel awa:cancel. `reason` may be
// empty. The transaction must be writable. Errors: 55P03, 40P01.
Found cancel_attempt(core::JobId job, std::string_view reason, core::Memory &memory);

// Deletes a job that is being attempted; only a count stays.
Found delete_attempt(core::JobId job, core::Memory &memory);

}  // namespace awa::outcome
