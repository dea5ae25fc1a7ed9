#include "receipt/done_rows.hpp"

#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "ring/generation.hpp"

namespace awa::receipt {

namespace {

namespace column = ring::done_entries;

void set_end(pg::NewRow row, const DoneRow &done, core::Slot slot, core::Micros now) {
  const Attempt &attempt = *done.attempt;
  row.set(column::ready_slot, pg::datum(slot));
  row.set(column::lane_id, pg::datum(attempt.lane));
  row.set(column::job_id, pg::datum(attempt.receipt.job));
  row.set(column::run_lease, pg::datum(attempt.receipt.lease));
  row.set(column::lane_seq, pg::datum(attempt.seq));
  row.set(column::finalized_at, pg::datum(now));
  row.set(column::claimed_at, pg::datum(attempt.claimed_at));
  row.set(column::attempt, pg::datum(attempt.number));
  row.set(column::state, pg::text_datum(core::name_of(done.state)));
  row.set(column::outcome, pg::text_datum(core::word_of(done.outcome)));
  if (done.result != 0) row.set(column::result, done.result);
}

void write_narrow(std::span<const DoneRow> rows, core::Micros now) {
  const core::Slot slot = rows.front().attempt->ready_slot;
  const pg::OpenTable leaf(ring::done_entries_leaf(slot), RowExclusiveLock);
  pg::append_many(leaf, rows.size(), [&](std::size_t index, pg::NewRow row) {
    const Attempt &attempt = *rows[index].attempt;
    set_end(row, rows[index], slot, now);
    if (attempt.body.payload != attempt.entry_payload) row.set(column::payload, attempt.body.payload);
  });
}

void write_wide(std::span<const DoneRow> rows, core::Micros now) {
  const ring::CurrentLeaf leaf = ring::open_current(ring::Ring::queue, ring::done_entries_leaf);
  pg::append_many(leaf.table, rows.size(), [&](std::size_t index, pg::NewRow row) {
    ring::set_body(row, ring::kDoneBody, rows[index].attempt->body);
    set_end(row, rows[index], {leaf.table.slot()}, now);
  });
}

}  // namespace

void write_done(std::span<const DoneRow> rows, core::Micros now, core::Memory &memory) {
  // Those of leases last, the others slot by slot.
  const auto home = [](const DoneRow &row) {
    return row.attempt->kept == Kept::in_lease ? core::kQueueSlots : row.attempt->ready_slot.value;
  };
  core::Vec<DoneRow> sorted(rows, memory);
  std::stable_sort(sorted.begin(), sorted.end(), [&](const DoneRow &a, const DoneRow &b) { return home(a) < home(b); });
  for (std::span<const DoneRow> rest = sorted; !rest.empty();) {
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

}  // namespace awa::receipt
