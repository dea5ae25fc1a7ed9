// Changes of single waiting jobs: another priority, another queue, new content, an end without a trace.
#pragma once

#include <string_view>

#include "core/containers.hpp"
#include "core/ids.hpp"
#include "queue/queues.hpp"
#include "queue/waiting_jobs.hpp"

namespace awa::queue {

// Return whether a job of that id waited and was changed: false when there is none, or nothing to change. A job that waits
// on a lane goes to the end of its new one. The transaction must be writable. Errors: 55P03 from hold_waiting.
bool set_priority(core::JobId job, int priority, core::Memory &memory);
bool move(core::JobId job, const Queue &to, core::Memory &memory);  // 23505 when its unique key is held there

// Deletes a waiting job, of which only a count stays.
bool delete_waiting(core::JobId job, core::Memory &memory);

// Puts a held job, which was taken away, onto a lane, or aside until body.run_at. Its id stays.
void put(const WaitingJob &job);

}  // namespace awa::queue
