// Appending entries: how a job gets its place on a lane, the first time and whenever it comes back.
#pragma once

#include <span>

#include "core/lane.hpp"
#include "ring/job_body.hpp"

namespace awa::queue {

// Sets ids[i] to numbers of entry_seq that nobody else has: job ids of new jobs, positions on lanes. They rise within a
// session, but not over sessions.
void draw_entry_ids(std::span<std::int64_t> ids);

// A job that is to wait on a lane.
struct NewEntry {
  core::LaneId lane;
  core::LaneSeq seq;  // from draw_entry_ids; a new job's is its id
  core::JobId job;
  const ring::JobBody *body;
  core::Xid xid{};  // of a carried entry: the transaction that made it visible first; zero = this one
};

// Appends the entries in order to the current slot of the queue ring, under this transaction's xid. Takes no lane lock:
// claims see them when the transaction has committed. The transaction must be writable.
void append_entries(std::span<const NewEntry> entries);

}  // namespace awa::queue
