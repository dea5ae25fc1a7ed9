// Gates: one for each account, of a fixed number that they share. Who pays from an account or to it shares its gate; who must decide alone, on a snapshot that
// nobody is about to change, has it exclusively: a payer that others were in the way of, a freeze, a change of limits.
//
// Gates are heavyweight locks (pg/keys.hpp) that last until the transaction ends. A call takes all its gates in one order,
// after idempotency keys and before any posting, and waits for each no longer than awa_ring.gate_wait. It never raises
// the strength of one while it holds another: it gives all back first, having changed nothing yet.
#pragma once

#include "core/movements.hpp"
#include "pg/keys.hpp"

namespace awa::ledger {

class Gates {
 public:
  explicit Gates(core::Memory &memory) : gates_(memory) {}
  Gates(const Gates &) = delete;
  Gates &operator=(const Gates &) = delete;

  // Before they are taken. The greater strength counts.
  void want(const core::Owner &owner, pg::LockStrength strength);

  // Whether the owner's gate is wanted exclusively.
  bool excludes(const core::Owner &owner) const noexcept;

  // Errors: AW102 when one is not to be had, 40P01.
  void take();

  // Waits for none; returns whether it has all of them. If not it has none.
  bool try_take();

  // What this object took. What the transaction held before stays.
  void give_back();

 private:
  struct Gate {
    std::int64_t id;
    core::Owner owner;  // one of those whose gate it is
    pg::LockStrength strength;
  };
  core::Vec<Gate> gates_;  // rising by id
  std::size_t taken_ = 0;
};

// Shares the gates of the owners. Errors: AW102, 40P01.
void share_gates(std::span<const core::Owner> owners, core::Memory &memory);

// That none of them is frozen or closed; to be asked behind their gates. Errors: AW103, AW104, 42704.
void require_open(std::span<const core::Owner> owners);

}  // namespace awa::ledger
