#include "receipt/state.hpp"

#include "receipt/claim_batches.hpp"
#include "receipt/lease_history.hpp"
#include "receipt/leases.hpp"
#include "receipt/row_claims.hpp"

namespace awa::receipt {

namespace {

ReceiptState state_after(std::string_view outcome) noexcept {
  if (outcome.empty()) return {"open", {}};
  if (outcome == "materialized") return {"leased", {}};
  return {"closed", outcome};
}

// What the claims and closures say.
void look_at_claims(std::span<const core::Receipt> receipts, std::span<ReceiptState> states, core::Memory &memory) {
  RowClaims row_claims(AccessShareLock);
  for_each_batch(receipts, [&](std::span<const core::Receipt> members) {
    const core::Receipt &any = members.front();
    const auto leaves = open_claim_leaves(any.claim_slot, AccessShareLock);
    if (!leaves) return;
    const auto state_of = [&](std::size_t member) -> ReceiptState & {
      return states[static_cast<std::size_t>(members.data() - receipts.data()) + member];
    };
    const pg::FreshSnapshot snapshot;
    const auto stored = find_batch(*leaves, any.batch, snapshot);
    if (!stored) {
      for (std::size_t i = 0; i < members.size(); ++i) {
        const auto claim = row_claims.find(members[i]);
        if (!claim || !core::names_member(claim->batch, members[i])) continue;
        state_of(i) = state_after(row_claims.outcome_of(*claim));
      }
      return;
    }
    const core::RangeSet named = core::named_members(stored->batch, members, memory);
    const auto closures = find_closures(*leaves, stored->batch, named, snapshot, memory);
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (!core::names_member(stored->batch, members[i])) continue;
      std::string_view outcome;
      for (const Closure &closure : closures) {
        if (core::contains(closure.receipts, members[i].receipt.value)) outcome = closure.outcome;
      }
      state_of(i) = state_after(outcome);
    }
  });
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
  look_at_claims(receipts, states, memory);
  look_at_leases(receipts, states);
}

}  // namespace awa::receipt
