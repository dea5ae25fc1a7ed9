// Arguments of the ledger's SQL functions.
#pragma once

#include "core/posting_id.hpp"
#include "entry/arguments.hpp"

namespace awa::entry {

// The arguments of a call of a function in awa_ledger.
class LedgerArguments : public Arguments {
 public:
  explicit LedgerArguments(FunctionCallInfo call) noexcept : Arguments(call, "awa_ledger") {}
};

[[noreturn]] inline void refuse_ledger_null(const char *name) { refuse_null(name, "awa_ledger"); }

// A value of type awa_ledger.posting_id.
core::PostingId posting_id_of(Datum stored) noexcept;

// The distinct ids of an array, in order. A null array is empty. Errors: 22023 null or multi-dimensional elements.
core::Vec<core::PostingId> posting_ids(const Arguments &arguments, int position, core::Memory &memory);

// A number that must be there. Errors: 22004 null.
std::int64_t required_int8(const Arguments &arguments, int position, const char *name);

// The elements of an array of numbers. A null array is empty. Errors: 22023 null or multi-dimensional elements.
pg::ArrayElements numbers(const Arguments &arguments, int position, const char *name);

}  // namespace awa::entry
