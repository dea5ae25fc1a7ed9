#include "receipt/leases.hpp"

#include "pg/datum.hpp"
#include "pg/index_reader.hpp"
#include "pg/row_writer.hpp"
#include "ring/generation.hpp"

namespace awa::receipt {

namespace {

enum : AttrNumber {
  kLeaseSlot = 1,
  kClaimSlot,
  kJobId,
  kRunLease,
  kBatchId,
  kReceiptId,
  kFence,
  kReadySlot,
  kLaneId,
  kLaneSeq,
  kClaimedAt,
  kHeartbeatAt,
  kDeadlineAt,
  kCallbackTimeoutAt,
  kRunAt,
  kCreatedAt,
  kCallbackId,
  kAttempt,
  kMaxAttempts,
  kUniqueStates,
  kState,
  kKind,
  kArgs,
  kPayload,
  kOwnDeadline,
  kUniqueKey,
};
enum : int { kByAttempt, kByReceipt, kByCallback };

constexpr pg::Column kColumns[] = {{"lease_slot", INT4OID},
                                   {"claim_slot", INT4OID},
                                   {"job_id", INT8OID},
                                   {"run_lease", INT8OID},
                                   {"batch_id", INT8OID},
                                   {"receipt_id", INT8OID},
                                   {"fence", INT8OID},
                                   {"ready_slot", INT4OID},
                                   {"lane_id", INT4OID},
                                   {"lane_seq", INT8OID},
                                   {"claimed_at", TIMESTAMPTZOID},
                                   {"heartbeat_at", TIMESTAMPTZOID},
                                   {"deadline_at", TIMESTAMPTZOID},
                                   {"callback_timeout_at", TIMESTAMPTZOID},
                                   {"run_at", TIMESTAMPTZOID},
                                   {"created_at", TIMESTAMPTZOID},
                                   {"callback_id", UUIDOID},
                                   {"attempt", INT2OID},
                                   {"max_attempts", INT2OID},
                                   {"unique_states", INT2OID},
                                   {"state", TEXTOID},
                                   {"kind", TEXTOID},
                                   {"args", JSONBOID},
                                   {"payload", JSONBOID},
                                   {"own_deadline", INTERVALOID},
                                   {"unique_key", TEXTOID}};
constexpr pg::IndexShape kIndexes[] = {pg::unique_btree({kLeaseSlot, kJobId, kRunLease}), pg::btree({kReceiptId}),
                                       pg::btree({kCallbackId})};
constexpr pg::TableShape kShape{"leases", kColumns, kIndexes, 1};
constexpr ring::BodyColumns kBody{kRunLease, kRunAt, kCreatedAt, kAttempt,     kMaxAttempts, kUniqueStates,
                                  kKind,     kArgs,  kPayload,   kOwnDeadline, kUniqueKey};

constinit pg::CachedTable leaves[core::kLeaseSlots] = {{kShape, 0}, {kShape, 1}, {kShape, 2}, {kShape, 3},
                                                       {kShape, 4}, {kShape, 5}, {kShape, 6}, {kShape, 7}};

pg::CachedTable &leases_leaf(core::Slot slot) noexcept { return leaves[slot.value]; }

core::Receipt receipt_of(const pg::Row &row) {
  core::Receipt receipt;
  receipt.claim_slot = static_cast<std::int16_t>(row.int4(kClaimSlot));
  receipt.batch = {row.int8(kBatchId)};
  receipt.receipt = {row.int8(kReceiptId)};
  receipt.job = {row.int8(kJobId)};
  receipt.lease = {row.int8(kRunLease)};
  receipt.fence = row.int8(kFence);
  return receipt;
}

core::Micros time_or_zero(const pg::Row &row, AttrNumber column) {
  bool none = false;
  const Datum value = row.value(column, none);
  return none ? 0 : DatumGetTimestampTz(value);
}

// C room.
Lease lease_of(const pg::Row &row, core::Slot slot, Bodies bodies) {
  Lease lease;
  lease.receipt = receipt_of(row);
  lease.ready_slot = {row.int4(kReadySlot)};
  lease.lane = {row.int4(kLaneId)};
  lease.seq = {row.int8(kLaneSeq)};
  lease.claimed_at = row.int8(kClaimedAt);
  lease.number = DatumGetInt16(row.value(kAttempt));
  lease.deadline_at = time_or_zero(row, kDeadlineAt);
  lease.callback_timeout_at = time_or_zero(row, kCallbackTimeoutAt);
  bool none = false;
  const Datum callback = row.value(kCallbackId, none);
  if (!none) {
    lease.callback.emplace();
    memcpy(lease.callback->data(), DatumGetUUIDP(callback)->data, UUID_LEN);
  }
  if (bodies == Bodies::read) lease.body = ring::body_of(row, kBody);
  lease.slot = slot;
  lease.place = row.place();
  return lease;
}

Datum uuid_datum(const CallbackId &callback) noexcept { return PointerGetDatum(callback.data()); }

}  // namespace

pg::OpenTable *Leases::leaf(core::Slot slot) {
  auto &place = open_[static_cast<std::size_t>(slot.value)];
  if (place) return &*place;
  place.emplace(leases_leaf(slot), mode_);
  if (!place->has_no_blocks()) return &*place;
  place->unlock();
  place.reset();
  return nullptr;
}

std::optional<Lease> Leases::find(const core::Receipt &receipt, const pg::FreshSnapshot &snapshot, Bodies bodies) {
  std::optional<Lease> found;
  for (int slot = 0; slot < core::kLeaseSlots && !found; ++slot) {
    const pg::OpenTable *const table = leaf({slot});
    if (table == nullptr) continue;
    ScanKeyData keys[] = {pg::key_equal(1, receipt.receipt.value)};
    pg::walk(*table, table->index(kByReceipt), snapshot.get(), keys, [&](const pg::Row &row) {
      if (receipt_of(row) != receipt) return pg::Walk::on;
      found = lease_of(row, {slot}, bodies);
      return pg::Walk::stop;
    });
  }
  return found;
}

std::optional<core::Receipt> Leases::waiting_for(const CallbackId &callback, const pg::FreshSnapshot &snapshot) {
  std::optional<core::Receipt> found;
  for (int slot = 0; slot < core::kLeaseSlots && !found; ++slot) {
    const pg::OpenTable *const table = leaf({slot});
    if (table == nullptr) continue;
    ScanKeyData keys[] = {pg::key_uuid_equal(1, uuid_datum(callback))};
    pg::walk(*table, table->index(kByCallback), snapshot.get(), keys, [&](const pg::Row &row) {
      found = receipt_of(row);
      return pg::Walk::stop;
    });
  }
  return found;
}

std::optional<core::Receipt> Leases::of_job(core::JobId job, const pg::FreshSnapshot &snapshot) {
  std::optional<core::Receipt> found;
  for (int slot = 0; slot < core::kLeaseSlots && !found; ++slot) {
    const pg::OpenTable *const table = leaf({slot});
    if (table == nullptr) continue;
    ScanKeyData keys[] = {pg::key_equal(1, std::int32_t{slot}), pg::key_equal(2, job.value)};
    pg::walk(*table, table->index(kByAttempt), snapshot.get(), keys, [&](const pg::Row &row) {
      found = receipt_of(row);
      return pg::Walk::stop;
    });
  }
  return found;
}

void Leases::append(std::span<const Lease> leases) {
  if (leases.empty()) return;
  const ring::CurrentLeaf leaf = ring::open_current(ring::Ring::lease, leases_leaf);
  const Datum running = pg::text_datum("running");
  const Datum waiting = pg::text_datum("waiting_external");
  pg::append_many(leaf.table, leases.size(), [&](std::size_t index, pg::NewRow row) {
    const Lease &lease = leases[index];
    row.set(kLeaseSlot, pg::datum(leaf.table.slot()));
    row.set(kClaimSlot, pg::datum(std::int32_t{lease.receipt.claim_slot}));
    row.set(kJobId, pg::datum(lease.receipt.job));
    row.set(kBatchId, pg::datum(lease.receipt.batch));
    row.set(kReceiptId, pg::datum(lease.receipt.receipt));
    row.set(kFence, pg::datum(lease.receipt.fence));
    row.set(kReadySlot, pg::datum(lease.ready_slot));
    row.set(kLaneId, pg::datum(lease.lane));
    row.set(kLaneSeq, pg::datum(lease.seq));
    row.set(kClaimedAt, pg::datum(lease.claimed_at));
    if (lease.deadline_at != 0) row.set(kDeadlineAt, pg::datum(lease.deadline_at));
    row.set(kState, lease.waiting() ? waiting : running);
    if (lease.waiting()) {
      row.set(kCallbackId, uuid_datum(*lease.callback));
      row.set(kCallbackTimeoutAt, pg::datum(lease.callback_timeout_at));
    }
    ring::set_body(row, kBody, lease.body);
  });
}

void Leases::erase(const Lease &lease) { pg::erase(*leaf(lease.slot), lease.place); }

}  // namespace awa::receipt
