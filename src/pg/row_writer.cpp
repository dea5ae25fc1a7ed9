#include "pg/row_writer.hpp"

#include "pg/compat.hpp"
#include "pg/row_indexes.hpp"

namespace awa::pg {

namespace {

// C room.
void require_ours(const OpenTable &table, TM_Result result) {
  if (result == TM_Ok) return;
  const char *const name = RelationGetRelationName(table.relation());
  if (result == TM_SelfModified) elog(ERROR, "a row of table \"%s\" was changed twice by one command", name);
  ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
                  errmsg("a row of table \"%s\" was changed by another transaction", name),
                  errdetail("It was changed past the functions of awa_ring."), errhint("Try again.")));
}

// What is noted on a row about who changes or locks it, or did. C room.
struct Marks {
  std::uint16_t bits = 0;
  TransactionId xid = InvalidTransactionId;

  bool none() const noexcept { return (bits & HEAP_XMAX_INVALID) != 0; }
};

Marks marks_of(const OpenTable &table, ItemPointerData place) {
  HeapTupleData row;
  row.t_self = place;
  Buffer buffer = InvalidBuffer;
  if (!heap_fetch(table.relation(), SnapshotAny, &row, &buffer, false)) return {};
  const Marks marks{row.t_data->t_infomask, HeapTupleHeaderGetRawXmax(row.t_data)};
  ReleaseBuffer(buffer);
  return marks;
}

// Whether this transaction alone has the row locked, and nobody has changed it since: as after UPDATE of a row that it had
// locked, whose new version inherits the lock.
bool is_only_ours(const Marks &marks) noexcept {
  return (marks.bits & (HEAP_XMAX_INVALID | HEAP_XMAX_IS_MULTI)) == 0 && HEAP_XMAX_IS_LOCKED_ONLY(marks.bits) &&
         TransactionIdIsCurrentTransactionId(marks.xid);
}

// Sees to it that a write of the row waits for nobody; a lock that the row has is met by one of our own. C room. Errors:
// 55P03 when somebody has it locked against that.
void require_unlocked(const OpenTable &table, ItemPointerData place, LockTupleMode mode) {
  const Marks marks = marks_of(table, place);
  if (marks.none() || is_only_ours(marks)) return;
  HeapTupleData row;
  row.t_self = place;
  Buffer buffer = InvalidBuffer;
  TM_FailureData failure;
  const TM_Result result =
      heap_lock_tuple(table.relation(), &row, GetCurrentCommandId(true), mode, LockWaitError, false, &buffer, &failure);
  ReleaseBuffer(buffer);
  require_ours(table, result);
}

// Writes the new row, if the one there is the newest. C room.
TM_Result put(const OpenTable &table, ItemPointerData place, detail::FillRow fill, void *argument) {
  const detail::ToastSnapshot snapshot;
  // A published table must be able to name its old rows.
  CheckCmdReplicaIdentity(table.relation(), CMD_UPDATE);
  Datum values[kMostColumns] = {};
  bool nulls[kMostColumns];
  std::fill(nulls, nulls + table.descriptor()->natts, true);
  fill(argument, 0, NewRow(values, nulls));
  HeapTuple const tuple = detail::form_row(table, values, nulls);
  bool into_indexes = false;
  const TM_Result result = heap_update_row(table.relation(), &place, tuple, into_indexes);
  if (result == TM_Ok && into_indexes) {
    detail::OpenIndexes indexes;
    open_indexes(table, indexes);
    insert_into_indexes(table, indexes, values, nulls, &tuple->t_self, detail::Version::next);
    close_indexes(table, indexes);
  }
  heap_freetuple(tuple);
  snapshot.pop();
  return result;
}

// C room.
TM_Result remove(const OpenTable &table, ItemPointerData place, bool waits) {
  CheckCmdReplicaIdentity(table.relation(), CMD_DELETE);
  Assert(!XactReadOnly && !IsInParallelMode());
  Assert(CheckRelationLockedByMe(table.relation(), RowExclusiveLock, true));
  const detail::ToastSnapshot snapshot;
  TM_FailureData failure;
  const TM_Result result =
      heap_delete(table.relation(), &place, GetCurrentCommandId(true), InvalidSnapshot, waits, &failure, false);
  snapshot.pop();
  return result;
}

}  // namespace

void detail::replace(const OpenTable &table, ItemPointerData place, FillRow fill, void *argument) {
  require_writable_table(table);
  guarded([&] {
    require_unlocked(table, place, LockTupleNoKeyExclusive);
    require_ours(table, put(table, place, fill, argument));
  });
}

Replaced detail::replace_waiting(const OpenTable &table, ItemPointerData place, FillRow fill, void *argument) {
  require_writable_table(table);
  return guarded([&] {
    const TM_Result result = put(table, place, fill, argument);
    if (result != TM_Updated && result != TM_Deleted) {
      require_ours(table, result);
      return Replaced::done;
    }
    if (IsolationUsesXactSnapshot()) {
      ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
                      result == TM_Updated ? errmsg("could not serialize access due to concurrent update")
                                           : errmsg("could not serialize access due to concurrent delete")));
    }
    return result == TM_Updated ? Replaced::changed : Replaced::gone;
  });
}

bool try_erase(const OpenTable &table, ItemPointerData place) {
  detail::require_writable_table(table);
  return guarded([&] {
    const TM_Result result = remove(table, place, false);
    // One that may wait looks whose lock it is, and does not wait for its own.
    if (result == TM_BeingModified && is_only_ours(marks_of(table, place))) return remove(table, place, true) == TM_Ok;
    return result == TM_Ok;
  });
}

void erase(const OpenTable &table, ItemPointerData place) {
  detail::require_writable_table(table);
  guarded([&] {
    require_unlocked(table, place, LockTupleExclusive);
    require_ours(table, remove(table, place, true));
  });
}

}  // namespace awa::pg
