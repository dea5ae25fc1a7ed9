// Rows that a set-returning function gives back, materialised: the function is done before the first row is read.
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

class ResultSet {
 public:
  // Errors: 0A000 when the caller cannot take a set.
  explicit ResultSet(FunctionCallInfo call);

  // Of a function whose row type can be altered: errors with 55000 unless its columns are of these types.
  void require(std::span<const Oid> types) const;
  static constexpr Oid kOurType = InvalidOid;  // awa.receipt: a type of the extension, of fixed length

  // C room. Values are copied. None is stored out of line.
  void add(const Datum *values, const bool *nulls);

 private:
  ReturnSetInfo *info_;
  MemoryContext const context_ = CurrentMemoryContext;
  Size header_;             // of a row, with the bits that tell which values are null
  Size fixed_room_;         // that a row takes at most beside its values of variable length
  HeapTupleData row_ = {};  // the last one, in memory that the next one uses again
  Size room_ = 0;           // of that memory
};

// Called once, when the library is loaded.
void watch_row_types();

// A composite result: one row of the function's declared type.
Datum composite(FunctionCallInfo call, const Datum *values, const bool *nulls);

}  // namespace awa::pg
