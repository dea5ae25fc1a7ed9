// The low-water mark of deferred jobs: promotion looks for due jobs from there on.
//
// Without it the look for the first due job wades through the index entries of all that were promoted before, for as long
// as some old snapshot keeps vacuum from removing them. No deferred job is due before the mark, neither one that is
// committed nor one of a transaction that has not ended. Jobs are deferred to a time that is yet to come when the table is
// locked for it; so whoever locks it after a pass defers to a time after that pass, and of those who had it locked during a
// pass each is watched: when it has ended, the look begins once more where its jobs may be. A job whose time has come before
// it could be deferred, since something was waited for, resets the mark.
//
// The mark is in the value of a sequence that is only ever written exactly: not transactional, no dead rows. What a session
// knows beyond it is kept in its memory. Rows that come past the verbs reset the mark (a trigger), and so does a clock that
// was set back; the value counts the resets, so that each session forgets what it knew. A mark that is too low costs time and
// nothing else.
#pragma once

#include "core/ids.hpp"
#include "pg/cached_table.hpp"

namespace awa::queue {

class LowWater {
 public:
  // Begins a pass of promotion over `deferred`, whose lock is held. Call it before taking the snapshot of the look.
  LowWater(const pg::OpenTable &deferred, core::Micros now);

  // Where the look begins.
  core::Micros from() const noexcept { return from_; }

  // No job that the look saw is due before `first`; on its way it passed `dead` rows that nobody is to see again.
  void saw_none_before(core::Micros first, std::size_t dead);

  // This transaction takes `count` jobs away, all that are due from `first` on and before `before`.
  void takes_all(core::Micros first, core::Micros before, std::size_t count);

  // Forgets the mark. Errors: 42501 when the current user may not change it.
  static void reset();

 private:
  void recall();
  void watch(Oid deferred);

  core::Micros const now_;
  core::Micros mark_ = 0;
  core::Micros from_ = 0;
};

}  // namespace awa::queue
