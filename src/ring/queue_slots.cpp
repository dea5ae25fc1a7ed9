#include "ring/queue_slots.hpp"

#include "pg/index_reader.hpp"
#include "pg/transaction.hpp"
#include "ring/generation.hpp"
#include "ring/tables.hpp"

namespace awa::ring {

core::Generation generation_in(core::Slot slot, const QueueSlots &slots, core::Generation current) noexcept {
  if (slot == core::slot_of(current, core::kQueueSlots)) return current;
  const core::Generation known = slots[static_cast<std::size_t>(slot.value)].generation;
  return known.value >= 0 ? known : core::newest_generation_in(slot, current, core::kQueueSlots);
}

namespace {

QueueSlots queue_slots(const pg::FreshSnapshot &snapshot) {
  namespace column = queue_ring_slots;
  QueueSlots slots{};
  pg::OpenTable table(queue_ring_slots_table(), AccessShareLock);
  pg::walk(table, table.index(queue_ring_slots::by_slot), snapshot.get(), {}, [&](const pg::Row &row) {
    QueueSlot &slot = slots[static_cast<std::size_t>(row.int4(column::slot))];
    bool is_null = false;
    const Datum sealed = row.value(column::sealed_xid, is_null);
    if (!is_null) slot.sealed_xid = {U64FromFullTransactionId(DatumGetFullTransactionId(sealed))};
    const Datum generation = row.value(column::generation, is_null);
    if (!is_null) slot.generation = {DatumGetInt64(generation)};
    slot.drained = DatumGetBool(row.value(column::drained));
    slot.emptied = row.is_null(column::opened_at);
    return pg::Walk::on;
  });
  table.unlock();
  return slots;
}

// The number comes first: with it come the news of the table.
SlotsEdition edition_now() {
  const core::Generation ring = generation_of(Ring::queue);
  return {ring, queue_ring_slots_table().edition()};
}

// What the session read last.
struct Remembered {
  SlotsEdition holds_for;
  core::Micros read_at = 0;
  QueueSlots slots{};
};
constinit Remembered remembered;
constexpr core::Micros kRememberFor = 1'000'000;

}  // namespace

SlotsOfCall::SlotsOfCall() : newest_(edition_now()) {}

const QueueSlots &SlotsOfCall::under(const pg::FreshSnapshot &snapshot) {
  const SlotsEdition before = std::exchange(newest_, edition_now());
  if (newest_ == holds_for_) return slots_;
  const core::Micros now = pg::now();
  const bool fits = remembered.holds_for == newest_;
  if (!fits || now < remembered.read_at || now - remembered.read_at >= kRememberFor) {
    remembered = {before, now, queue_slots(snapshot)};
  }
  slots_ = remembered.slots;
  holds_for_ = remembered.holds_for;
  // Whoever opens a slot writes the number first, and the row when he is done: it is believed of slots that are not current.
  for (const core::Generation current : {holds_for_.ring, newest_.ring}) {
    QueueSlot &facts = slots_[static_cast<std::size_t>(core::slot_of(current, core::kQueueSlots).value)];
    if (facts.generation < current) facts = {.sealed_xid = {}, .generation = current};
  }
  return slots_;
}

// Prune says so when it has emptied the slot, with all writers kept away; the ring's number, which was read later, says whether
// it was opened again.
bool SlotsOfCall::is_unused(core::Slot slot) const noexcept {
  const QueueSlot &facts = slots_[static_cast<std::size_t>(slot.value)];
  return facts.emptied && core::newest_generation_in(slot, newest_.ring, core::kQueueSlots) <= facts.generation;
}

}  // namespace awa::ring
