// Counts of jobs that are no more to be seen: pruned, purged, deleted.
//
// A session adds to rows of its own, so that those that delete do not wait for one another's transactions; prune, which is
// alone in its ring, has rows of nobody.
#pragma once

#include <string_view>

#include "core/ids.hpp"

namespace awa::ring {

// Counts `jobs` of one lane's queue and priority that are gone.
void count_gone(core::LaneId lane, std::string_view outcome, std::int64_t jobs);

// Counts the terminal jobs of a queue slot, which is about to be emptied.
void count_slot(core::Slot slot);

}  // namespace awa::ring
