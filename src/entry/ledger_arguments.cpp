#include "entry/ledger_arguments.hpp"

namespace awa::entry {

core::PostingId posting_id_of(Datum stored) noexcept {
  core::PostingId id;
  memcpy(static_cast<void *>(&id), DatumGetPointer(stored), core::kPostingIdSize);
  return id;
}

core::Vec<core::PostingId> posting_ids(const Arguments &arguments, int position, core::Memory &memory) {
  core::Vec<core::PostingId> ids(memory);
  if (arguments.is_null(position)) return ids;
  const auto elements = pg::elements(arguments.datum(position), "ids", pg::NullElements::refused);
  ids.reserve(elements.count);
  for (std::size_t i = 0; i < elements.count; ++i) ids.push_back(posting_id_of(elements.values[i]));
  core::sort_unique(ids);
  return ids;
}

std::int64_t required_int8(const Arguments &arguments, int position, const char *name) {
  arguments.require(position, name);
  return DatumGetInt64(arguments.datum(position));
}

pg::ArrayElements numbers(const Arguments &arguments, int position, const char *name) {
  if (arguments.is_null(position)) return {nullptr, nullptr, 0};
  return pg::elements(arguments.datum(position), name, pg::NullElements::refused);
}

}  // namespace awa::entry
