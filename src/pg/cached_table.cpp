#include "pg/cached_table.hpp"

#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/lock_owner.hpp"
#include "pg/planted_fault.hpp"

namespace awa::pg {

namespace {

// Functions in these are ours.
constexpr const char *kOurSchemas[] = {"awa", "awa_ledger"};

// Tables that some backend-local state was kept for; the invalidation callback walks them.
constinit CachedTable *watched = nullptr;

void name_of(const CachedTable &table, char (&name)[NAMEDATALEN]) {
  if (table.slot() == kNotALeaf) {
    strlcpy(name, table.shape().name, sizeof name);
  } else {
    snprintf(name, sizeof name, "%s_%d", table.shape().name, table.slot());
  }
}

// The column of a predicate that says "column IS NOT NULL" and nothing else, or 0.
AttrNumber not_null_column_of(List *predicate) {
  if (list_length(predicate) != 1 || !IsA(linitial(predicate), NullTest)) return 0;
  const auto *const test = static_cast<NullTest *>(linitial(predicate));
  if (test->nulltesttype != IS_NOT_NULL || !IsA(test->arg, Var)) return 0;
  return std::max<AttrNumber>(reinterpret_cast<const Var *>(test->arg)->varattno,
                              0);  // of a whole row it is something else
}

bool is_column(Node *node, AttrNumber column) {
  return IsA(node, Var) && reinterpret_cast<const Var *>(node)->varattno == column;
}

// By structure: the text of a predicate depends on settings.
bool has_predicate(const IndexInfo *info, const IndexPredicate &wanted) {
  if (wanted.kind == IndexPredicate::Kind::none || list_length(info->ii_Predicate) != 1) {
    return wanted.kind == IndexPredicate::Kind::none && info->ii_Predicate == NIL;
  }
  auto *const node = static_cast<Node *>(linitial(info->ii_Predicate));
  if (wanted.kind != IndexPredicate::Kind::greater_than) {
    if (!IsA(node, NullTest)) return false;
    const auto *const test = reinterpret_cast<const NullTest *>(node);
    const NullTestType kind = wanted.kind == IndexPredicate::Kind::is_null ? IS_NULL : IS_NOT_NULL;
    return test->nulltesttype == kind && is_column(reinterpret_cast<Node *>(test->arg), wanted.column);
  }
  if (!IsA(node, OpExpr)) return false;
  const auto *const comparison = reinterpret_cast<const OpExpr *>(node);
  if (get_opcode(comparison->opno) != F_INT4GT ||
      !is_column(static_cast<Node *>(linitial(comparison->args)), wanted.column)) {
    return false;
  }
  auto *const operand = static_cast<Node *>(lsecond(comparison->args));
  if (!IsA(operand, Const)) return false;
  const auto *const constant = reinterpret_cast<const Const *>(operand);
  return !constant->constisnull && DatumGetInt32(constant->constvalue) == wanted.constant;
}

// Whether evaluating it runs code that does not come with PostgreSQL: that may keep state from one row to the next, which an
// error leaves behind, or call us.
bool calls_strange_function(Node *node, void *) {
  if (node == nullptr) return false;
  const auto is_strange = [](Oid function, void *) { return function >= FirstNormalObjectId; };
  return check_functions_in_node(node, is_strange, nullptr) || walk_expression(node, calls_strange_function);
}

// Whether an index is one that the code counts on: valid, of the columns, in their types' default ascending order.
bool is_of_shape(const CachedIndex &index, Relation relation, const TableShape &table, const IndexShape &shape) {
  if (!relation->rd_index->indisvalid) return false;  // one that is being built holds part of the rows
  if (relation->rd_rel->relam != shape.method) return false;
  if (shape.unique && !(relation->rd_index->indisunique && relation->rd_index->indimmediate)) return false;
  if (!has_predicate(index.info, shape.predicate) || index.info->ii_Expressions != NIL) return false;
  const auto keys = static_cast<std::size_t>(index.info->ii_NumIndexKeyAttrs);
  for (std::size_t i = 0; i < shape.columns.size(); ++i) {
    const AttrNumber column = i < keys ? index.info->ii_IndexAttrNumbers[i] : AttrNumber{0};
    if (column != shape.columns[i]) return false;
    if (column == 0) continue;
    const Oid usual = GetDefaultOpClass(table.columns[static_cast<std::size_t>(column - 1)].type, shape.method);
    if (relation->rd_indoption[i] != 0 || !OidIsValid(usual)) return false;
    if (relation->rd_opfamily[i] != get_opclass_family(usual)) return false;
    const Oid collation = relation->rd_indcollation[i];
    if (OidIsValid(collation) && collation != C_COLLATION_OID) return false;
  }
  return true;
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

// Calls test(trigger, is_ours) for the table's triggers until it says true; tells whether it did.
template <typename Test>
bool any_trigger(Relation heap, Test &&test) {
  // A copy: looking up a function's schema may rebuild the relation's cache entry, and frees the list it had.
  const TriggerDesc *const list = CopyTriggerDesc(heap->trigdesc);
  if (list == nullptr) return false;
  return std::any_of(list->triggers, list->triggers + list->numtriggers, [&](const Trigger &trigger) {
    const Oid schema = get_func_namespace(trigger.tgfoid);
    const bool is_ours = std::any_of(std::begin(kOurSchemas), std::end(kOurSchemas), [=](const char *ours) {
      return OidIsValid(schema) && get_namespace_oid(ours, true) == schema;
    });
    return test(trigger, is_ours);
  });
}

// Triggers of ours know that the direct writer passes them by; a stranger's would be passed by in silence.
bool has_foreign_trigger(Relation heap) {
  return any_trigger(heap, [](const Trigger &, bool is_ours) { return !is_ours; });
}

bool has_disarmed_trigger(Relation heap) {
  return any_trigger(
      heap, [](const Trigger &trigger, bool is_ours) { return is_ours && trigger.tgenabled != TRIGGER_FIRES_ALWAYS; });
}

// What is asked of a leaf and of the table that it is a partition of.
const char *why_strange(Relation table) {
  if (table->rd_rel->relrowsecurity) return "it has row security";
  if (table->rd_rules != nullptr) return "it has a rule";
  if (has_foreign_trigger(table)) return "it has a trigger that does not belong to awa_ring";
  return nullptr;
}

const char *why_not_appendable(Relation heap, const TableShape &shape) {
  if (heap->rd_rel->relkind != RELKIND_RELATION) return "it is not an ordinary table";
  if (heap->rd_rel->relam != HEAP_TABLE_AM_OID) return "its access method is not heap";
  if (const char *const reason = why_strange(heap)) return reason;
  const TupleConstr *const constraints = RelationGetDescr(heap)->constr;
  if (constraints != nullptr && has_generated_column(*constraints)) return "it has a generated column";
  if ((constraints != nullptr ? constraints->num_check : 0) != shape.checks) {
    return "it has not the number of CHECK constraints that awa_ring gave it";
  }
  return nullptr;
}

// Of a leaf: what holds for statements on the partitioned table holds for what is written to it.
const char *why_not_appendable(Relation heap, const TableShape &shape, Oid parent) {
  const char *const reason = why_not_appendable(heap, shape);
  if (reason != nullptr || !OidIsValid(parent)) return reason;
  // Not locked: others lock a table before its partitions. While a partition is locked, it stays one.
  Relation const table = RelationIdGetRelation(parent);
  if (table == nullptr) return "the table it is a partition of is gone";
  const char *const parents_reason = why_strange(table);
  RelationClose(table);
  return parents_reason == nullptr ? nullptr : psprintf("it is a partition of one that cannot be: %s", parents_reason);
}

const char *why_index_not_appendable(const IndexInfo *info, Relation index) {
  const Oid method = index->rd_rel->relam;
  if (method != BTREE_AM_OID && method != GIST_AM_OID && method != HASH_AM_OID && method != BRIN_AM_OID) {
    return "it has an index of a method that keeps state between insertions";
  }
  if (info->ii_ExclusionOps != nullptr) return "it has an exclusion constraint";
  if (!index->rd_index->indimmediate) return "it has a deferrable constraint";
  if (calls_strange_function(reinterpret_cast<Node *>(info->ii_Predicate), nullptr)) {
    return "it has a partial index whose predicate calls a function that does not come with PostgreSQL";
  }
  if (calls_strange_function(reinterpret_cast<Node *>(info->ii_Expressions), nullptr)) {
    return "it has an index on an expression that calls a function that does not come with PostgreSQL";
  }
  return nullptr;
}

List *planned(List *expressions) {
  return reinterpret_cast<List *>(expression_planner(reinterpret_cast<Expr *>(expressions)));
}

}  // namespace

void CachedTable::watch_invalidations() {
  CacheRegisterRelcacheCallback([](Datum, Oid relation) { invalidated(relation); }, Datum{0});
}

void CachedTable::invalidated(Oid relation) noexcept {
  const auto concerns = [=](const CachedTable &table) {
    if (!OidIsValid(relation) || relation == table.oid_) return true;
    if (table.facts_ == nullptr)
      return OidIsValid(table.oid_);  // it is being learnt: of which indexes is not known yet
    if (relation == table.facts_->parent) return true;
    const CachedIndex *const indexes = table.facts_->indexes;
    return std::any_of(indexes, indexes + table.facts_->index_count,
                       [=](const CachedIndex &index) { return index.oid == relation; });
  };
  for (CachedTable *table = watched; table != nullptr; table = table->next_watched_) {
    if (!concerns(*table)) continue;
    table->stale_ = true;
    ++table->edition_;
    table->was_empty_ = false;
  }
}

void CachedTable::forget_all() {
  guarded([] { CacheInvalidateRelcacheAll(); });
}

std::uint32_t CachedTable::edition_now() const {
  guarded([] { AcceptInvalidationMessages(); });
  return edition_;
}

void CachedTable::announce_change(Oid table) {
  guarded([=] { CacheInvalidateRelcacheByRelid(table); });
}

void CachedTable::retire() noexcept {
  if (facts_ != nullptr) {
    facts_->retired = true;
    if (facts_->users == 0) MemoryContextDelete(facts_->context);
  }
  facts_ = nullptr;
  oid_ = InvalidOid;
  stale_ = false;
}

// C room.
Oid CachedTable::find() {
  char name[NAMEDATALEN];
  name_of(*this, name);
  const Oid schema = get_namespace_oid(shape_->schema, true);
  const Oid found = OidIsValid(schema) ? get_relname_relid(name, schema) : InvalidOid;
  if (!OidIsValid(found)) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("table \"%s.%s\" does not exist", shape_->schema, name),
                    errhint("awa_ring is not installed in this database: CREATE EXTENSION awa_ring.")));
  }
  if (!watched_) {
    next_watched_ = watched;
    watched = this;
    watched_ = true;
  }
  return found;
}

// C room.
void CachedTable::learn(Relation heap) {
  check_columns(*shape_, heap);
  const Oid parent = heap->rd_rel->relispartition ? get_partition_parent(RelationGetRelid(heap), false) : InvalidOid;
  const char *not_appendable = why_not_appendable(heap, *shape_, parent);
  if (slot_ != kNotALeaf && !OidIsValid(parent)) not_appendable = "it is no partition any more";
  const bool disarmed = has_disarmed_trigger(heap);
  // Made where an error frees it, and kept only when it is whole.
  MemoryContext const context = AllocSetContextCreate(CurrentMemoryContext, "awa_ring table", ALLOCSET_SMALL_SIZES);
  MemoryContext const before = MemoryContextSwitchTo(context);
  auto *const facts = new (palloc(sizeof(TableFacts))) TableFacts{.context = context};
  facts->descriptor = CreateTupleDescCopy(RelationGetDescr(heap));
  facts->parent = parent;
  facts->not_appendable = not_appendable == nullptr ? nullptr : pstrdup(not_appendable);
  facts->disarmed = disarmed;
  std::fill(facts->shape_index, facts->shape_index + kMostShapes, -1);
  List *const oids = RelationGetIndexList(heap);
  facts->indexes =
      static_cast<CachedIndex *>(palloc0(sizeof(CachedIndex) * static_cast<std::size_t>(list_length(oids) + 1)));
  ListCell *cell;
  foreach (cell, oids) {
    Relation const relation = index_open(lfirst_oid(cell), AccessShareLock);
    IndexInfo *const info = BuildIndexInfo(relation);
    CachedIndex &index = facts->indexes[facts->index_count];
    index = {RelationGetRelid(relation), info, not_null_column_of(info->ii_Predicate), nullptr};
    if (facts->not_appendable == nullptr) facts->not_appendable = why_index_not_appendable(info, relation);
    const bool is_qualified = info->ii_Predicate != NIL && index.not_null_column == 0;
    if ((is_qualified || info->ii_Expressions != NIL) && facts->not_appendable == nullptr) {
      if (facts->evaluation == nullptr) {
        facts->evaluation = CreateStandaloneExprContext();
        facts->candidate = MakeSingleTupleTableSlot(facts->descriptor, &TTSOpsVirtual);
      }
      if (is_qualified) index.predicate = ExecInitQual(planned(info->ii_Predicate), nullptr);
      info->ii_ExpressionsState = ExecInitExprList(planned(info->ii_Expressions), nullptr);
    }
    for (std::size_t i = 0; i < shape_->indexes.size(); ++i) {
      if (facts->shape_index[i] < 0 && is_of_shape(index, relation, *shape_, shape_->indexes[i])) {
        facts->shape_index[i] = facts->index_count;
      }
    }
    ++facts->index_count;
    index_close(relation, AccessShareLock);
  }
  MemoryContextSwitchTo(before);
  for (std::size_t i = 0; i < shape_->indexes.size(); ++i) {
    if (facts->shape_index[i] < 0) {
      ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                      errmsg("table \"%s\" lacks an index that awa_ring needs", RelationGetRelationName(heap)),
                      errhint("Recreate the index as the extension's script creates it.")));
    }
  }
  MemoryContextSetParent(context, CacheMemoryContext);
  facts_ = facts;
}

OpenTable::OpenTable(CachedTable &table, LOCKMODE mode) : table_(&table), mode_(mode) {
  for (;;) {
    if (table_->stale_) table_->retire();
    if (!OidIsValid(table_->oid_)) table_->oid_ = guarded([this] { return table_->find(); });
    const Oid oid = table_->oid_;
    lock(oid);
    if (!table_->stale_) break;
    // Locking accepted invalidations. What the name means under the lock is final; the lock is kept while we look, or
    // invalidations would never end.
    table_->retire();
    table_->oid_ = guarded([this] { return table_->find(); });
    if (table_->oid_ == oid) break;
    release(oid);
  }
  relation_ = guarded([this] { return relation_open(table_->oid_, NoLock); });
  if (table_->facts_ == nullptr) guarded([this] { table_->learn(relation_); });
  facts_ = table_->facts_;
  ++facts_->users;
}

void OpenTable::leave() noexcept {
  if (--facts_->users == 0 && facts_->retired) MemoryContextDelete(facts_->context);
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
  leave();
  if (std::uncaught_exceptions() > unwinding_) return;  // the abort closes it
  if (AWA_PLANTED(leaked_relation)) return;
  guarded_in_destructor([this] { relation_close(relation_, NoLock); });
}

std::int64_t OpenTable::blocks() const {
  return guarded([this] { return std::int64_t{RelationGetNumberOfBlocks(relation_)}; });
}

bool OpenTable::has_no_blocks() const {
  const bool none = blocks() == 0;
  table_->was_empty_ = none && !table_->stale_;
  return none;
}

void OpenTable::unlock() {
  Relation const relation = std::exchange(relation_, nullptr);
  const Oid oid = RelationGetRelid(relation);
  leave();
  guarded([=] { relation_close(relation, NoLock); });
  release(oid);
}

}  // namespace awa::pg
