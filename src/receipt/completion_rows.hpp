// The rows of a completion: closures, one compact history row a lane and slot, one done_entries row for each job that has a
// result, or that is the only one; and the unique keys that its jobs give up. A history row's id is the least receipt it ends: no
// other has it.
#pragma once

#include <span>

#include "core/containers.hpp"
#include "receipt/closure_rows.hpp"
#include "receipt/completion.hpp"

namespace awa::receipt {

class CompletionRows {
 public:
  explicit CompletionRows(core::Memory &memory)
      : memory_(memory), closures_(memory), successes_(memory), keyed_jobs_(memory) {}

  // Notes that of `members`, handles of one claim, those that are open end now.
  void add(const StoredBatch &claim, std::span<const core::Receipt> members, std::span<const bool> open,
           std::span<const Result> results);

  // Appends what was noted, of claims that `claims` showed.
  void write(const OpenClaims &claims, core::Micros now);

 private:
  // A completed job, with what places it in history.
  struct Success {
    core::Slot ready_slot;
    core::LaneId lane;
    core::Slot claim_slot;
    core::Generation ready_generation;
    std::int64_t receipt;
    std::int64_t job;
    std::int64_t lease;
    std::int64_t seq;
    std::int16_t attempt;
    core::Micros claimed_at;
    Result result;
  };

  void write_history(core::Micros now);
  void write_compact(std::span<const Success> successes, core::Micros now);
  void write_rows(std::span<const Success> successes, core::Micros now);

  core::Memory &memory_;
  ClosureRows closures_;
  core::Vec<Success> successes_;
  core::Vec<std::int64_t> keyed_jobs_;
};

}  // namespace awa::receipt
