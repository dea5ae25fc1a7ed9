// Retention: failed jobs and dead letters that were kept as long as their queue wants leave for good; a count of them stays.
// (What succeeded or was cancelled leaves with its slot of the queue ring: ring/prune.hpp.)
#pragma once

#include "core/containers.hpp"
#include "rescue/steps.hpp"

namespace awa::rescue {

struct Expired {
  std::int64_t jobs = 0;
  bool all = true;  // false = the time was up
};

// Removes them in batches, each a step of its own. What others work on is left for another time.
Expired apply_retention(Steps &steps, core::Memory &memory);

}  // namespace awa::rescue
