// Waiting for somebody outside: an attempt leaves the rings with a token, and whoever has the token ends it.
//
// Token and receipt end the same attempt: whichever comes first, the other is told that it is over.
#pragma once

#include <optional>

#include "outcome/giving_back.hpp"
#include "receipt/leases.hpp"

namespace awa::outcome {

// Lets the attempt wait for a callback, for at most `timeout`. Returns its token, or nothing when the receipt is stale. An
// attempt that waits already keeps its token and waits anew. The transaction must be writable.
std::optional<receipt::CallbackId> wait_external(const core::Receipt &receipt, core::Micros timeout,
                                                 core::Memory &memory);

enum class Resumption : std::uint8_t {
  completes,  // the job is completed, `result` is its result
  resumes,    // the job goes back to its lane, and its next claim shows `result`; the attempt does not count
};

// All of these return false, or nothing, when nobody waits for the token. `result` is jsonb or 0.
bool complete_external(const receipt::CallbackId &token, Datum result, Resumption resumption, core::Memory &memory);
std::optional<core::JobState> fail_external(const receipt::CallbackId &token, const Failed &failed,
                                            core::Memory &memory);
// Back to its lane at once; the attempt counts. The state is available, or where a job without attempts left goes.
std::optional<core::JobState> retry_external(const receipt::CallbackId &token, core::Memory &memory);
// The wait ends `timeout` from now.
bool extend_external(const receipt::CallbackId &token, core::Micros timeout, core::Memory &memory);

}  // namespace awa::outcome
