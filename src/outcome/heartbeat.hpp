// Heartbeats: attempts say that they go on, and hear whether they do.
#pragma once

#include <span>

#include "core/receipt.hpp"
#include "pg/guard.hpp"

namespace awa::outcome {

struct Beat {
  enum class Word : std::uint8_t {
    stale,      // over, or of nothing known
    open,       // it goes on; noted
    waiting,    // it waits for a callback; noted
    cancelled,  // somebody cancelled the job: its worker may stop
    busy,       // others were at work on it for too long to tell; nothing was noted
  };
  Word word = Word::stale;
  core::Micros stale_at = 0;  // of open: when it is rescued unless it beats again
};

// Notes heartbeats of the attempts of `receipts`, sorted and distinct, and progress[i] unless it is 0 (jsonb). Waits for
// others at most a second in all, and for none of one attempt to the cost of others. The transaction must be writable.
// Errors: 40P01.
void heartbeat(std::span<const core::Receipt> receipts, std::span<const Datum> progress, std::span<Beat> beats,
               core::Memory &memory);

}  // namespace awa::outcome
