#include "pg/transaction.hpp"

#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/planted_fault.hpp"

namespace awa::pg {

void require_writable(const char *verb) {
  AWA_COMMIT_PLANTED_FAULT();
  guarded([=] {
    PreventCommandDuringRecovery(verb);
    PreventCommandIfReadOnly(verb);
    PreventCommandIfParallelMode(verb);
  });
}

bool keeps_snapshot() noexcept { return IsolationUsesXactSnapshot(); }

core::Xid own_xid() {
  return guarded([] { return core::Xid{U64FromFullTransactionId(GetTopFullTransactionId())}; });
}

core::Xid own_subxid() {
  return guarded([] { return core::Xid{U64FromFullTransactionId(GetCurrentFullTransactionId())}; });
}

XidFate fate_of(core::Xid xid) {
  return guarded([=] {
    LOCAL_FCINFO(call, 1);
    InitFunctionCallInfoData(*call, nullptr, 1, InvalidOid, nullptr, nullptr);
    call->args[0] = {UInt64GetDatum(xid.value), false};
    const Datum answer = pg_xact_status(call);
    if (call->isnull) return XidFate::forgotten;
    const std::string_view status(VARDATA_ANY(DatumGetPointer(answer)), VARSIZE_ANY_EXHDR(DatumGetPointer(answer)));
    if (status == "in progress") return XidFate::running;
    return status == "committed" ? XidFate::committed : XidFate::aborted;
  });
}

core::Xid next_xid() {
  return guarded([] { return core::Xid{U64FromFullTransactionId(ReadNextFullTransactionId())}; });
}

core::Xid own_xid_if_any() noexcept { return {U64FromFullTransactionId(GetTopFullTransactionIdIfAny())}; }

bool is_own(TransactionId xid) noexcept { return TransactionIdIsCurrentTransactionId(xid); }

void check_for_interrupts() {
  if (INTERRUPTS_PENDING_CONDITION()) guarded([] { ProcessInterrupts(); });
}

core::Micros now() noexcept { return GetCurrentTimestamp(); }

void pause(core::Micros microseconds) {
  guarded([=] {
    CHECK_FOR_INTERRUPTS();
    pgstat_report_wait_start(PG_WAIT_EXTENSION);
    pg_usleep(microseconds);
    pgstat_report_wait_end();
    CHECK_FOR_INTERRUPTS();
  });
}

std::uint32_t transaction_ordinal() noexcept { return own_local_xid(); }

std::uint32_t random_turn() noexcept { return pg_prng_uint32(&pg_global_prng_state); }

namespace {
// Strong random bits are dear, and many at once cost as much as few.
constinit std::array<std::int64_t, 64> drawn{};
constinit std::size_t drawn_left = 0;
}  // namespace

std::int64_t random_bits() {
  if (drawn_left == 0) {
    if (!pg_strong_random(drawn.data(), sizeof drawn)) {
      raise({.sqlstate = ERRCODE_INTERNAL_ERROR, .message = "no source of random bits"});
    }
    drawn_left = drawn.size();
  }
  return drawn[--drawn_left];
}

}  // namespace awa::pg
