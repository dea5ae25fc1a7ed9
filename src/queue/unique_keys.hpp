// Unique keys in force: a job holds its key within its queue while it is in one of the states of its mask.
//
// The table job_unique_claims decides: a row is a key in force. Whoever changes the state of a job calls change_state, in the
// transaction of the change and after it took the job's lane or attempt key. Giving up never waits. Taking waits for a
// transaction that is about to take or give up the same key (as an INSERT into a unique index waits), and tells who holds it
// if somebody does: what becomes of the job then is the caller's business. Two transactions that take two keys in opposite orders can deadlock (40P01).
#pragma once

#include <optional>
#include <span>

#include "core/containers.hpp"
#include "core/ids.hpp"
#include "core/job_state.hpp"
#include "ring/job_body.hpp"

namespace awa::queue {

// A job and its key. Without a key nothing ever changes.
struct KeyOwner {
  core::JobId job{};
  core::QueueId queue{};
  Datum key = 0;  // text; 0 = none
  core::StateMask states = 0;

  KeyOwner() = default;
  KeyOwner(core::JobId of_job, core::QueueId of_queue, const ring::JobBody &body) noexcept
      : job(of_job), queue(of_queue), key(body.unique_key), states(body.unique_states) {}
};

enum class KeyPatience : std::uint8_t {
  waits,  // for transactions that have not ended, as an INSERT does
  tries,  // maintenance: does not wait; the key is then busy
};

struct KeyOutcome {
  enum class Word : std::uint8_t {
    unchanged,  // kept, or not wanted before and after
    given_up,
    taken,
    held,  // not taken: `holder` has it, and that is committed, or done in this transaction
    busy,  // not taken: a transaction that has not ended is about to take it or to give it up (tries)
  };
  Word word = Word::unchanged;
  core::JobId holder{0};  // if held

  bool refused() const noexcept { return word == Word::held || word == Word::busy; }
};

// The job leaves state `from` (nullopt = it is new) for state `to` (nullopt = it is gone): keeps, gives up or takes its key.
// The transaction must be writable. Errors: 40P01; 55P03 from lock_timeout.
KeyOutcome change_state(const KeyOwner &owner, std::optional<core::JobState> from, std::optional<core::JobState> to,
                        KeyPatience patience);

// Takes keys for jobs that enter a state of their masks: owners are sorted by queue and bytes of the key, each key once. Waits
// as change_state does. Sets holders[i] to who has key i then: owners[i].job if it was taken.
void take_keys(std::span<const KeyOwner> owners, std::span<core::JobId> holders, core::Memory &memory);

// Sets holders[i] to who holds key i now, without waiting; zero = nobody that can be seen.
void find_holders(std::span<const KeyOwner> owners, std::span<core::JobId> holders, core::Memory &memory);

// Why a job was cancelled that came back to a state in which it needs its key, and found it held.
const char *reason_of_loss(core::JobId holder);

// Raises 23505: the key is held. For calls of clients.
[[noreturn]] void refuse_held(const KeyOwner &owner, core::JobId holder);

}  // namespace awa::queue
