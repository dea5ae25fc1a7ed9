#include "ledger/bound_holds.hpp"

#include "ledger/hold_keys.hpp"
#include "ledger/live_postings.hpp"
#include "ledger/tables.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/index_reader.hpp"
#include "pg/planted_fault.hpp"
#include "pg/table_locks.hpp"
#include "pg/transaction.hpp"

namespace awa::ledger {

namespace {

using receipt::Ended;
using receipt::EndPatience;
using receipt::JobFate;

// Entries of the index between the first and the last of the jobs that are walked past, before each job is looked for by itself:
// some, and so many for each job as walking past them costs less than looking for the job.
constexpr std::size_t kGlance = 64;
constexpr std::size_t kGlanceEach = 2;

struct Bound {
  explicit Bound(core::Memory &memory) : to_attempts(memory), to_jobs(memory) {}
  core::Vec<std::int64_t> to_attempts;  // reservations; the attempts' keys guard them
  core::Vec<std::int64_t> to_jobs;
};

bool is_before(const Ended &a, const Ended &b) noexcept { return a.job < b.job; }

class Looking {
 public:
  Looking(std::span<const Ended> ended, core::Memory &memory) : ended_(ended, memory), memory_(memory) {}

  Bound look() {
    Bound found(memory_);
    // The keys are held: no hold comes to be bound to any of them.
    const pg::OpenTable table(open_holds::table(), AccessShareLock);
    if (table.has_no_blocks()) return found;
    std::sort(ended_.begin(), ended_.end(), is_before);
    const pg::FreshSnapshot snapshot;
    ScanKeyData glance[] = {pg::key_at_least(1, ended_.front().job.value), pg::key_at_most(1, ended_.back().job.value)};
    const std::size_t most = kGlance + kGlanceEach * ended_.size();
    if (walk(table, snapshot, glance, most, found) < most) return found;
    found.to_attempts.clear();
    found.to_jobs.clear();
    core::Vec<std::int64_t> jobs(memory_);
    jobs.reserve(ended_.size());
    for (const Ended &each : ended_) jobs.push_back(each.job.value);
    jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
    ScanKeyData each[] = {pg::key_any_of(1, pg::int8_array(jobs))};
    walk(table, snapshot, each, std::numeric_limits<std::size_t>::max(), found);
    return found;
  }

 private:
  std::size_t walk(const pg::OpenTable &table, const pg::FreshSnapshot &snapshot, std::span<ScanKeyData> keys,
                   std::size_t most, Bound &found) const {
    namespace column = open_holds;
    return pg::walk_entries(table, table.index(column::by_job), snapshot.get(), keys, most, ForwardScanDirection,
                            [&](const pg::Row &row) {
                              const core::JobId job{row.int8(column::job_id)};
                              const bool is_bound_to_job = row.is_null(column::run_lease);
                              const core::RunLease lease{is_bound_to_job ? 0 : row.int8(column::run_lease)};
                              auto &into = is_bound_to_job ? found.to_jobs : found.to_attempts;
                              if (ends(job, is_bound_to_job, lease)) into.push_back(row.int8(column::reservation));
                              return pg::Walk::on;
                            });
  }

  bool ends(core::JobId job, bool is_bound_to_job, core::RunLease lease) const {
    const auto [first, last] = std::equal_range(ended_.begin(), ended_.end(), Ended{job, {}, {}}, is_before);
    return std::any_of(first, last, [=](const Ended &each) {
      return is_bound_to_job ? each.fate != JobFate::goes_on : each.lease == lease;
    });
  }

  core::Vec<Ended> ended_;
  core::Memory &memory_;
};

[[noreturn]] void refuse_busy(const char *what) {
  pg::raise({.sqlstate = ERRCODE_LOCK_NOT_AVAILABLE,
             .message = pg::format("could not lock %s", what),
             .detail = "Another transaction is at work on it, and maintenance waits for nobody.",
             .hint = "It is tried again."});
}

void take_keys(std::span<const std::int64_t> reservations, EndPatience patience) {
  for (const std::int64_t reservation : reservations) {
    if (patience == EndPatience::waits) {
      lock_hold({reservation});
    } else if (!try_lock_hold({reservation})) {
      refuse_busy(pg::format("hold %lld", static_cast<long long>(reservation)));
    }
  }
}

void keep_rebuild_out(EndPatience patience) {
  if (patience == EndPatience::waits) return lock_live_postings();
  const Oid live = pg::our_relation("live_postings", "awa_ledger");
  if (!pg::try_lock_all({&live, 1}, RowExclusiveLock)) refuse_busy("the live postings");
}

}  // namespace

void end_bound_holds(std::span<const Ended> ended, EndPatience patience, core::Memory &memory) {
  if (AWA_PLANTED(deaf_ledger)) return;
  Bound bound = Looking(ended, memory).look();
  if (bound.to_attempts.empty() && bound.to_jobs.empty()) return;
  std::sort(bound.to_jobs.begin(), bound.to_jobs.end());
  take_keys(bound.to_jobs, patience);
  keep_rebuild_out(patience);
  core::Vec<std::int64_t> &all = bound.to_attempts;
  all.insert(all.end(), bound.to_jobs.begin(), bound.to_jobs.end());
  std::sort(all.begin(), all.end());
  free_holds(all, EndedBy::its_job, pg::now());
}

}  // namespace awa::ledger
