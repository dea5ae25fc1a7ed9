// The settings awa_ring.*.
#pragma once

#include "core/ids.hpp"

namespace awa::pg {

// Called once, when the library is loaded.
void define_settings();

core::Micros claim_wait() noexcept;
core::Micros key_wait() noexcept;
core::Micros history_retention() noexcept;
int max_payload_bytes() noexcept;
int rescue_limit() noexcept;
int rescue_scan_limit() noexcept;

}  // namespace awa::pg
