// Planted faults: bugs that a test switches on with the setting awa_ring.planted_fault, to see that what should notice them
// does. They exist in builds made with PAUSE_POINTS=1 only; elsewhere AWA_PLANTED(fault) is the constant false.
#pragma once

#ifdef AWA_PAUSE_POINTS

namespace awa::pg {

enum class PlantedFault : int {
  none,
  stale_seal,       // a slot of the queue ring is opened with a seal on it, older than all that will come into it
  heap_overflow,    // containers get a byte less than they asked for
  stack_overrun,    // a byte is written behind an array of the stack
  wild_shift,       // a number is shifted by more bits than it has
  leaked_relation,  // tables that were opened are not closed
  freed_snapshot,   // snapshots are used after they were given back
  // Known defects of a ledger, see docs/conformance.md.
  unchecked_balance,   // a transfer that is left unbalanced is committed
  unguarded_consume,   // what no reservation holds is consumed
  lost_release,        // a release changes nothing and says that it did
  forgotten_request,   // what was done under an idempotency key is not written down
  shared_gate,         // who must be alone with an account lets others in
  request_by_content,  // requests without a key are the same if they look the same
  one_posting,         // payers see only one posting that suffices, whoever is at it
  unwritten_version,   // an account changes, and its versions do not tell
  empty_hold,          // a hold for which there was no money is remembered all the same
  timeless_hold,       // a hold does not keep until when it is good
  deaf_ledger,         // holds do not end with the attempts and jobs that they are bound to
};

void define_planted_fault_setting();
bool is_planted(PlantedFault fault) noexcept;

// Where a verb begins: commits those faults that need no place of their own.
void commit_planted_fault() noexcept;

}  // namespace awa::pg

#define AWA_PLANTED(fault) ::awa::pg::is_planted(::awa::pg::PlantedFault::fault)
#define AWA_COMMIT_PLANTED_FAULT() ::awa::pg::commit_planted_fault()

#else

#define AWA_PLANTED(fault) false
#define AWA_COMMIT_PLANTED_FAULT() static_cast<void>(0)

#endif
