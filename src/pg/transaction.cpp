#include "pg/transaction.hpp"

#include "pg/compat.hpp"
#include "pg/error.hpp"

namespace awa::pg {

void require_writable(const char *verb) {
  guarded([=] {
    PreventCommandDuringRecovery(verb);
    PreventCommandIfReadOnly(verb);
    PreventCommandIfParallelMode(verb);
  });
}

core::Xid own_xid() {
  return guarded([] { return core::Xid{U64FromFullTransactionId(GetTopFullTransactionId())}; });
}

core::Xid next_xid() {
  return guarded([] { return core::Xid{U64FromFullTransactionId(ReadNextFullTransactionId())}; });
}

bool has_xid() noexcept { return FullTransactionIdIsValid(GetTopFullTransactionIdIfAny()); }

void check_for_interrupts() {
  if (INTERRUPTS_PENDING_CONDITION()) guarded([] { ProcessInterrupts(); });
}

core::Micros now() noexcept { return GetCurrentTimestamp(); }

void pause(core::Micros microseconds) {
  guarded([=] {
    CHECK_FOR_INTERRUPTS();
    pg_usleep(microseconds);
    CHECK_FOR_INTERRUPTS();
  });
}

std::uint32_t transaction_ordinal() noexcept { return own_local_xid(); }

std::int64_t random_bits() {
  std::int64_t bits = 0;
  if (!pg_strong_random(&bits, sizeof bits)) {
    raise({.sqlstate = ERRCODE_INTERNAL_ERROR, .message = "no source of random bits"});
  }
  return bits;
}

}  // namespace awa::pg
