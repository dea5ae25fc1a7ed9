// Creating, changing, pausing, purging and dropping queues: the cold path, in SQL.
#pragma once

#include <string_view>

#include "core/containers.hpp"
#include "pg/guard.hpp"
#include "queue/queues.hpp"

namespace awa::queue {

// The settings of a queue as given in a call; a value is a Datum of its column's type, or null.
struct QueueSettings {
  static constexpr int kCount = 11;
  Datum values[kCount];
  bool nulls[kCount];
};

// False when a queue of that name exists already: it stays as it is.
bool create_queue(std::string_view name, const QueueSettings &settings);

// Null = unchanged. Returns whether anything changed. Errors: 42704.
bool alter_queue(std::string_view name, const QueueSettings &settings);

// Return whether the state changed. Errors: 42704.
bool pause_queue(std::string_view name);
bool resume_queue(std::string_view name);

// Cancels every job that waits, on a lane or for a time, and is committed or enqueued by this transaction. Returns how many.
// Errors: 42704; 55P03 when a lane, or a job, stayed busy for awa_ring.claim_wait.
std::int32_t purge_queue(std::string_view name, core::Memory &memory);

// Drops a queue in two steps, so that something can be done to its jobs between them: no job comes to the queue, and none
// leaves its lanes, from the first on until the transaction ends.
// Errors: 42704; 55006 a transaction is producing for it; 55P03 when a lane stayed busy for awa_ring.claim_wait.
Queue hold_to_drop(std::string_view name);
// Errors: 55006 when the queue has unfinished jobs.
void drop_held(const Queue &queue, std::string_view name);

}  // namespace awa::queue
