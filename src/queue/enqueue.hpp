// Enqueueing: appends jobs to their lanes. No producer waits for another.
#pragma once

#include <span>
#include <string_view>

#include "core/lane.hpp"
#include "pg/guard.hpp"
#include "queue/queues.hpp"

namespace awa::queue {

// A job to be, checked. Values are in memory of the call.
struct NewJob {
  core::LaneId lane;
  Datum kind;     // text
  Datum args;     // jsonb
  Datum payload;  // jsonb or 0: none
  std::int16_t max_attempts;
};

// The shard of a job: by its ordering key, or, without one, the next of this session's turn.
int shard_for(const Queue &queue, std::string_view ordering_key, bool has_ordering_key);

// Appends the jobs as one unit and sets ids[i] to the id of jobs[i]. The transaction must be writable.
void enqueue(std::span<const NewJob> jobs, std::span<std::int64_t> ids);

// Sends a NOTIFY at commit, if the queue wants it and is not paused.
void notify(const Queue &queue);

}  // namespace awa::queue
