// What a verb asks of the transaction it runs in.
#pragma once

#include "core/ids.hpp"
#include "pg/guard.hpp"

namespace awa::pg {

// Refuses a standby and a read-only transaction (25006) and a parallel worker (25000). `verb` names the caller, for the
// message.
void require_writable(const char *verb);

// Whether the transaction has one snapshot for all its statements: REPEATABLE READ or SERIALIZABLE.
bool keeps_snapshot() noexcept;

// The top-level transaction's full xid; assigns one if there is none.
core::Xid own_xid();

// The same, or zero when it has none.
core::Xid own_xid_if_any() noexcept;

// The full xid of the current subtransaction, or of the transaction outside of any; assigns one if there is none.
core::Xid own_subxid();

// What became of a transaction or subtransaction; forgotten: it ended so long ago that nobody knows.
enum class XidFate : std::uint8_t { running, committed, aborted, forgotten };
XidFate fate_of(core::Xid xid);

// Whether an xid, of a row say, is this transaction's or one of its subtransactions'.
bool is_own(TransactionId xid) noexcept;

// The xid that the next transaction to ask for one will get: greater than every xid in use.
core::Xid next_xid();

// Gives a cancel or a shutdown its chance; call between batches.
void check_for_interrupts();

// Now, as microseconds since PostgreSQL's epoch.
core::Micros now() noexcept;

// Sleeps, watching for interrupts.
void pause(core::Micros microseconds);

// A number that names the current top-level transaction in this backend; for state that ends with it.
std::uint32_t transaction_ordinal() noexcept;

// A number for taking turns: cheap, not for secrets.
std::uint32_t random_turn() noexcept;

// Random bits, for fences. Errors: XX000 when the system has none.
std::int64_t random_bits();

}  // namespace awa::pg
