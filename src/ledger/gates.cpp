#include "ledger/gates.hpp"

#include "ledger/owners.hpp"
#include "ledger/refusals.hpp"
#include "pg/planted_fault.hpp"
#include "pg/settings.hpp"

namespace awa::ledger {

namespace {

// However many accounts a transaction touches, it holds no more locks than that. Two that share a gate wait for each other
// for nothing; few, and only where somebody must be alone.
constexpr std::uint64_t kGates = 4096;

std::int64_t gate_of(const core::Owner &owner) noexcept {
  const auto mixed = [](std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  };
  return static_cast<std::int64_t>(
      mixed(mixed(static_cast<std::uint64_t>(owner.account)) + static_cast<std::uint64_t>(owner.subaccount)) % kGates);
}

}  // namespace

void Gates::want(const core::Owner &owner, pg::LockStrength strength) {
  Assert(taken_ == 0);
  if (AWA_PLANTED(shared_gate)) strength = pg::LockStrength::row_exclusive;
  const std::int64_t id = gate_of(owner);
  const auto place = std::lower_bound(gates_.begin(), gates_.end(), id,
                                      [](const Gate &gate, std::int64_t wanted) { return gate.id < wanted; });
  if (place == gates_.end() || place->id != id) {
    gates_.insert(place, {id, owner, strength});
  } else if (strength == pg::LockStrength::exclusive) {
    place->strength = strength;
  }
}

bool Gates::excludes(const core::Owner &owner) const noexcept {
  const std::int64_t id = gate_of(owner);
  return std::any_of(gates_.begin(), gates_.end(),
                     [=](const Gate &gate) { return gate.id == id && gate.strength == pg::LockStrength::exclusive; });
}

void Gates::take() {
  const auto patience = static_cast<int>(pg::gate_wait() / 1000);
  for (; taken_ < gates_.size(); ++taken_) {
    const Gate &gate = gates_[taken_];
    if (!pg::lock_within({pg::KeyClass::gate, gate.id}, gate.strength, patience)) {
      refuse_contended(pg::format("account %s", shown(gate.owner)));
    }
  }
}

bool Gates::try_take() {
  for (; taken_ < gates_.size(); ++taken_) {
    const Gate &gate = gates_[taken_];
    if (pg::try_lock({pg::KeyClass::gate, gate.id}, gate.strength)) continue;
    give_back();
    return false;
  }
  return true;
}

void Gates::give_back() {
  while (taken_ > 0) {
    const Gate &gate = gates_[--taken_];
    pg::unlock({pg::KeyClass::gate, gate.id}, gate.strength);
  }
}

void share_gates(std::span<const core::Owner> owners, core::Memory &memory) {
  Gates gates(memory);
  for (const core::Owner &owner : owners) gates.want(owner, pg::LockStrength::row_exclusive);
  gates.take();
}

void require_open(std::span<const core::Owner> owners) {
  const pg::FreshSnapshot snapshot;
  const Heads heads(snapshot);
  for (const core::Owner &owner : owners) heads.open(owner);
}

}  // namespace awa::ledger
