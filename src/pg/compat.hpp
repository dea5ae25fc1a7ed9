// What differs between PostgreSQL 15 and 18, one block a difference.
#pragma once

#include "pg/postgres.hpp"

// The mark of a library tells its name and version since 18.
#ifdef PG_MODULE_MAGIC_EXT
#define AWA_MODULE_MAGIC PG_MODULE_MAGIC_EXT(.name = "awa_ring", .version = AWA_VERSION)
#else
#define AWA_MODULE_MAGIC PG_MODULE_MAGIC
#endif

namespace awa::pg {

// PGPROC's virtual transaction id became a struct in 17.
inline LocalTransactionId own_local_xid() noexcept {
#if PG_VERSION_NUM >= 170000
  return MyProc->vxid.lxid;
#else
  return MyProc->lxid;
#endif
}

// The number of a session among those alive, from 1: it is a different one in 17, which counts from 0.
inline std::int32_t own_number() noexcept {
#if PG_VERSION_NUM >= 170000
  return MyProcNumber + 1;
#else
  return MyBackendId;
#endif
}

// What a process is was told by another field before 18.
inline bool is_of_a_session(const PGPROC &process) noexcept {
#if PG_VERSION_NUM >= 180000
  return process.isRegularBackend;
#else
  return !process.isBackgroundWorker;
#endif
}

// What a session is at; null when there is none of that number. A function of another name in 16, of another number in 17.
inline const PgBackendStatus *session_of(const VirtualTransactionId &transaction) {
#if PG_VERSION_NUM >= 170000
  return transaction.procNumber < 0 ? nullptr : pgstat_get_beentry_by_proc_number(transaction.procNumber);
#elif PG_VERSION_NUM >= 160000
  return transaction.backendId < 1 ? nullptr : pgstat_get_beentry_by_backend_id(transaction.backendId);
#else
  return transaction.backendId < 1 ? nullptr : pgstat_fetch_stat_beentry(transaction.backendId);
#endif
}

// What an access method keeps between insertions into an index may hold buffers since 17.
inline void end_insertions(Relation index, IndexInfo *info) {
#if PG_VERSION_NUM >= 170000
  index_insert_cleanup(index, info);
#else
  (void)index;
  (void)info;
#endif
}

// Generated columns that are not stored came in 18.
inline bool has_generated_column(const TupleConstr &constraints) noexcept {
#if PG_VERSION_NUM >= 180000
  if (constraints.has_generated_virtual) return true;
#endif
  return constraints.has_generated_stored;
}

// index_beginscan takes a place for instrumentation since 18.
inline IndexScanDesc begin_index_scan(Relation heap, Relation index, Snapshot snapshot, int keys) {
#if PG_VERSION_NUM >= 180000
  return index_beginscan(heap, index, snapshot, nullptr, keys, 0);
#else
  return index_beginscan(heap, index, snapshot, keys, 0);
#endif
}

// expression_tree_walker is typed since 16.
inline bool walk_expression(Node *node, bool (*visit)(Node *, void *)) {
#if PG_VERSION_NUM >= 160000
  return expression_tree_walker(node, visit, nullptr);
#else
  return expression_tree_walker(node, reinterpret_cast<bool (*)()>(reinterpret_cast<void (*)()>(visit)), nullptr);
#endif
}

// make_range takes a place for soft errors since 16.
inline RangeType *make_int8_range(TypeCacheEntry *range_type, RangeBound *lower, RangeBound *upper) {
#if PG_VERSION_NUM >= 160000
  return make_range(range_type, lower, upper, false, nullptr);
#else
  return make_range(range_type, lower, upper, false);
#endif
}

// heap_update tells since 16 what kind of indexes want the new version; before, the tuple itself tells. Sets
// `into_indexes` to whether all indexes do.
inline TM_Result heap_update_row(Relation heap, ItemPointer place, HeapTuple tuple, bool &into_indexes) {
  TM_FailureData failure;
  LockTupleMode mode;
#if PG_VERSION_NUM >= 160000
  TU_UpdateIndexes wanted = TU_None;
  const TM_Result result =
      heap_update(heap, place, tuple, GetCurrentCommandId(true), InvalidSnapshot, true, &failure, &mode, &wanted);
  into_indexes = wanted == TU_All;  // those that summarise are not among ours
#else
  const TM_Result result =
      heap_update(heap, place, tuple, GetCurrentCommandId(true), InvalidSnapshot, true, &failure, &mode);
  into_indexes = !HeapTupleIsHeapOnly(tuple);
#endif
  return result;
}

}  // namespace awa::pg
