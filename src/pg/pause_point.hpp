// Pause points: named places at which a session waits until a test lets it go on, so that a test can put another session
// exactly there. They exist in builds made with PAUSE_POINTS=1 only; elsewhere a pause point is nothing at all.
//
// The setting awa_ring.pause_at has the names of places, separated by commas. A session that comes to one of them waits
// while another holds pg_advisory_lock(hashtext('the name')); where nobody does it goes on. A name may have a suffix,
// place:word, which gives the lock another number: two sessions at one place are let go one by one.
//
// Waiting takes no snapshot and no transaction id, assigns nothing, and no timeout of ours cuts it short; the lock is given
// back at once. A pause point stands in the C++ room, outside of guarded.
#pragma once

#ifdef AWA_PAUSE_POINTS

#include <string_view>

namespace awa::pg {

// Every place there is, in the order of a job's way.
inline constexpr std::string_view kPausePoints[] = {
    "ring.before_leaf",         // writing into the current slot: the generation was read, the leaf is not locked yet
    "enqueue.before_append",    // ids, slot and transaction id are drawn, no row is written
    "claim.before_lane",        // a lane was chosen by a look without its lock
    "claim.after_lane",         // its lock is held, nothing was read under it
    "claim.before_evidence",    // what is handed out is chosen and proven, nothing was written
    "wait.before_lanes",        // of a job that waits: found, neither its lane nor its row is locked
    "wait.before_look",         // its lane is locked, what it holds was not looked at again
    "wait.before_rows",         // it is held, nothing was written
    "promote.before_rows",      // due jobs are held, nothing was written
    "complete.before_keys",     // nothing was done
    "complete.after_keys",      // the keys are held, the snapshot is not taken
    "complete.before_rows",     // it is known which receipts are open, nothing was written
    "end.before_keys",          // of the other verbs that end or move attempts: nothing was done
    "end.after_keys",           // the keys are held, the snapshot is not taken
    "end.before_rows",          // it is known what is open and what becomes of it; closures were not written
    "rescue.before_keys",       // a sweep has found what looks due, nothing is held
    "rescue.after_keys",        // it holds keys, nothing was read under them
    "evict.before_keys",        // it is known what of a slot is live, nothing is held
    "evict.after_keys",         // it holds keys, nothing was read under them
    "carry.before_lane",        // a lane is known that has something to carry, its lock is not held
    "carry.before_rows",        // its lock is held and what is to be carried was read, nothing was written
    "rotate.before_turn",       // the ring is locked
    "rotate.before_seal",       // the generation has turned, the slot it turned away from has no seal
    "prune.before_locks",       // a slot looks as if nothing live were in it; no lock is held
    "prune.before_recheck",     // ring, slot and leaves are locked
    "prune.before_truncate",    // proven, and locked against readers
    "primitives.before_adopt",  // a transfer of transfer() is met in its transaction, what it spent is not known
    "maintain.before_duty",     // a round has come to a duty that is due; nothing is held
};

// Fails to compile for a name that is not in the list.
consteval std::string_view pause_point(std::string_view place) {
  for (const std::string_view known : kPausePoints) {
    if (known == place) return known;
  }
  throw "there is no such pause point";
}

void define_pause_setting();
void pause_at(std::string_view place);

}  // namespace awa::pg

#define AWA_PAUSE_POINT(place) ::awa::pg::pause_at(::awa::pg::pause_point(place))

#else

#define AWA_PAUSE_POINT(place) static_cast<void>(0)

#endif
