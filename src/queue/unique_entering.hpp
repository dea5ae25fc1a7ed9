// New jobs with unique keys: which of a call's jobs come in, which are there already, and which take the place of a job that
// waits.
#pragma once

#include <span>

#include "queue/enqueue.hpp"
#include "queue/unique_keys.hpp"
#include "queue/waiting_jobs.hpp"

namespace awa::queue {

// What becomes of a new job.
struct Entrance {
  enum class Way : std::uint8_t {
    enters,    // under its own id
    ignored,   // `holder` holds its key
    replaces,  // its content becomes that of `holder`, which waits and is held
    merged,    // jobs[first] of the same call has its key; that one's id is its own
  };
  Way way = Way::enters;
  core::JobId holder{};
  std::size_t first = 0;
};

class UniqueEntering {
 public:
  explicit UniqueEntering(core::Memory &memory) : memory_(memory), held_(memory) {}

  // Takes the keys of those jobs that enter a state which holds their key: jobs[i] under ids[i], scheduled if its run_at is
  // later than `now`. Sets entrances[i]. A later job of the call with the key of an earlier one meets that one as it would
  // meet any holder, and may change its content. Errors: 23505, 40P01, 55P03.
  void decide(std::span<NewJob> jobs, std::span<const std::int64_t> ids, core::Micros now,
              std::span<Entrance> entrances);

  // The job that holds a key and is to be replaced.
  const WaitingJob &held(core::JobId job) const { return *find_held(job); }

 private:
  Entrance meet(const NewJob &job, const KeyOwner &owner, core::JobId holder);
  void hold(std::span<const core::JobId> holders);
  const WaitingJob *find_held(core::JobId job) const;

  core::Memory &memory_;
  core::Vec<WaitingJob> held_;
};

}  // namespace awa::queue
