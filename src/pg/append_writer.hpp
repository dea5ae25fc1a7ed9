// The direct writer: appends rows to a table of ours without the executor.
//
// It goes round much that an INSERT does, and must prove or do it itself:
//   - the table is a plain heap without row security, generated columns or triggers of strangers, and its indexes are
//     plain: found out once a table, again after each change (CachedTable); if not, 55000, never a silent detour;
//   - our own triggers are passed by: the caller sets what they would set;
//   - the transaction may write: the verb has asked (require_writable), the writer asserts it;
//   - the caller holds the leaf locked ROW EXCLUSIVE, and the leaf is the right one for the row's slot: checked;
//   - NOT NULL is checked; CHECK constraints are not: rows are made by our own code (an assert-enabled build checks them);
//   - privileges are those of the verb's EXECUTE privilege;
//   - unique indexes are enforced as always; rows become visible to this transaction with its next command.
// Heap, TOAST, indexes, WAL, statistics, replication and serializable conflicts are those of heap_insert and
// heap_multi_insert. Locks of indexes are given back after use, the leaf's is kept.
#pragma once

#include "pg/cached_table.hpp"

namespace awa::pg {

// One row, by column: values and nulls are as long as the table has columns.
void append(const OpenTable &table, std::span<const Datum> values, std::span<const bool> nulls);

namespace detail {
using FillRow = void (*)(void *argument, std::size_t row, Datum *values, bool *nulls);
void append_many(const OpenTable &table, std::size_t rows, FillRow fill, void *argument);
}  // namespace detail

// `rows` rows, in order. fill(row, values, nulls) is called once a row, in the C room; nulls come in as all false. What it
// points to must last until the call returns.
template <typename Fill>
void append_many(const OpenTable &table, std::size_t rows, Fill &&fill) {
  detail::append_many(
      table, rows,
      [](void *argument, std::size_t row, Datum *values, bool *nulls) {
        (*static_cast<std::remove_reference_t<Fill> *>(argument))(row, values, nulls);
      },
      &fill);
}

}  // namespace awa::pg
