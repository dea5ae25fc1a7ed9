#include "rescue/sweep_cursors.hpp"

#include "pg/datum.hpp"
#include "pg/spi.hpp"
#include "ring/ring_state.hpp"

namespace awa::rescue {

namespace {

constexpr Oid kSlot[] = {INT4OID};
constexpr Oid kSlotAndPosition[] = {INT4OID, TIMESTAMPTZOID, INT8OID, INT8OID};
constexpr Oid kSlotTimeAndBatch[] = {INT4OID, TIMESTAMPTZOID, INT8OID};

constinit pg::Statement read_claimed(
    "SELECT rescue_cursor_claimed_at, rescue_cursor_job_id, rescue_cursor_run_lease FROM awa.claim_ring_slots "
    "WHERE slot = $1",
    kSlot);
constinit pg::Statement read_batch_deadline(
    "SELECT batch_deadline_cursor_deadline_at, batch_deadline_cursor_batch_id, 0::bigint FROM awa.claim_ring_slots "
    "WHERE slot = $1",
    kSlot);
constinit pg::Statement read_row_deadline(
    "SELECT deadline_cursor_deadline_at, deadline_cursor_job_id, deadline_cursor_run_lease FROM awa.claim_ring_slots "
    "WHERE slot = $1",
    kSlot);

constinit pg::Statement write_claimed(
    "UPDATE awa.claim_ring_slots SET rescue_cursor_claimed_at = $2, rescue_cursor_job_id = $3, "
    "rescue_cursor_run_lease = $4 WHERE slot = $1",
    kSlotAndPosition);
constinit pg::Statement write_batch_deadline(
    "UPDATE awa.claim_ring_slots SET batch_deadline_cursor_deadline_at = $2, batch_deadline_cursor_batch_id = $3 "
    "WHERE slot = $1",
    kSlotTimeAndBatch);
constinit pg::Statement write_row_deadline(
    "UPDATE awa.claim_ring_slots SET deadline_cursor_deadline_at = $2, deadline_cursor_job_id = $3, "
    "deadline_cursor_run_lease = $4 WHERE slot = $1",
    kSlotAndPosition);

pg::Statement &reading(Way way) noexcept {
  return way == Way::claimed ? read_claimed : way == Way::batch_deadline ? read_batch_deadline : read_row_deadline;
}

pg::Statement &writing(Way way) noexcept {
  return way == Way::claimed ? write_claimed : way == Way::batch_deadline ? write_batch_deadline : write_row_deadline;
}

}  // namespace

core::SweepPosition cursor_of(core::Slot slot, Way way) {
  const Datum values[] = {pg::datum(slot)};
  pg::Sql sql;
  if (sql.run(reading(way), values) == 0) return core::kSweepStart;
  bool is_null = false;
  const auto number = [&](int column) { return DatumGetInt64(sql.value(0, column, is_null)); };
  return {number(1), number(2), number(3)};
}

void move_cursor(core::Slot slot, Way way, const core::SweepPosition &position) {
  if (!ring::RingState(ring::Ring::claim).try_lock(slot)) return;
  const Datum values[] = {pg::datum(slot), pg::datum(position.at), pg::datum(position.first),
                          pg::datum(position.second)};
  pg::Sql sql;
  sql.run(writing(way), std::span<const Datum>(values).first(way == Way::batch_deadline ? 3 : 4));
}

}  // namespace awa::rescue
