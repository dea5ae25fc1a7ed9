// Attempts that end without success by their workers' word: failed, put off, given back.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/job_state.hpp"
#include "outcome/departures.hpp"
#include "receipt/held_attempts.hpp"

namespace awa::outcome {

// What a worker says of its failure.
struct Failed {
  std::string_view error;
  bool terminal = false;
  std::optional<core::Micros> retry_after = std::nullopt;
};

// Where a failed attempt goes, decided by the policy of its queue; its body is made to say so.
Departure failure_of(receipt::Attempt &attempt, std::size_t place, const Failed &failed,
                     const core::RetryPolicy &policy, core::Micros now);

// Ends the attempts of `receipts`, which are sorted and distinct, as failures; failures[i] is that of receipts[i]. Sets
// states[i] to where the job went: retryable, failed, dead_letter, or cancelled when it lost its unique key; nothing =
// the receipt is stale. The transaction must be writable. Errors: 55P03, 40P01.
void fail(std::span<const core::Receipt> receipts, std::span<const Failed> failures,
          std::span<std::optional<core::JobState>> states, core::Memory &memory);

// The same for attempts that are held, with their bodies.
void fail(receipt::HeldAttempts &held, std::span<const Failed> failures,
          std::span<std::optional<core::JobState>> states, core::Memory &memory);

// Puts the job of the receipt off; the attempt does not count. Returns false when the receipt is stale.
bool snooze(const core::Receipt &receipt, core::Micros delay, core::Memory &memory);

// Gives the jobs of the receipts, sorted and distinct, back to their lanes; the attempts do not count. Returns how many.
std::int32_t release(std::span<const core::Receipt> receipts, core::Memory &memory);

}  // namespace awa::outcome
