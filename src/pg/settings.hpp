// The settings awa_ring.*.
#pragma once

#include "core/cadence.hpp"

namespace awa::pg {

// Called once, when the library is loaded.
void define_settings();

core::Micros claim_wait() noexcept;
core::Micros key_wait() noexcept;
core::Micros gate_wait() noexcept;
core::Micros history_retention() noexcept;
int max_payload_bytes() noexcept;
int rescue_limit() noexcept;
int rescue_scan_limit() noexcept;

// Maintenance: how often its duties look, when a ring is short of room, and when each turns.
bool autostart() noexcept;
core::Micros duty_interval() noexcept;
core::Micros retention_interval() noexcept;
int empty_slots() noexcept;
core::TurnLimits claim_turn() noexcept;
core::TurnLimits lease_turn() noexcept;
core::TurnLimits queue_turn() noexcept;

}  // namespace awa::pg
