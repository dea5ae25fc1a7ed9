#include "pg/row_indexes.hpp"

#include "pg/compat.hpp"
#include "pg/error.hpp"

namespace awa::pg::detail {

namespace {

void check_row(const OpenTable &table, const Datum *values, const bool *nulls) {
  TupleDesc const descriptor = RelationGetDescr(table.relation());  // a copy has lost attnotnull
  Assert(!XactReadOnly && !IsInParallelMode());
  Assert(CheckRelationLockedByMe(table.relation(), RowExclusiveLock, true));
  if (table.slot() != kNotALeaf && (nulls[0] || DatumGetInt32(values[0]) != table.slot())) {
    const char *const given = nulls[0] ? "null" : psprintf("%d", DatumGetInt32(values[0]));
    elog(ERROR, "row of slot %s for table \"%s\"", given, RelationGetRelationName(table.relation()));
  }
  for (int i = 0; i < descriptor->natts; ++i) {
    if (nulls[i] && TupleDescAttr(descriptor, i)->attnotnull) {
      ereport(ERROR, (errcode(ERRCODE_NOT_NULL_VIOLATION),
                      errmsg("null value in column \"%s\" of relation \"%s\" violates not-null constraint",
                             table.cached().shape().columns[static_cast<std::size_t>(i)].name,
                             RelationGetRelationName(table.relation())),
                      errtablecol(table.relation(), i + 1)));
    }
  }
}

#ifdef USE_ASSERT_CHECKING
void check_constraints(const OpenTable &table, const Datum *values, const bool *nulls) {
  EState *const state = CreateExecutorState();
  ResultRelInfo *const target = makeNode(ResultRelInfo);
  InitResultRelInfo(target, table.relation(), 0, nullptr, 0);
  TupleTableSlot *const slot = MakeSingleTupleTableSlot(table.descriptor(), &TTSOpsVirtual);
  memcpy(slot->tts_values, values, sizeof(Datum) * static_cast<std::size_t>(table.descriptor()->natts));
  memcpy(slot->tts_isnull, nulls, sizeof(bool) * static_cast<std::size_t>(table.descriptor()->natts));
  ExecStoreVirtualTuple(slot);
  if (table.relation()->rd_att->constr != nullptr) ExecConstraints(target, slot, state);
  ExecDropSingleTupleTableSlot(slot);
  FreeExecutorState(state);
}
#endif

// What predicates and expressions of indexes are evaluated on.
void set_candidate(const OpenTable &table, const Datum *values, const bool *nulls) {
  TupleTableSlot *const row = table.candidate();
  const auto columns = static_cast<std::size_t>(table.descriptor()->natts);
  ExecClearTuple(row);
  memcpy(row->tts_values, values, sizeof(Datum) * columns);
  memcpy(row->tts_isnull, nulls, sizeof(bool) * columns);
  ExecStoreVirtualTuple(row);
  table.evaluation()->ecxt_scantuple = row;
}

// Whether a row belongs into the index: all do, unless it is partial.
bool belongs(const OpenTable &table, const CachedIndex &index, const Datum *values, const bool *nulls) {
  if (index.not_null_column > 0) return !nulls[index.not_null_column - 1];
  if (index.predicate == nullptr) return true;
  set_candidate(table, values, nulls);
  return ExecQualAndReset(index.predicate, table.evaluation());
}

// Where an access method keeps what it needs between insertions; what it had is forgotten.
void keep_in(const CachedIndex &index, MemoryContext context) {
  index.info->ii_AmCache = nullptr;
  index.info->ii_Context = context;
}

// Whether nothing that the access method keeps outlives the write: it may point into a relation cache entry that is gone, and
// that of BRIN into buffers.
bool is_for_one_write(const OpenTable &table, const CachedIndex &index) {
  return table.outdated() || index.info->ii_Am == BRIN_AM_OID;
}

}  // namespace

void require_writable_table(const OpenTable &table) {
  const char *const reason = table.not_appendable();
  if (reason == nullptr) return;
  const char *const name = RelationGetRelationName(table.relation());
  raise({.sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
         .message = format("cannot write to table \"%s\"", name),
         .detail = format("The tables of awa_ring are written directly, and this one cannot be: %s.", reason),
         .hint = "Undo it: the tables belong to the extension."});
}

void open_indexes(const OpenTable &table, OpenIndexes &indexes) {
  const auto cached = table.all_indexes();
  indexes.relations = static_cast<Relation *>(palloc(sizeof(Relation) * (cached.size() + 1)));
  for (std::size_t i = 0; i < cached.size(); ++i) {
    indexes.relations[i] = index_open(cached[i].oid, RowExclusiveLock);
  }
  for (const CachedIndex &index : cached) {
    if (is_for_one_write(table, index)) keep_in(index, CurrentMemoryContext);
  }
}

void close_indexes(const OpenTable &table, OpenIndexes &indexes) {
  const auto cached = table.all_indexes();
  for (std::size_t i = cached.size(); i-- > 0;) {
    end_insertions(indexes.relations[i], cached[i].info);
    if (cached[i].info->ii_Context != table.context()) keep_in(cached[i], table.context());
    index_close(indexes.relations[i], RowExclusiveLock);
  }
  pfree(indexes.relations);
}

void insert_into_indexes(const OpenTable &table, OpenIndexes &indexes, const Datum *values, const bool *nulls,
                         ItemPointer place, Version version) {
  const auto cached = table.all_indexes();
  for (std::size_t i = 0; i < cached.size(); ++i) {
    const CachedIndex &index = cached[i];
    if (!index.info->ii_ReadyForInserts) continue;
    if (!belongs(table, index, values, nulls)) continue;
    Datum key[INDEX_MAX_KEYS];
    bool key_null[INDEX_MAX_KEYS];
    List *const expressions = index.info->ii_ExpressionsState;
    if (expressions != NIL) set_candidate(table, values, nulls);
    int next = 0;
    for (int k = 0; k < index.info->ii_NumIndexAttrs; ++k) {
      const AttrNumber column = index.info->ii_IndexAttrNumbers[k];
      if (column == 0) {
        auto *const state = static_cast<ExprState *>(list_nth(expressions, next++));
        key[k] = ExecEvalExprSwitchContext(state, table.evaluation(), &key_null[k]);
        continue;
      }
      key[k] = values[column - 1];
      key_null[k] = nulls[column - 1];
    }
    index_insert(indexes.relations[i], key, key_null, place, table.relation(),
                 index.info->ii_Unique ? UNIQUE_CHECK_YES : UNIQUE_CHECK_NO, version == Version::next, index.info);
    if (expressions != NIL) ResetExprContext(table.evaluation());
  }
}

HeapTuple form_row(const OpenTable &table, const Datum *values, const bool *nulls) {
  check_row(table, values, nulls);
#ifdef USE_ASSERT_CHECKING
  check_constraints(table, values, nulls);
#endif
  HeapTuple const tuple = heap_form_tuple(table.descriptor(), const_cast<Datum *>(values), const_cast<bool *>(nulls));
  tuple->t_tableOid = RelationGetRelid(table.relation());
  return tuple;
}

}  // namespace awa::pg::detail
