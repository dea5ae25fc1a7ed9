#include "core/key_plan.hpp"

#include <algorithm>
#include <tuple>

namespace awa::core {
namespace {

using Members = std::span<const Receipt>;  // the handles of one batch

// The front of `receipts` that belongs to one batch.
Members first_batch(Members receipts) noexcept {
  const auto is_other = [batch = receipts.front().batch](const Receipt &r) { return r.batch != batch; };
  return {receipts.begin(), std::find_if(receipts.begin(), receipts.end(), is_other)};
}

// More distinct receipts than may be locked one by one.
bool are_many(Members members) noexcept {
  std::size_t distinct = 1;
  for (std::size_t i = 1; i < members.size() && distinct <= kReceiptKeysPerBatch; ++i) {
    if (members[i].receipt != members[i - 1].receipt) ++distinct;
  }
  return distinct > kReceiptKeysPerBatch;
}

// Handles of one receipt give one key, batches of one stripe too; forged handles may name a batch under several slots,
// or a receipt under several batches. Of two modes the stronger stays: a key is taken once, never upgraded.
void sort_unique(Vec<AttemptKey> &keys) {
  const auto before = [](const AttemptKey &a, const AttemptKey &b) {
    return std::tie(a.level, a.id, b.mode) < std::tie(b.level, b.id, a.mode);
  };
  const auto same = [](const AttemptKey &a, const AttemptKey &b) { return a.level == b.level && a.id == b.id; };
  // Those of one batch are.
  const auto not_before = [&](const AttemptKey &a, const AttemptKey &b) { return !before(a, b) || same(a, b); };
  if (std::adjacent_find(keys.begin(), keys.end(), not_before) == keys.end()) return;
  std::sort(keys.begin(), keys.end(), before);
  keys.erase(std::unique(keys.begin(), keys.end(), same), keys.end());
}

}  // namespace

KeyPlan plan_keys(std::span<const Receipt> receipts, Memory &memory) {
  KeyPlan plan{Vec<AttemptKey>(memory), Vec<AttemptKey>(memory), Vec<AttemptKey>(memory)};
  auto &[coarse, fine, finest] = plan;
  finest.reserve(receipts.size() + 2);  // enough for one batch
  for (Members rest = receipts; !rest.empty();) {
    const Members members = first_batch(rest);
    rest = rest.subspan(members.size());
    const BatchId batch = members.front().batch;
    const AttemptKey stripe{KeyLevel::stripe, KeyMode::row_exclusive, stripe_of(batch)};
    const AttemptKey shared_batch{KeyLevel::batch, KeyMode::row_exclusive, batch.value};
    const bool many = are_many(members);
    coarse.push_back({KeyLevel::stripe, KeyMode::exclusive, stripe.id});
    fine.push_back(stripe);
    finest.push_back(stripe);
    fine.push_back(many ? AttemptKey{KeyLevel::batch, KeyMode::exclusive, batch.value} : shared_batch);
    finest.push_back(shared_batch);
    for (const Receipt &r : members) {
      const AttemptKey own{KeyLevel::receipt, KeyMode::exclusive, r.receipt.value};
      if (!many) fine.push_back(own);
      finest.push_back(own);
    }
  }
  for (Vec<AttemptKey> *keys : {&coarse, &fine, &finest}) sort_unique(*keys);
  return plan;
}

}  // namespace awa::core
