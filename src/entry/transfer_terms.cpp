#include "entry/transfer_terms.hpp"

namespace awa::entry {

core::Micros checked_time(TimestampTz effective_at) {
  if (TIMESTAMP_NOT_FINITE(effective_at)) refuse_value("effective_at", "infinity", "a point in time");
  return effective_at;
}

void read_about(const Arguments &arguments, int effective_at, int metadata, ledger::About &about) {
  if (!arguments.is_null(effective_at)) {
    about.effective_at = checked_time(DatumGetTimestampTz(arguments.datum(effective_at)));
  }
  arguments.require(metadata, "metadata");
  check_size("metadata", arguments.datum(metadata));
  about.metadata = arguments.datum(metadata);
}

}  // namespace awa::entry
