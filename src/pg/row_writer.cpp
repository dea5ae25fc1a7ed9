#include "pg/row_writer.hpp"

#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/keys.hpp"
#include "pg/row_indexes.hpp"

namespace awa::pg {

namespace {

constexpr int kPatience = 1;  // ms

// Runs a write that must not wait for long, and tells what it would have waited for.
template <typename Write>
void without_waiting(const OpenTable &table, Write &&write) {
  const LockTimeoutScope bounded(kPatience);
  guarded_unless(ERRCODE_LOCK_NOT_AVAILABLE, write, [&] {
    raise({.sqlstate = ERRCODE_LOCK_NOT_AVAILABLE,
           .message = format("a row of table \"%s\" is locked by another transaction",
                             RelationGetRelationName(table.relation())),
           .detail = "It was locked past the functions of awa_ring, which never wait for it.",
           .hint = "Try again when that transaction has ended."});
  });
}

// C room.
void require_ours(const OpenTable &table, TM_Result result) {
  if (result == TM_Ok) return;
  const char *const name = RelationGetRelationName(table.relation());
  if (result == TM_SelfModified) elog(ERROR, "a row of table \"%s\" was changed twice by one command", name);
  ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
                  errmsg("a row of table \"%s\" was changed by another transaction", name),
                  errdetail("It was changed past the functions of awa_ring."), errhint("Try again.")));
}

// Whether this transaction alone has the row locked, and nobody has changed it since: as after UPDATE of a row that it had
// locked, whose new version inherits the lock. C room.
bool is_only_ours(const OpenTable &table, ItemPointerData place) {
  HeapTupleData tuple;
  tuple.t_self = place;
  Buffer buffer = InvalidBuffer;
  if (!heap_fetch(table.relation(), SnapshotAny, &tuple, &buffer, false)) return false;
  const std::uint16_t marks = tuple.t_data->t_infomask;
  const bool is_ours = (marks & (HEAP_XMAX_INVALID | HEAP_XMAX_IS_MULTI)) == 0 && HEAP_XMAX_IS_LOCKED_ONLY(marks) &&
                       TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetRawXmax(tuple.t_data));
  ReleaseBuffer(buffer);
  return is_ours;
}

// C room.
TM_Result remove(const OpenTable &table, ItemPointerData place, bool waits) {
  CheckCmdReplicaIdentity(table.relation(), CMD_DELETE);
  Assert(!XactReadOnly && !IsInParallelMode());
  Assert(CheckRelationLockedByMe(table.relation(), RowExclusiveLock, true));
  TM_FailureData failure;
  return heap_delete(table.relation(), &place, GetCurrentCommandId(true), InvalidSnapshot, waits, &failure, false);
}

}  // namespace

void detail::replace(const OpenTable &table, ItemPointerData place, FillRow fill, void *argument) {
  require_writable_table(table);
  without_waiting(table, [&] {
    // A published table must be able to name its old rows.
    CheckCmdReplicaIdentity(table.relation(), CMD_UPDATE);
    Datum values[kMostColumns] = {};
    bool nulls[kMostColumns];
    std::fill(nulls, nulls + table.descriptor()->natts, true);
    fill(argument, 0, NewRow(values, nulls));
    HeapTuple const tuple = form_row(table, values, nulls);
    bool into_indexes = false;
    require_ours(table, heap_update_row(table.relation(), &place, tuple, into_indexes));
    if (into_indexes) {
      OpenIndexes indexes;
      open_indexes(table, indexes);
      insert_into_indexes(table, indexes, values, nulls, &tuple->t_self, Version::next);
      close_indexes(table, indexes);
    }
    heap_freetuple(tuple);
  });
}

bool try_erase(const OpenTable &table, ItemPointerData place) {
  detail::require_writable_table(table);
  return guarded([&] {
    const TM_Result result = remove(table, place, false);
    // One that may wait looks whose lock it is, and does not wait for its own.
    if (result == TM_BeingModified && is_only_ours(table, place)) return remove(table, place, true) == TM_Ok;
    return result == TM_Ok;
  });
}

void erase(const OpenTable &table, ItemPointerData place) {
  detail::require_writable_table(table);
  without_waiting(table, [&] { require_ours(table, remove(table, place, true)); });
}

}  // namespace awa::pg
