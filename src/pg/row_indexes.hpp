// What every direct write of a row does: makes the tuple, having checked it, and enters it into the table's indexes. For
// append_writer and row_writer alone. C room.
#pragma once

#include "pg/cached_table.hpp"

namespace awa::pg::detail {

// Errors: 55000 when the direct writers must not write to the table. C++ room.
void require_writable_table(const OpenTable &table);

// A snapshot for TOAST, which wants an active or registered one: a procedure may have none. C room, where an error takes it
// away by itself.
class ToastSnapshot {
 public:
  ToastSnapshot() : pushed_(!HaveRegisteredOrActiveSnapshot()) {
    if (pushed_) PushActiveSnapshot(GetTransactionSnapshot());
  }
  void pop() const {
    if (pushed_) PopActiveSnapshot();
  }

 private:
  bool const pushed_;
};

// The tuple of a row of the table. Errors: 23502 for a null where there must be none.
HeapTuple form_row(const OpenTable &table, const Datum *values, const bool *nulls);

// The indexes of the table, open for the length of one write.
struct OpenIndexes {
  Relation *relations;
};
void open_indexes(const OpenTable &table, OpenIndexes &indexes);
void close_indexes(const OpenTable &table, OpenIndexes &indexes);

// Enters a tuple that is in the table at `place`. Of the next version of a row most keys are as before: btree then looks for
// older versions to remove before it splits a page. Errors: 23505.
enum class Version : std::uint8_t { first, next };
void insert_into_indexes(const OpenTable &table, OpenIndexes &indexes, const Datum *values, const bool *nulls,
                         ItemPointer place, Version version = Version::first);

}  // namespace awa::pg::detail
