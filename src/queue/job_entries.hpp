// The entries of single jobs, over all slots: which of them still wait.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "queue/ready_plane.hpp"

namespace awa::queue {

struct JobEntry {
  core::LaneId lane;
  Entry entry;
};

class JobEntries {
 public:
  // Keeps the slots from being emptied until unlock_all: snapshots taken after that miss nothing that moves.
  explicit JobEntries(core::Memory &memory);

  // The entries of the jobs that are not tombstoned. They may have been handed out.
  core::Vec<JobEntry> not_tombstoned(std::span<const core::JobId> jobs, const pg::FreshSnapshot &snapshot);

  // Drops those that were handed out. The lanes of the entries are locked, and the snapshot is younger than that.
  void drop_emitted(core::Vec<JobEntry> &entries, const pg::FreshSnapshot &snapshot);

  void unlock_all();

 private:
  core::Memory &memory_;
  ReadyPlane plane_;
  std::array<std::optional<pg::OpenTable>, core::kQueueSlots> entries_;
};

}  // namespace awa::queue
