// Terminal rows of attempts that compact history cannot hold: how they ended, and what is to be kept of it.
#pragma once

#include <span>

#include "receipt/held_attempts.hpp"

namespace awa::receipt {

struct DoneRow {
  const Attempt *attempt;  // with its body, whose payload is what is to be kept
  core::JobState state;    // completed, failed or cancelled
  core::Outcome outcome;
  Datum result = 0;  // jsonb; 0 = none
};

// Appends the rows: narrow ones beside the entries, whose body is the entry's but for a payload that changed; those of leases
// wide, into the current slot.
void write_done(std::span<const DoneRow> rows, core::Micros now, core::Memory &memory);

}  // namespace awa::receipt
