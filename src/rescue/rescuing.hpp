// Rescue of attempts: those whose workers are gone or late end, and their jobs go on as after a failure.
#pragma once

#include <span>

#include "core/containers.hpp"
#include "receipt/held_attempts.hpp"
#include "rescue/held_by_trying.hpp"

namespace awa::rescue {

// Why an attempt is to end.
enum class Cause : std::uint8_t {
  stale,             // no heartbeat for stale_after of its queue, since it was claimed or beat last
  deadline_expired,  // its deadline has passed
  callback_timeout,  // nobody called back in time
};

// Rescues those of the attempts for which the cause holds: for each the key is tried, then a fresh snapshot is taken, then the
// evidence is read. `candidates` are sorted and distinct. Sets fates[i]: over (rescued, or not due any more), busy or left. An
// attempt counts; one without attempts left ends its job. Returns how many were rescued. The transaction must be writable.
std::int32_t rescue(std::span<const core::Receipt> candidates, Cause cause, std::span<Fate> fates,
                    core::Memory &memory);

}  // namespace awa::rescue
