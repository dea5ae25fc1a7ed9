// Unique keys of jobs whose attempts end as successes: given up with them. (Taking keys is queue/unique_keys.hpp.)
#pragma once

#include <span>

#include "core/containers.hpp"

namespace awa::receipt {

// Gives up the keys that the jobs hold. Waits for nobody: whoever ends an attempt has its key, and nobody else changes the
// row of a key that its job holds.
void give_up_keys(std::span<const std::int64_t> jobs);

}  // namespace awa::receipt
