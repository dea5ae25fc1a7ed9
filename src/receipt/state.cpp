#include "receipt/state.hpp"

#include "receipt/lease_history.hpp"
#include "receipt/leases.hpp"
#include "receipt/open_claims.hpp"

namespace awa::receipt {

namespace {

ReceiptState state_of(const Proof &proof) noexcept {
  switch (proof.word) {
    case Proof::Word::open:
      return {"open", {}};
    case Proof::Word::closed:
      return {"closed", proof.outcome};
    case Proof::Word::materialized:
      return {"leased", {}};
    case Proof::Word::unknown:
      break;
  }
  return {};
}

// Attempts that went on outside the rings, also those whose claims are gone by now.
void look_at_leases(std::span<const core::Receipt> receipts, std::span<ReceiptState> states) {
  Leases leases(AccessShareLock);
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    ReceiptState &state = states[i];
    if (state.state != "leased" && state.state != "unknown") continue;
    const pg::FreshSnapshot snapshot;
    if (leases.find(receipts[i], snapshot, Bodies::left)) {
      state.state = "leased";
    } else if (state.state == "leased") {
      state = {"closed", outcome_in_history(receipts[i])};
    }
  }
}

}  // namespace

void states_of(std::span<const core::Receipt> receipts, std::span<ReceiptState> states, core::Memory &memory) {
  OpenClaims claims(receipts, Keys::not_needed, memory);
  claims.for_each([](const StoredBatch &, std::span<const core::Receipt>, std::span<const bool>) {});
  for (std::size_t i = 0; i < receipts.size(); ++i) states[i] = state_of(claims.proof(i));
  look_at_leases(receipts, states);
}

}  // namespace awa::receipt
