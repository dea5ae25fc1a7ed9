// Terminal rows of jobs that were cancelled while they waited.
#pragma once

#include <span>

#include "queue/waiting_jobs.hpp"

namespace awa::queue {

// Appends the rows. Those of entries are narrow, beside their entries, whose body is theirs but for a payload that `payloads`
// changes; those of deferred jobs are wide, in the current slot of the queue ring. payloads[i], if not 0, is what is to be
// kept with jobs[i] instead of its own.
void write_cancelled(std::span<const WaitingJob> jobs, std::span<const Datum> payloads, core::Memory &memory);

}  // namespace awa::queue
