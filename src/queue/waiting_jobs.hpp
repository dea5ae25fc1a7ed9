// Single waiting jobs: whoever tombstones an entry takes its lane, then looks, then writes.
#pragma once

#include "core/ids.hpp"

namespace awa::queue {

// The lock of a lane, waited for as long as a claim would wait. Errors: 55P03. For a transaction that holds attempt keys it
// is only tried: others take a lane first, keys second.
void lock_lane(core::LaneId lane);

// Deletes a waiting job, of which only a count stays. Returns false when no waiting job has that id. Errors: 55P03.
bool delete_job(core::JobId job);

}  // namespace awa::queue
