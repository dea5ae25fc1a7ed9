// Promotion: deferred jobs whose time has come become entries.
#pragma once

#include "core/containers.hpp"
#include "core/ids.hpp"

namespace awa::queue {

constexpr std::size_t kMostPromoted = 10'000;  // a call

// Turns jobs that are due into entries, in the order of their due times, priorities and ids, and sends a NOTIFY for queues
// that want one. What others are working on is left for another time. A job that does not get the unique key it needs ends
// cancelled. Returns how many jobs it dealt with, at most kMostPromoted. The transaction must be writable.
std::int32_t promote_due(core::Memory &memory);

// When the first deferred job that is seen is due, of those due from `from` to `until`; 0 = none is. An estimate: it gives up
// where there is little but dead rows.
core::Micros first_due_between(core::Micros from, core::Micros until);

}  // namespace awa::queue
