#include "rescue/sweep_cursors.hpp"

#include "pg/datum.hpp"
#include "pg/spi.hpp"
#include "pg/transaction.hpp"
#include "ring/ring_state.hpp"

namespace awa::rescue {

namespace {

constexpr Oid kSlot[] = {INT4OID};
constexpr Oid kSlotAndPosition[] = {INT4OID, TIMESTAMPTZOID, INT8OID, INT8OID};
constexpr Oid kSlotTimeAndBatch[] = {INT4OID, TIMESTAMPTZOID, INT8OID};
constexpr Oid kSlotAndBatch[] = {INT4OID, INT8OID};

constinit pg::Statement read_claimed(
    "SELECT '-infinity'::timestamptz, rescue_cursor_batch_id, 0::bigint FROM awa.claim_ring_slots WHERE slot = $1",
    kSlot);
constinit pg::Statement read_batch_deadline(
    "SELECT batch_deadline_cursor_deadline_at, batch_deadline_cursor_batch_id, 0::bigint FROM awa.claim_ring_slots "
    "WHERE slot = $1",
    kSlot);
constinit pg::Statement read_row_deadline(
    "SELECT deadline_cursor_deadline_at, deadline_cursor_job_id, deadline_cursor_run_lease FROM awa.claim_ring_slots "
    "WHERE slot = $1",
    kSlot);

constinit pg::Statement write_claimed("UPDATE awa.claim_ring_slots SET rescue_cursor_batch_id = $2 WHERE slot = $1",
                                      kSlotAndBatch);
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

// A write leaves a dead row. So a cursor that moves all the time is written a few times, then once a minute, and else only
// remembered. Plain data of the session; it holds as long as the table says what it said then. A move by a transaction that
// writes is taken back with it: the attempts that it ended are open again.
constexpr int kMostAtOnce = 3;
constexpr core::Micros kOneMoreEach = 60'000'000;

struct Remembered {
  core::SweepPosition stored = core::kSweepStart;
  core::SweepPosition position = core::kSweepStart;
  core::SweepPosition before = core::kSweepStart;  // where it stood before `moved_by`
  core::Xid moved_by{};                            // which may still roll back; 0 = nobody
  int writes = 0;                                  // of late
  core::Micros counted_from = 0;
};
constinit Remembered remembered[core::kClaimSlots][3];

Remembered &memory_of(core::Slot slot, Way way) noexcept {
  return remembered[slot.value][static_cast<std::size_t>(way)];
}

bool may_write(Remembered &memory, core::Micros now) noexcept {
  if (now < memory.counted_from) memory.counted_from = now;  // the clock was set back
  const core::Micros more = (now - memory.counted_from) / kOneMoreEach;
  if (more > 0) {
    memory.writes = more >= memory.writes ? 0 : memory.writes - static_cast<int>(more);
    memory.counted_from = now;
  }
  return memory.writes < kMostAtOnce;
}

void take_back_what_was_rolled_back(Remembered &memory) {
  if (memory.moved_by.value == 0) return;
  const pg::XidFate fate = pg::fate_of(memory.moved_by);
  if (fate == pg::XidFate::running) return;
  if (fate != pg::XidFate::committed) memory.position = memory.before;
  memory.moved_by = {};
}

void remember(Remembered &memory, const core::SweepPosition &position) {
  take_back_what_was_rolled_back(memory);
  if (memory.moved_by.value == 0 && pg::own_xid_if_any().value != 0) {
    memory.before = memory.position;
    memory.moved_by = pg::own_subxid();
  }
  memory.position = position;
}

core::SweepPosition stored_cursor(core::Slot slot, Way way) {
  const Datum values[] = {pg::datum(slot)};
  pg::Sql sql;
  if (sql.run(reading(way), values) == 0) return core::kSweepStart;
  bool is_null = false;
  const auto number = [&](int column) { return DatumGetInt64(sql.value(0, column, is_null)); };
  return {number(1), number(2), number(3)};
}

}  // namespace

core::SweepPosition cursor_of(core::Slot slot, Way way) {
  const core::SweepPosition stored = stored_cursor(slot, way);
  Remembered &memory = memory_of(slot, way);
  if (memory.stored != stored) {
    memory.position = memory.stored = stored;
    memory.moved_by = {};
  }
  take_back_what_was_rolled_back(memory);
  return memory.position;
}

void move_cursor(core::Slot slot, Way way, const core::SweepPosition &position) {
  Remembered &memory = memory_of(slot, way);
  remember(memory, position);
  if (!may_write(memory, pg::now()) || !ring::RingState(ring::Ring::claim).try_lock(slot)) return;
  ++memory.writes;
  memory.stored = position;
  pg::Sql sql;
  if (way == Way::claimed) {
    const Datum values[] = {pg::datum(slot), pg::datum(position.first)};
    sql.run(writing(way), values);
    return;
  }
  const Datum values[] = {pg::datum(slot), pg::datum(position.at), pg::datum(position.first),
                          pg::datum(position.second)};
  sql.run(writing(way), std::span<const Datum>(values).first(way == Way::batch_deadline ? 3 : 4));
}

}  // namespace awa::rescue
