#include "ring/leaves.hpp"

#include "pg/error.hpp"
#include "pg/table_locks.hpp"

namespace awa::ring {

namespace {

constexpr const char *kQueueTables[] = {"ready_entries",
                                        "ready_tombstones",
                                        "ready_claim_attempt_batches",
                                        "receipt_completion_batches",
                                        "receipt_completion_tombstones",
                                        "done_entries"};
constexpr const char *kClaimTables[] = {"lease_claim_batches", "lease_claims", "lease_claim_closures",
                                        "lease_claim_closure_batches", "lane_frontiers"};
constexpr const char *kLeaseTables[] = {"leases"};

}  // namespace

std::span<const char *const> tables_of(Ring ring) noexcept {
  switch (ring) {
    case Ring::queue:
      return kQueueTables;
    case Ring::claim:
      return kClaimTables;
    case Ring::lease:
      break;
  }
  return kLeaseTables;
}

std::span<const char *const> content_tables_of(Ring ring) noexcept {
  const auto tables = tables_of(ring);
  return ring == Ring::claim ? tables.first(2) : tables;
}

core::Vec<Oid> leaves_of(std::span<const char *const> tables, core::Slot slot, core::Memory &memory) {
  core::Vec<Oid> leaves(memory);
  for (const char *const table : tables) leaves.push_back(pg::our_relation(pg::format("%s_%d", table, slot.value)));
  return leaves;
}

bool are_empty(std::span<const Oid> leaves) {
  return std::all_of(leaves.begin(), leaves.end(), [](Oid leaf) { return pg::has_no_blocks(leaf); });
}

bool holds_nothing(Ring ring, core::Slot slot, core::Memory &memory) {
  const core::Vec<Oid> leaves = leaves_of(content_tables_of(ring), slot, memory);
  if (!pg::try_lock_all(leaves, AccessShareLock)) return false;
  const bool empty = are_empty(leaves);
  pg::unlock_all(leaves, AccessShareLock);
  return empty;
}

core::Vec<Oid> with_dependents(std::span<const Oid> leaves, core::Memory &memory) {
  core::Vec<Oid> all(memory);
  const auto add_indexes = [&](Relation relation) {
    ListCell *cell;
    foreach (cell, RelationGetIndexList(relation)) all.push_back(lfirst_oid(cell));
  };
  pg::guarded([&] {
    for (const Oid leaf : leaves) {
      Relation const table = relation_open(leaf, AccessShareLock);
      const Oid toast = table->rd_rel->reltoastrelid;
      all.push_back(leaf);
      add_indexes(table);
      relation_close(table, AccessShareLock);
      if (!OidIsValid(toast)) continue;
      Relation const toast_table = relation_open(toast, AccessShareLock);
      all.push_back(toast);
      add_indexes(toast_table);
      relation_close(toast_table, AccessShareLock);
    }
  });
  return all;
}

}  // namespace awa::ring
