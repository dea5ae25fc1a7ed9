// Who waits for jobs of which queues. Seats are in shared memory, one a session; they are there where the library is preloaded,
// and elsewhere nothing here does anything: who waits has to look now and then.
//
// A wake-up is a hint. It may come for nothing, and may not come: COMMIT PREPARED wakes nobody.
#pragma once

#include "pg/guard.hpp"

namespace awa::wake {

// Called once, when the library is loaded: asks for the memory, if it can be had, and watches commits.
void prepare();

// Whether whoever waits is woken.
bool has_seats() noexcept;

// Queues, as far as it matters: several share a bit.
class Queues {
 public:
  void add(core::QueueId queue) noexcept {
    bits_ |= std::uint64_t{1} << (static_cast<std::uint32_t>(queue.value) % 64);
  }
  std::uint64_t bits() const noexcept { return bits_; }

 private:
  std::uint64_t bits_ = 0;
};

// The seat of this session, for a scope.
class Seat {
 public:
  Seat() = default;
  ~Seat();
  Seat(const Seat &) = delete;
  Seat &operator=(const Seat &) = delete;

  // From now on the session's latch is set after commits that bring jobs to one of these queues. To be called before the look
  // whose result is waited upon.
  void wait_for(const Queues &queues);
};

// The transaction brings jobs to the queue: whoever waits for them is woken when it has committed.
void at_commit(core::QueueId queue) noexcept;

}  // namespace awa::wake
