// The steps of a duty that takes more than one transaction: each runs in a transaction of its own, with the rights of the
// extension's owner, and is committed.
#pragma once

#include "pg/keys.hpp"
#include "pg/procedure.hpp"
#include "pg/subtransaction.hpp"
#include "pg/transaction.hpp"

namespace awa::rescue {

// What an error in a step does.
enum class OnError : std::uint8_t {
  raise,  // goes on its way
  keep,   // undoes the step, is kept, and ends the duty: other duties go on
};

class Steps {
 public:
  // No step begins after `until`.
  Steps(pg::Procedure &procedure, OnError on_error, core::Micros until) noexcept
      : procedure_(procedure), on_error_(on_error), until_(until) {}

  // Runs a step. Returns whether it was run, and well. Locks that others hold are not waited for beyond a second.
  template <typename Work>
  bool run(Work &&work) {
    if (failure_ != nullptr || out_of_time()) return false;
    {
      const pg::AsOwner owner;
      const pg::LockTimeoutScope bounded(kLongestWait);
      if (on_error_ == OnError::keep) {
        failure_ = pg::failure_in_subtransaction(work);
      } else {
        work();
      }
    }
    procedure_.commit();
    return failure_ == nullptr;
  }

  const ErrorData *failure() const noexcept { return failure_; }
  bool out_of_time() const noexcept { return pg::now() >= until_; }

 private:
  static constexpr int kLongestWait = 1000;  // milliseconds

  pg::Procedure &procedure_;
  OnError const on_error_;
  core::Micros const until_;
  const ErrorData *failure_ = nullptr;
};

}  // namespace awa::rescue
