// The direct writer: appends rows to a table of ours without the executor.
//
// It goes round much that an INSERT does, and must prove or do it itself:
//   - the table is a plain heap without row security, generated columns or triggers of strangers, and its indexes are
//     plain: found out once a table, again after each change (CachedTable); if not, 55000, never a silent detour;
//   - our own triggers are passed by: the caller sets what they would set;
//   - the transaction may write: the verb has asked (require_writable), the writer asserts it;
//   - the caller holds the leaf locked ROW EXCLUSIVE, and the leaf is the right one for the row's slot: checked;
//   - NOT NULL is checked; CHECK constraints are not: rows are made by our own code (an assert-enabled build checks them),
//     and a table that has not as many of them as it was made with is refused;
//   - privileges are those of the verb's EXECUTE privilege;
//   - unique indexes are enforced as always; rows become visible to this transaction with its next command.
// Heap, TOAST, indexes, WAL, statistics, replication and serializable conflicts are those of heap_insert and
// heap_multi_insert. Locks of indexes are given back after use, the leaf's is kept.
#pragma once

#include "pg/cached_table.hpp"

namespace awa::pg {

// A row in the making. A column that is not set is null.
class NewRow {
 public:
  NewRow(Datum *values, bool *nulls) noexcept : values_(values), nulls_(nulls) {}
  void set(AttrNumber column, Datum value) noexcept {
    values_[column - 1] = value;
    nulls_[column - 1] = false;
  }

 private:
  Datum *values_;
  bool *nulls_;
};

namespace detail {
using FillRow = void (*)(void *argument, std::size_t index, NewRow row);
void append(const OpenTable &table, std::size_t rows, FillRow fill, void *argument);
}  // namespace detail

// Appends `rows` rows in order. fill(index, row) sets the columns of each; what it points to must last until the call
// returns. It runs inside the guard: it may throw, and what it calls of PostgreSQL bare must not jump over a destructor.
template <typename Fill>
void append_many(const OpenTable &table, std::size_t rows, Fill &&fill) {
  detail::append(
      table, rows,
      [](void *argument, std::size_t index, NewRow row) {
        (*static_cast<std::remove_reference_t<Fill> *>(argument))(index, row);
      },
      &fill);
}

// Appends one row. fill(row) sets its columns.
template <typename Fill>
void append(const OpenTable &table, Fill &&fill) {
  append_many(table, 1, [&](std::size_t, NewRow row) { fill(row); });
}

}  // namespace awa::pg
