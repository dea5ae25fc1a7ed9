// Told whenever attempts or jobs end: what is bound to them ends in the same transaction.
//
// One listener can be installed, when the library is loaded. Without one, telling costs a test of a pointer. It is called
// under the keys of the attempts (under the lane, for a job that waited), when the rows of their end are written, and may
// raise: then nothing has ended. Going on elsewhere (materialising, evicting, carrying, moving) is no end.
#pragma once

#include <span>

#include "core/containers.hpp"
#include "core/ids.hpp"

namespace awa::receipt {

// What becomes of the job with it.
enum class JobFate : std::uint8_t {
  goes_on,  // it will be, or can be, attempted again
  completed,
  failed,
  dead_letter,
  cancelled,
  deleted,
};

struct Ended {
  core::JobId job;
  core::RunLease lease;  // of the attempt that ended; zero = the job was not being attempted
  JobFate fate;
};

// Whether it may wait for those who are at something that is bound to an attempt or a job: maintenance does not (55P03).
enum class EndPatience : std::uint8_t { waits, tries };

using EndListener = void (*)(std::span<const Ended> ended, EndPatience patience, core::Memory &memory);

// Called once, when the library is loaded.
void install_end_listener(EndListener listener) noexcept;

// Whether anybody listens: whoever ends many gathers them only then.
bool has_end_listener() noexcept;

// Tells the listener, if there is one.
void tell_ended(std::span<const Ended> ended, core::Memory &memory, EndPatience patience = EndPatience::waits);

}  // namespace awa::receipt
