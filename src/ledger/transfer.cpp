#include "ledger/transfer.hpp"

#include "ledger/transfer_attempt.hpp"

namespace awa::ledger {

void carry_out(const Order &order, const Plan &plan, core::TransferId id, core::Memory &memory) {
  const pg::OpenTable live = open_live_postings();
  Gates gates(memory);
  for (const core::Change &change : plan.changes) gates.want(change.wallet.owner, pg::LockStrength::row_exclusive);
  for (Attempt now = Attempt::fresh;;) {
    gates.take();
    core::Vec<core::Owner> alone(memory);
    now = attempt(order, plan, id, gates, live, now, alone, memory);
    if (now == Attempt::done) return;
    gates.give_back();
    for (const core::Owner &owner : alone) gates.want(owner, pg::LockStrength::exclusive);
  }
}

void transfer(const Order &order, core::TransferId id, core::Memory &memory) {
  carry_out(order, plan(order, memory), id, memory);
}

}  // namespace awa::ledger
