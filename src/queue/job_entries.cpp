#include "queue/job_entries.hpp"

#include <tuple>

#include "pg/index_reader.hpp"
#include "pg/transaction.hpp"

namespace awa::queue {

JobEntries::JobEntries(core::Memory &memory) : memory_(memory), plane_(memory) {
  for (int slot = 0; slot < core::kQueueSlots; ++slot) {
    entries_[static_cast<std::size_t>(slot)].emplace(ring::ready_entries_leaf({slot}), AccessShareLock);
  }
}

core::Vec<JobEntry> JobEntries::not_tombstoned(std::span<const core::JobId> jobs, const pg::FreshSnapshot &snapshot) {
  namespace column = ring::ready_entries;
  plane_.look_anew();
  core::Vec<JobEntry> found(memory_);
  for (const auto &leaf : entries_) {
    if (leaf->has_no_blocks()) continue;
    for (const core::JobId job : jobs) {
      ScanKeyData keys[] = {pg::key_equal(1, job.value)};
      pg::walk(*leaf, leaf->index(column::by_job), snapshot.get(), keys, [&](const pg::Row &row) {
        found.push_back({{row.int4(column::lane_id)}, entry_of(row, {leaf->slot()})});
        return pg::Walk::on;
      });
    }
    pg::check_for_interrupts();
  }
  found.erase(
      std::remove_if(found.begin(), found.end(),
                     [&](const JobEntry &each) { return plane_.is_tombstoned(each.lane, each.entry, snapshot); }),
      found.end());
  return found;
}

void JobEntries::drop_emitted(core::Vec<JobEntry> &entries, const pg::FreshSnapshot &snapshot) {
  const auto home = [](const JobEntry &each) { return std::tuple(each.entry.slot, each.lane); };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const JobEntry &a, const JobEntry &b) { return home(a) < home(b); });
  core::RangeSet emitted(memory_);
  const JobEntry *of = nullptr;
  const auto was_emitted = [&](const JobEntry &each) {
    if (of == nullptr || home(*of) != home(each)) emitted = plane_.emitted(each.lane, each.entry.slot, snapshot);
    of = &each;
    return core::contains(emitted, each.entry.position.seq.value);
  };
  core::Vec<JobEntry> left(memory_);
  for (const JobEntry &each : entries) {
    if (!was_emitted(each)) left.push_back(each);
  }
  entries = std::move(left);
}

void JobEntries::unlock_all() {
  plane_.unlock_all();
  for (auto &leaf : entries_) leaf->unlock();
}

}  // namespace awa::queue
