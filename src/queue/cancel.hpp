// Cancelling jobs that wait. (Running attempts are cancelled by outcome, which has their keys.)
#pragma once

#include <span>
#include <string_view>

#include "queue/waiting_jobs.hpp"
#include "receipt/attempt_end.hpp"

namespace awa::queue {

// Cancels those of the jobs that wait, on a lane or for a time, and returns which those were. A reason, if not empty, is kept
// as their last error. The transaction must be writable. Errors: 55P03 from hold_waiting.
core::Vec<core::JobId> cancel_waiting(std::span<const core::JobId> jobs, std::string_view reason, core::Memory &memory);

// The same for jobs that are held.
void cancel_held(std::span<const WaitingJob> jobs, std::string_view reason, core::Memory &memory,
                 receipt::EndPatience patience = receipt::EndPatience::waits);

}  // namespace awa::queue
