#include "queue/cancelled_rows.hpp"

#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "pg/transaction.hpp"
#include "ring/generation.hpp"

namespace awa::queue {

namespace {

namespace column = ring::done_entries;

constexpr std::string_view kCancelled = core::name_of(core::JobState::cancelled);

struct Cancelled {
  const WaitingJob *job;
  Datum payload;  // 0 = as it was
};

void set_end(pg::NewRow row, const WaitingJob &job, int slot, core::Micros now) {
  row.set(column::ready_slot, pg::datum(slot));
  row.set(column::lane_id, pg::datum(job.lane));
  row.set(column::job_id, pg::datum(job.job));
  row.set(column::run_lease, pg::datum(job.body.last_lease));
  row.set(column::lane_seq, pg::datum(job.seq));
  row.set(column::finalized_at, pg::datum(now));
  row.set(column::attempt, pg::datum(job.body.attempts_used));
  row.set(column::state, pg::text_datum(kCancelled));
  row.set(column::outcome, pg::text_datum(kCancelled));
}

void write_narrow(std::span<const Cancelled> rows, core::Micros now) {
  // An entry that waits keeps its slot.
  const pg::OpenTable leaf(ring::done_entries_leaf(rows[0].job->slot), RowExclusiveLock);
  pg::append_many(leaf, rows.size(), [&](std::size_t index, pg::NewRow row) {
    set_end(row, *rows[index].job, leaf.slot(), now);
    if (rows[index].payload != 0) row.set(column::payload, rows[index].payload);
  });
}

void write_wide(std::span<const Cancelled> rows, core::Micros now) {
  const ring::CurrentLeaf leaf = ring::open_current(ring::Ring::queue, ring::done_entries_leaf);
  pg::append_many(leaf.table, rows.size(), [&](std::size_t index, pg::NewRow row) {
    ring::JobBody body = rows[index].job->body;
    if (rows[index].payload != 0) body.payload = rows[index].payload;
    ring::set_body(row, ring::kDoneBody, body);
    set_end(row, *rows[index].job, leaf.table.slot(), now);
  });
}

}  // namespace

void write_cancelled(std::span<const WaitingJob> jobs, std::span<const Datum> payloads, core::Memory &memory) {
  // Those of deferred jobs last, the others slot by slot.
  const auto home = [](const Cancelled &row) { return row.job->has_entry() ? row.job->slot.value : core::kQueueSlots; };
  core::Vec<Cancelled> rows(memory);
  rows.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) rows.push_back({&jobs[i], payloads.empty() ? Datum{0} : payloads[i]});
  std::stable_sort(rows.begin(), rows.end(), [&](const Cancelled &a, const Cancelled &b) { return home(a) < home(b); });
  const core::Micros now = pg::now();
  for (std::span<const Cancelled> rest(rows.data(), rows.size()); !rest.empty();) {
    std::size_t count = 1;
    while (count < rest.size() && home(rest[count]) == home(rest[0])) ++count;
    if (home(rest[0]) == core::kQueueSlots) {
      write_wide(rest.first(count), now);
    } else {
      write_narrow(rest.first(count), now);
    }
    rest = rest.subspan(count);
  }
}

}  // namespace awa::queue
