// Completion: ends the attempts of receipts as successes.
#pragma once

#include <span>

#include "core/receipt.hpp"
#include "pg/guard.hpp"

namespace awa::receipt {

enum class Strictness : std::uint8_t {
  lenient,  // a stale receipt is counted out
  strict,   // a stale receipt raises AW001
};

// A result to keep with a completed job: a jsonb, or none.
struct Result {
  Datum value = 0;
  bool given = false;
};

// Completes the attempts of `receipts`, which are sorted and distinct, and sets completed[i] for each that was completed
// now. `results` is empty or runs in parallel. The transaction must be writable. Steps: keys, then the leaves of the claim
// slots, then a fresh snapshot, then claims and closures, then the rows of closure and history.
// Errors: AW001 (strict), 55P03 and 40P01 from the keys.
void complete(std::span<const core::Receipt> receipts, std::span<const Result> results, Strictness strictness,
              std::span<bool> completed, core::Memory &memory);

}  // namespace awa::receipt
