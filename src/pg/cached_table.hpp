// Tables of ours that the backend has met: where they are and what it takes to read and append to them without planning.
//
// A CachedTable is static, one a table or leaf. What it knows is found by name, verified against the shape that the code
// was written for, and forgotten when the relation cache says that the table or an index of it changed. OpenTable is a
// table opened and locked for a scope.
#pragma once

#include "core/containers.hpp"
#include "pg/guard.hpp"

namespace awa::pg {

struct Column {
  const char *name;
  Oid type;
};

// The predicate of a partial index that the code counts on.
struct IndexPredicate {
  enum class Kind : std::uint8_t { none, is_null, is_not_null, greater_than };
  Kind kind = Kind::none;
  AttrNumber column = 0;
  std::int32_t constant = 0;  // of greater_than, whose column is an int
};

constexpr std::size_t kMostKeys = 5;  // columns that such an index may have

// An index that the code counts on, found by method, key columns and predicate. More indexes than those are kept up, not
// used.
struct IndexShape {
  Oid method;
  std::array<AttrNumber, kMostKeys> columns;  // padded with zeros
  IndexPredicate predicate = {};
  bool unique = false;  // and enforced at once
};

constexpr IndexShape btree(std::array<AttrNumber, kMostKeys> columns, IndexPredicate predicate = {}) {
  return {BTREE_AM_OID, columns, predicate};
}
constexpr IndexShape unique_btree(std::array<AttrNumber, kMostKeys> columns, IndexPredicate predicate = {}) {
  return {BTREE_AM_OID, columns, predicate, true};
}
constexpr IndexShape gist(std::array<AttrNumber, kMostKeys> columns, IndexPredicate predicate = {}) {
  return {GIST_AM_OID, columns, predicate};
}

// What a table must look like. A ring table's leaves share one shape; its first column is the slot.
struct TableShape {
  const char *name;
  std::span<const Column> columns;
  std::span<const IndexShape> indexes;
  int checks = 0;  // CHECK constraints, which the direct writer keeps to without evaluating them
  const char *schema = "awa";
};

constexpr int kNotALeaf = -1;
constexpr int kMostShapes = 4;    // indexes that a shape may name
constexpr int kMostColumns = 32;  // of a table

class CachedTable;

// One index of a cached table, and what insertion needs. `info` and `predicate` live as long as the cached state.
struct CachedIndex {
  Oid oid;
  IndexInfo *info;
  AttrNumber not_null_column;  // of a partial index on "column IS NOT NULL", which needs no evaluation: the column
  ExprState *predicate;        // of a partial index on anything else
};

// What was learnt of a table at one time, in a memory context of its own. When the table changes it is retired: an
// OpenTable made before goes on reading by it, the next one learns anew.
struct TableFacts {
  MemoryContext context;
  Oid parent = InvalidOid;  // of a leaf: the partitioned table
  int users = 0;            // OpenTables alive
  bool retired = false;
  const char *not_appendable = nullptr;  // why the direct writer must not write here
  bool disarmed = false;                 // a trigger of ours does not fire always
  TupleDesc descriptor = nullptr;        // a copy, not counted by anybody; it has lost NOT NULL
  int index_count = 0;
  CachedIndex *indexes = nullptr;
  ExprContext *evaluation = nullptr;    // for predicates that are evaluated: its row is in `candidate`
  TupleTableSlot *candidate = nullptr;  // a row of `descriptor`, not stored yet
  int shape_index[kMostShapes] = {};    // place in `indexes` of each of the shape's indexes
};

class CachedTable {
 public:
  // Constant initialisation refuses a shape with more columns or indexes than there is room for.
  constexpr CachedTable(const TableShape &shape, int slot)
      : shape_(shape.columns.size() <= kMostColumns && shape.indexes.size() <= kMostShapes ? &shape
                                                                                           : throw "too large"),
        slot_(slot) {}
  CachedTable(const CachedTable &) = delete;
  CachedTable &operator=(const CachedTable &) = delete;

  const TableShape &shape() const noexcept { return *shape_; }
  int slot() const noexcept { return slot_; }

  // Whether this session found the table without blocks, and nobody has changed its definition, its triggers or its storage
  // since. Others may have written to it.
  bool was_empty() const noexcept { return was_empty_; }

  // Another number whenever the table may have become another since: what was read of it before may be of the one that was. It
  // keeps up from the second OpenTable of the table on.
  std::uint32_t edition() const noexcept { return edition_; }
  // The same, when what others have committed is known as well.
  std::uint32_t edition_now() const;

  // Has every session's edition of the table rise when the transaction has committed, and this one's at the next command.
  static void announce_change(Oid table);

  // Called once, when the library is loaded.
  static void watch_invalidations();

  // What sessions know of tables is of before: all of them learn anew when this transaction commits, before its locks go.
  static void forget_all();

 private:
  friend class OpenTable;

  void retire() noexcept;
  Oid find();
  void learn(Relation heap);
  static void invalidated(Oid relation) noexcept;

  const TableShape *shape_;
  int slot_;
  Oid oid_ = InvalidOid;
  bool stale_ = false;  // an invalidation came in since
  bool was_empty_ = false;
  std::uint32_t edition_ = 0;
  TableFacts *facts_ = nullptr;
  CachedTable *next_watched_ = nullptr;
  bool watched_ = false;
};

// A table opened under a lock. The lock is kept until the transaction ends, unless it is released by `unlock`.
class OpenTable {
 public:
  // Errors: 55000 when the table is not there or not as the code expects it.
  OpenTable(CachedTable &table, LOCKMODE mode);
  ~OpenTable();
  OpenTable(OpenTable &&other) noexcept
      : table_(other.table_),
        facts_(other.facts_),
        mode_(other.mode_),
        relation_(std::exchange(other.relation_, nullptr)) {}
  OpenTable(const OpenTable &) = delete;
  OpenTable &operator=(const OpenTable &) = delete;

  Relation relation() const noexcept { return relation_; }
  CachedTable &cached() const noexcept { return *table_; }
  int slot() const noexcept { return table_->slot_; }

  // How many blocks it has. Fewer it cannot get while it is open.
  std::int64_t blocks() const;

  // Whether the table has no block at all. What it says holds as long as writers are excluded, or for what was committed
  // before the lock was taken.
  bool has_no_blocks() const;

  // Oid of the shape's nth index.
  Oid index(int nth) const noexcept { return facts_->indexes[facts_->shape_index[nth]].oid; }

  // For the direct writer.
  std::span<CachedIndex> all_indexes() const noexcept {
    return {facts_->indexes, static_cast<std::size_t>(facts_->index_count)};
  }
  MemoryContext context() const noexcept { return facts_->context; }
  TupleDesc descriptor() const noexcept { return facts_->descriptor; }
  ExprContext *evaluation() const noexcept { return facts_->evaluation; }
  TupleTableSlot *candidate() const noexcept { return facts_->candidate; }
  bool outdated() const noexcept { return facts_->retired || table_->stale_; }
  const char *not_appendable() const noexcept { return facts_->not_appendable; }

  // Whether a trigger of ours on the table was switched off or weakened, as a restore with --disable-triggers does.
  bool disarmed() const noexcept { return facts_->disarmed; }

  // Closes the table and gives the lock back before the transaction ends. The object is spent.
  void unlock();

 private:
  void lock(Oid oid) const;
  void release(Oid oid) const;
  void leave() noexcept;

  CachedTable *table_;
  TableFacts *facts_ = nullptr;
  LOCKMODE mode_;
  Relation relation_ = nullptr;
  int const unwinding_ = std::uncaught_exceptions();
};

}  // namespace awa::pg
