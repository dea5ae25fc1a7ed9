// The steps of a duty that takes more than one transaction: each runs in a transaction of its own, with the rights of the
// extension's owner, and is committed.
#pragma once

#include "pg/as_owner.hpp"
#include "pg/keys.hpp"
#include "pg/procedure.hpp"
#include "pg/snapshot.hpp"
#include "pg/subtransaction.hpp"
#include "pg/transaction.hpp"

namespace awa::rescue {

// What an error in a step does.
enum class OnError : std::uint8_t {
  raise,  // goes on its way
  keep,   // undoes the step, is kept, and ends the duty: other duties go on
};

// Whether steps are taken by whoever calls, or by the leader of maintenance alone.
enum class Leader : std::uint8_t { not_asked, required };

constexpr pg::Key kLeaderKey{pg::KeyClass::leader, 0};

// What is done before each step, in transactions of its own: something that must not wait for the end of a long duty.
struct Between {
  void (*look)(void *argument) = nullptr;
  void *argument = nullptr;
};

class Steps {
 public:
  // No step begins after `until`. With a leader required each step holds the key of the leader, which it tries.
  Steps(pg::Procedure &procedure, OnError on_error, core::Micros until, Leader leader = Leader::not_asked,
        Between between = {}) noexcept
      : procedure_(procedure), on_error_(on_error), until_(until), leader_(leader), between_(between) {}

  // Runs a step. Returns whether it was run, and well. Locks that others hold are not waited for beyond a second.
  template <typename Work>
  bool run(Work &&work) {
    if (failure_ != nullptr || not_leader_ || out_of_time()) return false;
    if (between_.look != nullptr) between_.look(between_.argument);
    not_leader_ = !procedure_.may_go_on() ||
                  (leader_ == Leader::required && !pg::try_lock(kLeaderKey, pg::LockStrength::exclusive));
    if (!not_leader_) {
      const pg::ActiveSnapshot snapshot;
      const pg::AsOwner owner;
      const pg::LockTimeoutScope bounded(kLongestWait);
      if (on_error_ == OnError::keep) {
        failure_ = pg::any_failure_in_subtransaction(work);
      } else {
        work();
      }
    }
    procedure_.commit();
    return failure_ == nullptr && !not_leader_;
  }

  const ErrorData *failure() const noexcept { return failure_; }
  // Another session does maintenance, or this one is to leave.
  bool not_leader() const noexcept { return not_leader_; }
  bool out_of_time() const noexcept { return pg::now() >= until_; }

 private:
  static constexpr int kLongestWait = 1000;  // milliseconds

  pg::Procedure &procedure_;
  OnError const on_error_;
  core::Micros const until_;
  Leader const leader_;
  Between const between_;
  bool not_leader_ = false;
  const ErrorData *failure_ = nullptr;
};

}  // namespace awa::rescue
