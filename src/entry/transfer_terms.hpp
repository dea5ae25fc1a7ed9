// What transfer and post are told besides movements.
#pragma once

#include "entry/arguments.hpp"
#include "ledger/booking.hpp"

namespace awa::entry {

constexpr std::size_t kLongestRequestKey = 200;

// A point in time, not infinity. Errors: 22023.
core::Micros checked_time(TimestampTz effective_at);

// The arguments effective_at, which may be null, and metadata. Errors: 22023, 22004, 54000.
void read_about(const Arguments &arguments, int effective_at, int metadata, ledger::About &about);

}  // namespace awa::entry
