#include "ring/tables.hpp"

#include <array>
#include <utility>

namespace awa::ring {

namespace {

using pg::btree;
using pg::Column;
using pg::gist;
using pg::IndexShape;
using pg::TableShape;
using pg::unique_btree;

constexpr Column kReadyEntries[] = {{"ready_slot", INT4OID},
                                    {"lane_id", INT4OID},
                                    {"xid", XID8OID},
                                    {"lane_seq", INT8OID},
                                    {"job_id", INT8OID},
                                    {"run_lease", INT8OID},
                                    {"run_at", TIMESTAMPTZOID},
                                    {"created_at", TIMESTAMPTZOID},
                                    {"attempt", INT2OID},
                                    {"max_attempts", INT2OID},
                                    {"unique_states", INT2OID},
                                    {"kind", TEXTOID},
                                    {"args", JSONBOID},
                                    {"payload", JSONBOID},
                                    {"own_deadline", INTERVALOID},
                                    {"unique_key", TEXTOID}};
constexpr Column kReadyTombstones[] = {
    {"ready_slot", INT4OID},           {"lane_id", INT4OID}, {"lane_seq", INT8OID}, {"job_id", INT8OID},
    {"tombstoned_at", TIMESTAMPTZOID}, {"reason", TEXTOID}};
constexpr Column kAttemptBatches[] = {{"ready_slot", INT4OID},        {"lane_id", INT4OID},
                                      {"batch_id", INT8OID},          {"ready_generation", INT8OID},
                                      {"first_seq", INT8OID},         {"last_seq", INT8OID},
                                      {"claimed_at", TIMESTAMPTZOID}, {"claim_slot", INT4OID},
                                      {"claimed_count", INT4OID},     {"lane_ranges", INT8MULTIRANGEOID}};
constexpr Column kCompletionBatches[] = {{"ready_slot", INT4OID},
                                         {"lane_id", INT4OID},
                                         {"batch_id", INT8OID},
                                         {"ready_generation", INT8OID},
                                         {"finalized_at", TIMESTAMPTZOID},
                                         {"claim_slot", INT4OID},
                                         {"completed_count", INT4OID},
                                         {"job_ids", INT8ARRAYOID},
                                         {"run_leases", INT8ARRAYOID},
                                         {"lane_seqs", INT8ARRAYOID},
                                         {"attempts", INT2ARRAYOID},
                                         {"claimed_at", TIMESTAMPTZARRAYOID}};
constexpr Column kDoneEntries[] = {{"ready_slot", INT4OID},
                                   {"lane_id", INT4OID},
                                   {"job_id", INT8OID},
                                   {"run_lease", INT8OID},
                                   {"lane_seq", INT8OID},
                                   {"finalized_at", TIMESTAMPTZOID},
                                   {"claimed_at", TIMESTAMPTZOID},
                                   {"run_at", TIMESTAMPTZOID},
                                   {"created_at", TIMESTAMPTZOID},
                                   {"attempt", INT2OID},
                                   {"max_attempts", INT2OID},
                                   {"unique_states", INT2OID},
                                   {"state", TEXTOID},
                                   {"outcome", TEXTOID},
                                   {"result", JSONBOID},
                                   {"kind", TEXTOID},
                                   {"args", JSONBOID},
                                   {"payload", JSONBOID},
                                   {"own_deadline", INTERVALOID},
                                   {"unique_key", TEXTOID}};
constexpr Column kClaimBatches[] = {{"claim_slot", INT4OID},
                                    {"ready_slot", INT4OID},
                                    {"batch_id", INT8OID},
                                    {"fence", INT8OID},
                                    {"ready_generation", INT8OID},
                                    {"claimed_at", TIMESTAMPTZOID},
                                    {"deadline_at", TIMESTAMPTZOID},
                                    {"lane_id", INT4OID},
                                    {"claimed_count", INT4OID},
                                    {"job_ids", INT8ARRAYOID},
                                    {"run_leases", INT8ARRAYOID},
                                    {"lane_seqs", INT8ARRAYOID},
                                    {"attempts", INT2ARRAYOID},
                                    {"max_attempts", INT2ARRAYOID},
                                    {"receipt_ranges", INT8MULTIRANGEOID},
                                    {"keyed_receipts", INT8MULTIRANGEOID}};
constexpr Column kClosureBatches[] = {{"claim_slot", INT4OID},       {"ready_slot", INT4OID},
                                      {"batch_id", INT8OID},         {"claim_batch_id", INT8OID},
                                      {"ready_generation", INT8OID}, {"closed_at", TIMESTAMPTZOID},
                                      {"closed_count", INT4OID},     {"receipt_ranges", INT8MULTIRANGEOID},
                                      {"outcome", TEXTOID}};
constexpr Column kLaneFrontiers[] = {
    {"claim_slot", INT4OID}, {"lane_id", INT4OID},          {"frontier_id", INT8OID},   {"done_xmin", XID8OID},
    {"done_xmax", XID8OID},  {"cur_xmin", XID8OID},         {"cur_xmax", XID8OID},      {"at_xid", XID8OID},
    {"at_seq", INT8OID},     {"opened_at", TIMESTAMPTZOID}, {"claimed_total", INT8OID}, {"recheck", BOOLOID},
    {"carried", BOOLOID},    {"done_xip", XID8ARRAYOID},    {"cur_xip", XID8ARRAYOID}};
constexpr Column kRowClaims[] = {{"claim_slot", INT4OID},
                                 {"ready_slot", INT4OID},
                                 {"receipt_id", INT8OID},
                                 {"fence", INT8OID},
                                 {"job_id", INT8OID},
                                 {"run_lease", INT8OID},
                                 {"ready_generation", INT8OID},
                                 {"lane_seq", INT8OID},
                                 {"deadline_at", TIMESTAMPTZOID},
                                 {"claimed_at", TIMESTAMPTZOID},
                                 {"lane_id", INT4OID},
                                 {"attempt", INT2OID},
                                 {"max_attempts", INT2OID},
                                 {"keyed", BOOLOID}};
constexpr Column kRowClosures[] = {{"claim_slot", INT4OID}, {"ready_slot", INT4OID}, {"receipt_id", INT8OID},
                                   {"job_id", INT8OID},     {"run_lease", INT8OID},  {"closed_at", TIMESTAMPTZOID},
                                   {"outcome", TEXTOID}};
constexpr Column kDeferredJobs[] = {{"job_id", INT8OID},
                                    {"queue_id", INT4OID},
                                    {"priority", INT2OID},
                                    {"shard", INT2OID},
                                    {"state", TEXTOID},
                                    {"finalized_at", TIMESTAMPTZOID},
                                    {"run_lease", INT8OID},
                                    {"run_at", TIMESTAMPTZOID},
                                    {"created_at", TIMESTAMPTZOID},
                                    {"attempt", INT2OID},
                                    {"max_attempts", INT2OID},
                                    {"unique_states", INT2OID},
                                    {"kind", TEXTOID},
                                    {"args", JSONBOID},
                                    {"payload", JSONBOID},
                                    {"own_deadline", INTERVALOID},
                                    {"unique_key", TEXTOID}};
constexpr Column kQueueRingSlots[] = {
    {"slot", INT4OID},       {"generation", INT8OID}, {"opened_at", TIMESTAMPTZOID}, {"sealed_at", TIMESTAMPTZOID},
    {"sealed_xid", XID8OID}, {"drained", BOOLOID}};

// The numbers of tables.hpp and the names here are two views of one list.
static_assert(std::size(kReadyEntries) == ready_entries::columns);
static_assert(std::size(kReadyTombstones) == ready_tombstones::columns);
static_assert(std::size(kAttemptBatches) == attempt_batches::columns);
static_assert(std::size(kCompletionBatches) == completion_batches::columns);
static_assert(std::size(kDoneEntries) == done_entries::columns);
static_assert(std::size(kClaimBatches) == claim_batches::columns);
static_assert(std::size(kClosureBatches) == closure_batches::columns);
static_assert(std::size(kLaneFrontiers) == lane_frontiers::columns);
static_assert(std::size(kRowClaims) == row_claims::columns);
static_assert(std::size(kRowClosures) == row_closures::columns);
static_assert(std::size(kDeferredJobs) == deferred_jobs::columns);
static_assert(std::size(kQueueRingSlots) == queue_ring_slots::columns);

constexpr IndexShape kReadyEntriesIndexes[] = {unique_btree({1, 2, 3, 4}), btree({5})};
constexpr IndexShape kReadyTombstonesIndexes[] = {unique_btree({1, 2, 3})};
constexpr IndexShape kAttemptBatchesIndexes[] = {unique_btree({1, 2, 3})};
constexpr IndexShape kCompletionBatchesIndexes[] = {unique_btree({1, 3})};
constexpr IndexShape kDoneEntriesIndexes[] = {unique_btree({1, 3, 4})};
constexpr IndexShape kClaimBatchesIndexes[] = {
    unique_btree({1, 3}), btree({7, 3}, {pg::IndexPredicate::Kind::is_not_null, claim_batches::deadline_at})};
constexpr IndexShape kClosureBatchesIndexes[] = {
    unique_btree({1, 3}), gist({8}, {pg::IndexPredicate::Kind::greater_than, closure_batches::closed_count, 1})};
constexpr IndexShape kLaneFrontiersIndexes[] = {unique_btree({1, 2, 3})};
constexpr IndexShape kRowClaimsIndexes[] = {
    unique_btree({1, 3}), btree({9, 5, 6}, {pg::IndexPredicate::Kind::is_not_null, row_claims::deadline_at})};
constexpr IndexShape kRowClosuresIndexes[] = {unique_btree({1, 3})};
constexpr IndexShape kQueueRingSlotsIndexes[] = {unique_btree({1})};
constexpr IndexShape kDeferredJobsIndexes[] = {unique_btree({1}), btree({8, 3, 1})};

constexpr TableShape kReadyEntriesShape{"ready_entries", kReadyEntries, kReadyEntriesIndexes};
constexpr TableShape kReadyTombstonesShape{"ready_tombstones", kReadyTombstones, kReadyTombstonesIndexes, 1};
constexpr TableShape kAttemptBatchesShape{"ready_claim_attempt_batches", kAttemptBatches, kAttemptBatchesIndexes, 1};
constexpr TableShape kCompletionBatchesShape{"receipt_completion_batches", kCompletionBatches,
                                             kCompletionBatchesIndexes, 1};
constexpr TableShape kDoneEntriesShape{"done_entries", kDoneEntries, kDoneEntriesIndexes, 1};
constexpr TableShape kClaimBatchesShape{"lease_claim_batches", kClaimBatches, kClaimBatchesIndexes, 1};
constexpr TableShape kClosureBatchesShape{"lease_claim_closure_batches", kClosureBatches, kClosureBatchesIndexes, 2};
constexpr TableShape kLaneFrontiersShape{"lane_frontiers", kLaneFrontiers, kLaneFrontiersIndexes};
constexpr TableShape kRowClaimsShape{"lease_claims", kRowClaims, kRowClaimsIndexes};
constexpr TableShape kRowClosuresShape{"lease_claim_closures", kRowClosures, kRowClosuresIndexes, 1};
constexpr TableShape kDeferredJobsShape{"deferred_jobs", kDeferredJobs, kDeferredJobsIndexes, 3};
constexpr TableShape kQueueRingSlotsShape{"queue_ring_slots", kQueueRingSlots, kQueueRingSlotsIndexes, 2};

template <std::size_t Slots>
struct Leaves {
  template <std::size_t... I>
  constexpr Leaves(const TableShape &shape, std::index_sequence<I...>) noexcept
      : leaf{pg::CachedTable(shape, static_cast<int>(I))...} {}
  explicit constexpr Leaves(const TableShape &shape) noexcept : Leaves(shape, std::make_index_sequence<Slots>()) {}
  pg::CachedTable &of(core::Slot slot) noexcept { return leaf[slot.value]; }
  pg::CachedTable leaf[Slots];
};

constinit Leaves<core::kQueueSlots> ready_entries_leaves(kReadyEntriesShape);
constinit Leaves<core::kQueueSlots> ready_tombstones_leaves(kReadyTombstonesShape);
constinit Leaves<core::kQueueSlots> attempt_batches_leaves(kAttemptBatchesShape);
constinit Leaves<core::kQueueSlots> completion_batches_leaves(kCompletionBatchesShape);
constinit Leaves<core::kQueueSlots> done_entries_leaves(kDoneEntriesShape);
constinit Leaves<core::kClaimSlots> claim_batches_leaves(kClaimBatchesShape);
constinit Leaves<core::kClaimSlots> closure_batches_leaves(kClosureBatchesShape);
constinit Leaves<core::kClaimSlots> lane_frontiers_leaves(kLaneFrontiersShape);
constinit Leaves<core::kClaimSlots> row_claims_leaves(kRowClaimsShape);
constinit Leaves<core::kClaimSlots> row_closures_leaves(kRowClosuresShape);
constinit pg::CachedTable deferred_jobs_cached(kDeferredJobsShape, pg::kNotALeaf);
constinit pg::CachedTable queue_ring_slots_cached(kQueueRingSlotsShape, pg::kNotALeaf);

}  // namespace

pg::CachedTable &ready_entries_leaf(core::Slot slot) noexcept { return ready_entries_leaves.of(slot); }
pg::CachedTable &ready_tombstones_leaf(core::Slot slot) noexcept { return ready_tombstones_leaves.of(slot); }
pg::CachedTable &attempt_batches_leaf(core::Slot slot) noexcept { return attempt_batches_leaves.of(slot); }
pg::CachedTable &completion_batches_leaf(core::Slot slot) noexcept { return completion_batches_leaves.of(slot); }
pg::CachedTable &done_entries_leaf(core::Slot slot) noexcept { return done_entries_leaves.of(slot); }
pg::CachedTable &claim_batches_leaf(core::Slot slot) noexcept { return claim_batches_leaves.of(slot); }
pg::CachedTable &closure_batches_leaf(core::Slot slot) noexcept { return closure_batches_leaves.of(slot); }
pg::CachedTable &lane_frontiers_leaf(core::Slot slot) noexcept { return lane_frontiers_leaves.of(slot); }
pg::CachedTable &row_claims_leaf(core::Slot slot) noexcept { return row_claims_leaves.of(slot); }
pg::CachedTable &row_closures_leaf(core::Slot slot) noexcept { return row_closures_leaves.of(slot); }
pg::CachedTable &deferred_jobs_table() noexcept { return deferred_jobs_cached; }
pg::CachedTable &queue_ring_slots_table() noexcept { return queue_ring_slots_cached; }

}  // namespace awa::ring
