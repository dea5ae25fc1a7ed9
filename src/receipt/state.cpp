#include "receipt/state.hpp"

#include "receipt/claim_batches.hpp"

namespace awa::receipt {

void states_of(std::span<const core::Receipt> receipts, std::span<ReceiptState> states, core::Memory &memory) {
  for_each_batch(receipts, [&](std::span<const core::Receipt> members) {
    const core::Receipt &any = members.front();
    const auto leaves = open_claim_leaves(any.claim_slot, AccessShareLock);
    if (!leaves) return;
    const pg::FreshSnapshot snapshot;
    const auto stored = find_batch(*leaves, any.batch, snapshot);
    if (!stored) return;
    const core::RangeSet named = core::named_members(stored->batch, members, memory);
    const auto closures = find_closures(*leaves, stored->batch, named, snapshot, memory);
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (!core::names_member(stored->batch, members[i])) continue;
      ReceiptState &state = states[static_cast<std::size_t>(members.data() - receipts.data()) + i];
      state.state = "open";
      for (const Closure &closure : closures) {
        if (!core::contains(closure.receipts, members[i].receipt.value)) continue;
        state.state = closure.outcome == "materialized" ? "leased" : "closed";
        if (state.state == "closed") state.outcome = closure.outcome;
      }
    }
  });
}

}  // namespace awa::receipt
