#include "receipt/state.hpp"

#include "receipt/open_proof.hpp"

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

}  // namespace

void states_of(std::span<const core::Receipt> receipts, std::span<ReceiptState> states, core::Memory &memory) {
  LeavesOfCall leaves(receipts, AccessShareLock);
  const pg::FreshSnapshot snapshot;
  core::Vec<Proof> proofs(memory);
  proofs.resize(receipts.size());
  for_each_batch(receipts, [&](std::span<const core::Receipt> members) {
    const auto claim = leaves.find(members, snapshot);
    if (!claim) return;
    const auto first = static_cast<std::size_t>(members.data() - receipts.data());
    leaves.prove(*claim, members, snapshot, std::span<Proof>(proofs).subspan(first, members.size()), memory);
  });
  for (std::size_t i = 0; i < receipts.size(); ++i) states[i] = state_of(proofs[i]);
}

}  // namespace awa::receipt
