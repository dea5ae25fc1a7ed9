// The payload of a job: metadata and tags, as enqueued; errors, progress and callback_result, as its attempts left them. What
// an attempt's end changes in it.
#pragma once

#include <optional>
#include <string_view>

#include "core/ids.hpp"
#include "pg/guard.hpp"

namespace awa::receipt {

constexpr int kMostErrors = 25;       // kept of a job, the newest
constexpr int kLongestError = 8'000;  // bytes kept of the text of one

// An entry of errors.
struct ErrorEntry {
  std::string_view text;  // cut to kLongestError bytes, at the end of a character
  int attempt;            // number of the attempt that met it
  core::Micros at;
  bool terminal;  // it ended the job
};

struct PayloadChange {
  std::optional<ErrorEntry> error = std::nullopt;  // to append
  Datum progress = 0;                              // jsonb to keep instead of the old; 0 = as it is
  bool forget_progress = false;
  bool forget_callback_result = false;
  Datum callback_result = 0;  // jsonb to keep instead of the old; 0 = as it is
};

// The payload with the change made: a jsonb object in the current context, or 0 when nothing is left. `payload` is a jsonb
// object or 0. A change that changes nothing gives the payload back.
Datum changed_payload(Datum payload, const PayloadChange &change);

}  // namespace awa::receipt
