// The duties of maintenance, and one round of them: what CALL awa.maintain() and the background worker run.
//
// A round runs each duty that is due once, in order. Each step of a duty has a transaction of its own, which is committed
// before the next begins; an error in one ends that duty, not the round. Steps are taken by the leader alone: whoever holds
// its key, for the step or, as the worker does, for good.
#pragma once

#include "core/containers.hpp"
#include "core/duty.hpp"
#include "pg/procedure.hpp"

namespace awa::worker {

// What came of a round.
struct Round {
  enum class Word : std::uint8_t {
    done,            // duties ran, and did something
    none,            // nothing was due, or there was nothing to do
    skipped_locked,  // another session does maintenance
    paused,          // every duty is paused
    foreign_load,    // a restore is under way
  };
  Word word = Word::none;
  core::Micros next_due = 0;  // when the next duty is due
};

const char *word_of(Round::Word word) noexcept;

// Runs a round. Errors: a cancel or a shutdown alone.
Round run_due(pg::Procedure &procedure, core::Memory &memory);

}  // namespace awa::worker
