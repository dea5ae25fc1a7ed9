// The low-water mark of deferred jobs: promotion looks for due jobs from there on.
//
// Without it the look for the first due job wades through the index entries of all that were promoted before, for as long
// as some old snapshot keeps vacuum from removing them. No deferred job has an earlier run_at than the mark, neither one that
// is committed nor one of a transaction that has not ended: jobs are deferred to a time that is yet to come, so who comes
// later is not concerned, and who was writing when the look was taken is waited for before the mark moves.
//
// The mark is the value of a sequence that is only ever written exactly: not transactional, no dead rows. Zero = unknown.
// What a session found and cannot be sure of yet is kept in its memory. A mark that is too low costs time; one that is too
// high would hide jobs: each pass looks at a few rows below it, round and round, and finds what was loaded past the verbs or
// deferred while the clock was set back.
#pragma once

#include "core/ids.hpp"
#include "pg/cached_table.hpp"
#include "pg/writers.hpp"

namespace awa::queue {

class LowWater {
 public:
  // Begins a pass of promotion over `deferred`, whose lock is held. Call it before taking the snapshot of the look.
  LowWater(const pg::OpenTable &deferred, core::Micros now);

  // Where the look begins.
  core::Micros from() const noexcept { return from_; }

  // No job that the look saw is due before `first`; on its way it passed `dead` rows that nobody is to see again.
  void saw_none_before(core::Micros first, std::size_t dead);

  // This transaction takes away whatever is due before `time`: it is so when it has committed.
  void takes_all_before(core::Micros time);

  // Forgets the mark: rows were loaded past the verbs.
  static void reset();

 private:
  void recall();
  void look_below(const pg::OpenTable &deferred);
  void write(core::Micros mark);

  Oid const sequence_;
  core::Micros const now_;
  core::Micros mark_;
  core::Micros from_;
  pg::Writers writers_;
};

}  // namespace awa::queue
