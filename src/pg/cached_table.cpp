#include "pg/cached_table.hpp"

#include "pg/error.hpp"
#include "pg/lock_owner.hpp"

namespace awa::pg {

namespace {

constexpr const char *kSchema = "awa";

// Tables that some backend-local state was kept for; the invalidation callback walks them.
constinit CachedTable *watched = nullptr;

void name_of(const CachedTable &table, char (&name)[NAMEDATALEN]) {
  if (table.slot() == kNotALeaf) {
    strlcpy(name, table.shape().name, sizeof name);
  } else {
    snprintf(name, sizeof name, "%s_%d", table.shape().name, table.slot());
  }
}

// Column IS NOT NULL, and nothing else.
AttrNumber not_null_column(List *predicate) {
  if (list_length(predicate) != 1 || !IsA(linitial(predicate), NullTest)) return -1;
  const auto *const test = static_cast<NullTest *>(linitial(predicate));
  if (test->nulltesttype != IS_NOT_NULL || !IsA(test->arg, Var)) return -1;
  return reinterpret_cast<const Var *>(test->arg)->varattno;
}

bool has_columns(const CachedIndex &index, Relation relation, const IndexShape &shape) {
  if (relation->rd_rel->relam != shape.method) return false;
  for (std::size_t i = 0; i < shape.columns.size(); ++i) {
    const bool present = i < static_cast<std::size_t>(index.info->ii_NumIndexKeyAttrs);
    if ((present ? index.info->ii_IndexAttrNumbers[i] : AttrNumber{0}) != shape.columns[i]) return false;
  }
  return (index.info->ii_Predicate != NIL) == shape.partial;
}

void check_columns(const TableShape &shape, Relation heap) {
  TupleDesc const descriptor = RelationGetDescr(heap);
  bool as_expected = static_cast<std::size_t>(descriptor->natts) == shape.columns.size();
  for (int i = 0; as_expected && i < descriptor->natts; ++i) {
    const FormData_pg_attribute *const attribute = TupleDescAttr(descriptor, i);
    const Column &column = shape.columns[static_cast<std::size_t>(i)];
    as_expected = !attribute->attisdropped && attribute->atttypid == column.type &&
                  strcmp(NameStr(attribute->attname), column.name) == 0;
  }
  if (!as_expected) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("table \"%s\" does not have the columns that awa_ring expects", RelationGetRelationName(heap)),
             errhint("The library and the extension differ in version: see ALTER EXTENSION awa_ring UPDATE.")));
  }
}

// Triggers of ours know that the direct writer passes them by; a stranger's would be passed by in silence.
bool has_foreign_trigger(Relation heap) {
  if (heap->trigdesc == nullptr) return false;
  const Oid schema = get_namespace_oid(kSchema, false);
  for (int i = 0; i < heap->trigdesc->numtriggers; ++i) {
    if (get_func_namespace(heap->trigdesc->triggers[i].tgfoid) != schema) return true;
  }
  return false;
}

const char *why_not_appendable(Relation heap) {
  if (heap->rd_rel->relkind != RELKIND_RELATION) return "it is not an ordinary table";
  if (heap->rd_rel->relam != HEAP_TABLE_AM_OID) return "its access method is not heap";
  if (heap->rd_rel->relrowsecurity) return "it has row security";
  if (has_foreign_trigger(heap)) return "it has a trigger that does not belong to awa_ring";
  const TupleConstr *const constraints = RelationGetDescr(heap)->constr;
  if (constraints != nullptr && constraints->has_generated_stored) return "it has a generated column";
  return nullptr;
}

const char *why_index_not_appendable(const IndexInfo *info, Relation index) {
  if (info->ii_Expressions != NIL) return "it has an index on an expression";
  if (info->ii_ExclusionOps != nullptr) return "it has an exclusion constraint";
  if (!index->rd_index->indimmediate) return "it has a deferrable constraint";
  return nullptr;
}

}  // namespace

void CachedTable::watch_invalidations() {
  CacheRegisterRelcacheCallback([](Datum argument, Oid relation) { invalidated(argument, relation); }, Datum{0});
}

bool CachedTable::depends_on(Oid relation) const noexcept {
  if (relation == oid_) return true;
  return std::any_of(indexes_, indexes_ + index_count_,
                     [=](const CachedIndex &index) { return index.oid == relation; });
}

void CachedTable::invalidated(Datum, Oid relation) noexcept {
  for (CachedTable *table = watched; table != nullptr; table = table->next_watched_) {
    if (!OidIsValid(relation) || table->depends_on(relation)) table->stale_ = true;
  }
}

void CachedTable::forget() noexcept {
  if (context_ != nullptr) MemoryContextDelete(context_);
  context_ = nullptr;
  oid_ = InvalidOid;
  known_ = false;
  stale_ = false;
  not_appendable_ = nullptr;
  descriptor_ = nullptr;
  index_count_ = 0;
}

// C room.
void CachedTable::find() {
  char name[NAMEDATALEN];
  name_of(*this, name);
  const Oid schema = get_namespace_oid(kSchema, true);
  oid_ = OidIsValid(schema) ? get_relname_relid(name, schema) : InvalidOid;
  if (!OidIsValid(oid_)) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("table \"%s.%s\" does not exist", kSchema, name),
             errhint("awa_ring is not installed in this database: CREATE EXTENSION awa_ring.")));
  }
  if (!watched_) {
    next_watched_ = watched;
    watched = this;
    watched_ = true;
  }
}

// C room.
void CachedTable::learn(Relation heap) {
  check_columns(*shape_, heap);
  if (context_ == nullptr) {
    context_ = AllocSetContextCreate(CacheMemoryContext, "awa_ring table", ALLOCSET_SMALL_SIZES);
  } else {
    MemoryContextReset(context_);  // an error cut learning short
  }
  MemoryContext const before = MemoryContextSwitchTo(context_);
  descriptor_ = CreateTupleDescCopy(RelationGetDescr(heap));
  not_appendable_ = why_not_appendable(heap);
  std::fill(shape_index_, shape_index_ + kMostIndexes, -1);
  index_count_ = 0;
  List *const oids = RelationGetIndexList(heap);
  ListCell *cell;
  foreach (cell, oids) {
    if (index_count_ == kMostIndexes) {
      not_appendable_ = "it has more than 8 indexes";
      break;
    }
    Relation const relation = index_open(lfirst_oid(cell), AccessShareLock);
    IndexInfo *const info = BuildIndexInfo(relation);
    CachedIndex &index = indexes_[index_count_];
    index = {RelationGetRelid(relation), info,
             info->ii_Predicate == NIL ? AttrNumber{0} : not_null_column(info->ii_Predicate)};
    if (not_appendable_ == nullptr) not_appendable_ = why_index_not_appendable(info, relation);
    for (std::size_t i = 0; i < shape_->indexes.size(); ++i) {
      if (has_columns(index, relation, shape_->indexes[i])) shape_index_[i] = index_count_;
    }
    ++index_count_;
    index_close(relation, AccessShareLock);
  }
  MemoryContextSwitchTo(before);
  for (std::size_t i = 0; i < shape_->indexes.size(); ++i) {
    if (shape_index_[i] < 0) {
      ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                      errmsg("table \"%s\" lacks an index that awa_ring needs", RelationGetRelationName(heap)),
                      errhint("Recreate the index as the extension's script creates it.")));
    }
  }
  known_ = true;
}

OpenTable::OpenTable(CachedTable &table, LOCKMODE mode) : table_(&table), mode_(mode) {
  for (;;) {
    guarded([this] {
      if (table_->stale_ && table_->users_ == 0) table_->forget();
      if (!OidIsValid(table_->oid_)) table_->find();
    });
    const Oid oid = table_->oid_;
    lock(oid);
    // Locking accepts invalidations: only now is it certain whether what we know is right.
    const bool outdated = table_->stale_ && table_->users_ == 0;
    if (!outdated) relation_ = guarded([=] { return try_relation_open(oid, NoLock); });
    if (relation_ != nullptr) break;
    release(oid);
    table_->forget();
  }
  if (!table_->known_) guarded([this] { table_->learn(relation_); });
  ++table_->users_;
}

void OpenTable::lock(Oid oid) const {
  const LocksOfTransaction owner;
  guarded([=, this] { LockRelationOid(oid, mode_); });
}

void OpenTable::release(Oid oid) const {
  const LocksOfTransaction owner;
  guarded([=, this] { UnlockRelationOid(oid, mode_); });
}

OpenTable::~OpenTable() {
  if (relation_ == nullptr) return;
  --table_->users_;
  if (std::uncaught_exceptions() > unwinding_) return;  // the abort closes it
  guarded_in_destructor([this] { relation_close(relation_, NoLock); });
}

bool OpenTable::has_no_blocks() const {
  return guarded([this] { return RelationGetNumberOfBlocks(relation_) == 0; });
}

void OpenTable::unlock() {
  Relation const relation = std::exchange(relation_, nullptr);
  const Oid oid = RelationGetRelid(relation);
  --table_->users_;
  guarded([=] { relation_close(relation, NoLock); });
  release(oid);
}

}  // namespace awa::pg
