// Enqueueing: appends jobs to their lanes. No producer waits for another.
#pragma once

#include <span>
#include <string_view>

#include "core/lane.hpp"
#include "queue/queues.hpp"
#include "ring/job_body.hpp"

namespace awa::queue {

// What a new job does that finds its unique key held.
enum class OnConflict : std::uint8_t {
  raise,    // refuses the call: 23505
  ignore,   // comes to nothing: the holder's id stands for its own
  replace,  // gives the holder its content, if that one waits; else it refuses the call
};

// A job to be, checked. Values are in memory of the call.
struct NewJob {
  core::LaneId lane;
  ring::JobBody body;  // run_at: a time in the future, or anything else for now. created_at is set when it is enqueued
  OnConflict on_conflict = OnConflict::raise;
};

// The shard of a job: by its ordering key, or, without one, the next of this session's turn.
int shard_for(const Queue &queue, std::string_view ordering_key, bool has_ordering_key);

// Enqueues the jobs as one unit and sets ids[i] to the id of jobs[i]: those of a later run_at are deferred, the others are
// appended to their lanes, all after their unique keys were taken. Returns how many were appended. The transaction must be
// writable. Errors: 23505, 40P01, 55P03 from unique keys.
std::size_t enqueue(std::span<NewJob> jobs, std::span<std::int64_t> ids, core::Memory &memory);

// Wakes those who wait for jobs of the queue at commit, and sends a NOTIFY if the queue wants it; not while it is paused.
void notify(const Queue &queue);
void notify(core::QueueId queue);

}  // namespace awa::queue
