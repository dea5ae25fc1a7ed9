// Attempt keys: whoever closes, moves or extends attempts takes them first, then a fresh snapshot, then reads evidence.
#pragma once

#include <optional>
#include <span>

#include "core/key_plan.hpp"
#include "core/receipt.hpp"

namespace awa::receipt {

// Takes the keys of the receipts (core/key_plan.hpp says which), held until the transaction ends. Coarse keys are only
// tried, never waited for in the lock queue: everybody who came later would wait behind us. `receipts` are sorted and
// distinct. Errors: 55P03 when others held them for awa_ring.key_wait, 40P01 on a deadlock.
void take_attempt_keys(std::span<const core::Receipt> receipts, core::Memory &memory);

// The same for at most `patience`; returns false, with none of them held, when they were not to be had. Errors: 40P01.
bool take_attempt_keys_within(std::span<const core::Receipt> receipts, core::Micros patience, core::Memory &memory);

// Tries the keys once, without any wait: for maintenance. Returns the first that was not to be had, and none of them is held
// then. Many receipts of one batch want its key as a whole: who does not get that may try them one by one.
std::optional<core::AttemptKey> try_attempt_keys(std::span<const core::Receipt> receipts, core::Memory &memory);

// Whether this transaction took attempt keys. It must then only try for lanes: others take a lane first, keys second.
bool holds_attempt_keys() noexcept;

}  // namespace awa::receipt
