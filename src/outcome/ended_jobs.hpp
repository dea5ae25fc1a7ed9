// Jobs that ended: deleting them from where they rest.
#pragma once

#include "core/ids.hpp"

namespace awa::outcome {

// Deletes what is kept of an ended job: history, failed history, dead letter; only a count stays. Returns false when there
// is nothing. The transaction must be writable.
bool delete_ended(core::JobId job);

}  // namespace awa::outcome
