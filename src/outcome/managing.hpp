// Jobs wherever they are: waiting, being attempted, ended.
#pragma once

#include <span>
#include <string_view>

#include "core/containers.hpp"
#include "core/ids.hpp"

namespace awa::outcome {

// Cancels those of the jobs, distinct ones, that wait or are being attempted; a job that others move meanwhile is followed.
// Returns how many. `reason` may be empty. The transaction must be writable. Errors: 55P03 from lanes, rows and keys, 40P01.
std::size_t cancel(std::span<const core::JobId> jobs, std::string_view reason, core::Memory &memory);

// Deletes a job, whatever its state: only a count stays. Returns false when there is none. Errors: as cancel.
bool delete_job(core::JobId job, core::Memory &memory);

// Cancels every job of the queue, ends every attempt, and drops it. Errors: 42704, 55006 a transaction produces for it, 55P03.
void drop_queue_by_force(std::string_view name, core::Memory &memory);

}  // namespace awa::outcome
