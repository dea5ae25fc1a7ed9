// Leases that look due for rescue. They may be over, or beat, by the time they are held.
#pragma once

#include "core/containers.hpp"
#include "core/receipt.hpp"
#include "rescue/rescuing.hpp"

namespace awa::rescue {

// Receipts of leases for which the cause seems to hold, those due first, at most `most`.
core::Vec<core::Receipt> leases_due(Cause cause, core::Micros now, std::size_t most, core::Memory &memory);

}  // namespace awa::rescue
