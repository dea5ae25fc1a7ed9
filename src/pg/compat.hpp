// What differs between PostgreSQL 15 and 18, one block a difference.
#pragma once

#include "pg/postgres.hpp"

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

// index_beginscan takes a place for instrumentation since 18.
inline IndexScanDesc begin_index_scan(Relation heap, Relation index, Snapshot snapshot, int keys) {
#if PG_VERSION_NUM >= 180000
  return index_beginscan(heap, index, snapshot, nullptr, keys, 0);
#else
  return index_beginscan(heap, index, snapshot, keys, 0);
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

// simple_heap_update tells since 16 what kind of indexes want the new version; before, the tuple itself tells. Returns
// whether all indexes do.
inline bool heap_update_row(Relation heap, ItemPointer place, HeapTuple tuple) {
#if PG_VERSION_NUM >= 160000
  TU_UpdateIndexes wanted = TU_None;
  simple_heap_update(heap, place, tuple, &wanted);
  return wanted == TU_All;
#else
  simple_heap_update(heap, place, tuple);
  return !HeapTupleIsHeapOnly(tuple);
#endif
}

}  // namespace awa::pg
