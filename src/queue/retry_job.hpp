// Trying ended jobs again: failed and cancelled ones, whose history is still there, wait anew.
#pragma once

#include "core/containers.hpp"
#include "core/ids.hpp"

namespace awa::queue {

// Puts a failed or cancelled job back onto its lane: its attempts count from the beginning, its run lease goes on. Returns
// false when there is no such job. The transaction must be writable. Errors: 23505 when its unique key is held by another,
// 42704 when its queue was dropped.
bool retry_job(core::JobId job, core::Memory &memory);

}  // namespace awa::queue
