#include "ring/ring_state.hpp"

#include "pg/datum.hpp"
#include "pg/planted_fault.hpp"

namespace awa::ring {

namespace {

constexpr Oid kSlot[] = {INT4OID};
constexpr Oid kSlotAndXid[] = {INT4OID, XID8OID};
constexpr Oid kSlotAndGeneration[] = {INT4OID, INT8OID};

// One statement a ring, in the order of the enumeration.
struct PerRing {
  pg::Statement statements[3];
  pg::Statement &of(Ring ring) noexcept { return statements[static_cast<std::size_t>(ring)]; }
};

constinit PerRing lock_state{{pg::Statement("SELECT FROM awa.queue_ring_state FOR UPDATE SKIP LOCKED", {}),
                              pg::Statement("SELECT FROM awa.claim_ring_state FOR UPDATE SKIP LOCKED", {}),
                              pg::Statement("SELECT FROM awa.lease_ring_state FOR UPDATE SKIP LOCKED", {})}};

constinit PerRing lock_slot{
    {pg::Statement("SELECT FROM awa.queue_ring_slots WHERE slot = $1 FOR UPDATE SKIP LOCKED", kSlot),
     pg::Statement("SELECT FROM awa.claim_ring_slots WHERE slot = $1 FOR UPDATE SKIP LOCKED", kSlot),
     pg::Statement("SELECT FROM awa.lease_ring_slots WHERE slot = $1 FOR UPDATE SKIP LOCKED", kSlot)}};

constinit pg::Statement find_seal("SELECT FROM awa.queue_ring_slots WHERE slot = $1 AND sealed_xid IS NOT NULL", kSlot);

constinit pg::Statement find_drained("SELECT FROM awa.queue_ring_slots WHERE slot = $1 AND drained", kSlot);

constinit pg::Statement set_seal(
    "UPDATE awa.queue_ring_slots SET sealed_xid = $2, sealed_at = COALESCE(sealed_at, clock_timestamp()) WHERE slot = "
    "$1",
    kSlotAndXid);

constinit PerRing seal_old{
    {pg::Statement("UPDATE awa.queue_ring_slots SET sealed_xid = $2, sealed_at = clock_timestamp() WHERE slot = $1",
                   kSlotAndXid),
     pg::Statement("UPDATE awa.claim_ring_slots SET sealed_at = clock_timestamp() WHERE slot = $1", kSlotAndXid),
     pg::Statement("UPDATE awa.lease_ring_slots SET sealed_at = clock_timestamp() WHERE slot = $1", kSlotAndXid)}};

constinit PerRing open_new{
    {pg::Statement("UPDATE awa.queue_ring_slots SET generation = $2, opened_at = clock_timestamp(), sealed_at = NULL, "
                   "drained = false WHERE slot = $1",
                   kSlotAndGeneration),
     pg::Statement("UPDATE awa.claim_ring_slots SET generation = $2, opened_at = clock_timestamp(), sealed_at = NULL "
                   "WHERE slot = $1",
                   kSlotAndGeneration),
     pg::Statement("UPDATE awa.lease_ring_slots SET generation = $2, opened_at = clock_timestamp(), sealed_at = NULL "
                   "WHERE slot = $1",
                   kSlotAndGeneration)}};

constinit pg::Statement set_drained("UPDATE awa.queue_ring_slots SET drained = true WHERE slot = $1", kSlot);

constinit PerRing set_emptied{
    {pg::Statement("UPDATE awa.queue_ring_slots SET opened_at = NULL, sealed_xid = NULL, sealed_at = NULL, drained = "
                   "false WHERE slot = $1",
                   kSlot),
     pg::Statement(
         "UPDATE awa.claim_ring_slots SET opened_at = NULL, sealed_at = NULL, rescue_cursor_batch_id = DEFAULT, "
         "deadline_cursor_deadline_at = DEFAULT, deadline_cursor_job_id = DEFAULT, "
         "deadline_cursor_run_lease = DEFAULT, batch_deadline_cursor_deadline_at = DEFAULT, "
         "batch_deadline_cursor_batch_id = DEFAULT WHERE slot = $1",
         kSlot),
     pg::Statement("UPDATE awa.lease_ring_slots SET opened_at = NULL, sealed_at = NULL WHERE slot = $1", kSlot)}};

}  // namespace

bool RingState::try_lock() { return sql_.run(lock_state.of(ring_), {}) > 0; }

bool RingState::try_lock(core::Slot slot) {
  const Datum values[] = {pg::datum(slot)};
  return sql_.run(lock_slot.of(ring_), values) > 0;
}

bool RingState::is_drained(core::Slot slot) {
  const Datum values[] = {pg::datum(slot)};
  return sql_.run(find_drained, values) > 0;
}

bool RingState::has_seal(core::Slot slot) {
  if (ring_ != Ring::queue) return false;
  const Datum values[] = {pg::datum(slot)};
  return sql_.run(find_seal, values) > 0;
}

void RingState::seal(core::Slot slot, core::Xid xid) {
  const Datum values[] = {pg::datum(slot), pg::datum(xid)};
  sql_.run(set_seal, values);
}

void RingState::turned(core::Slot from, core::Slot to, core::Generation generation, core::Xid seal) {
  const Datum old_values[] = {pg::datum(from), pg::datum(seal)};
  const Datum new_values[] = {pg::datum(to), pg::datum(generation)};
  sql_.run(seal_old.of(ring_), old_values);
  sql_.run(open_new.of(ring_), new_values);
  if (AWA_PLANTED(stale_seal) && ring_ == Ring::queue) this->seal(to, {FirstNormalTransactionId});
}

void RingState::drained(core::Slot slot) {
  const Datum values[] = {pg::datum(slot)};
  sql_.run(set_drained, values);
}

void RingState::emptied(core::Slot slot) {
  const Datum values[] = {pg::datum(slot)};
  sql_.run(set_emptied.of(ring_), values);
}

}  // namespace awa::ring
