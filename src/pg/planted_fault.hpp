// Planted faults: bugs that a test switches on with the setting awa_ring.planted_fault, to see that what should notice them
// does. They exist in builds made with PAUSE_POINTS=1 only; elsewhere AWA_PLANTED(fault) is the constant false.
#pragma once

#ifdef AWA_PAUSE_POINTS

namespace awa::pg {

enum class PlantedFault : int {
  none,
  stale_seal,  // a slot of the queue ring is opened with a seal on it, older than all that will come into it
};

void define_planted_fault_setting();
bool is_planted(PlantedFault fault) noexcept;

}  // namespace awa::pg

#define AWA_PLANTED(fault) ::awa::pg::is_planted(::awa::pg::PlantedFault::fault)

#else

#define AWA_PLANTED(fault) false

#endif
