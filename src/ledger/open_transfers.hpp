// Transfers that the primitives work on: their rows, and that none is left unbalanced.
//
// A transfer is open until the transaction that made its row ends; nothing is added to it later. What was opened in this
// transaction is remembered until its end, and looked at before it commits. A savepoint that is rolled back takes the rows
// with it, not the memory: a transfer of which nothing is left is balanced.
#pragma once

#include "core/posting_id.hpp"
#include "pg/spi.hpp"

namespace awa::ledger {

// Makes the rows of those transfers that have none, stamped now, and sees to it that the transaction cannot commit while
// one of them is unbalanced. Waits for another transaction that is making one of them. `transfers` are distinct and rise.
// Returns those that were made by an earlier transaction.
core::Vec<std::int64_t> open_transfers(pg::Sql &sql, std::span<const std::int64_t> transfers, core::Memory &memory);

// What such a transfer spends, or may have: they are looked at with it.
void remember_spends(std::span<const core::PostingId> ids);

[[noreturn]] void refuse_complete(std::int64_t transfer);

// Called once, when the library is loaded.
void watch_open_transfers() noexcept;

}  // namespace awa::ledger
