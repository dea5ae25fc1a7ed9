// A transfer as it is written: its row, what it spends and what it creates, in the truth and in the hot table.
#pragma once

#include <optional>

#include "core/movements.hpp"
#include "core/posting_id.hpp"
#include "ledger/requests.hpp"
#include "pg/cached_table.hpp"

namespace awa::ledger {

// A posting that this transaction has taken out of the hot table.
struct Spent {
  core::PostingId id;
  core::Wallet wallet;
  std::int64_t value;
};

struct Created {
  std::int32_t idx;
  core::Wallet wallet;
  std::int64_t value;
};

// What a transfer says of itself.
struct About {
  std::optional<core::Micros> effective_at;  // none: when it is made
  Datum metadata = 0;                        // jsonb; 0 = {}
  std::optional<core::TransferId> reverses;
  std::optional<Request> request;  // that it was asked for with; has been looked for
};

core::TransferId draw_transfer();

// The epoch that transactions of now belong to.
std::int32_t current_epoch();

// Writes the rows; the postings in `spent` are out of `live` already. The transfer is stamped now: its transaction has its id
// and all its locks. It comes to nothing in every asset, or XX000.
void write_transfer(core::TransferId id, const About &about, std::span<const Spent> spent,
                    std::span<const Created> created, const pg::OpenTable &live, core::Memory &memory);

}  // namespace awa::ledger
