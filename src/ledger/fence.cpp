#include "ledger/fence.hpp"

#include "ledger/refusals.hpp"
#include "receipt/attempt_keys.hpp"
#include "receipt/state.hpp"

namespace awa::ledger {

void require_attempt(const core::Receipt &receipt, core::Memory &memory) {
  receipt::take_attempt_keys({&receipt, 1}, memory);
  receipt::ReceiptState state;
  receipt::states_of({&receipt, 1}, {&state, 1}, memory);
  if (state.state == "open" || state.state == "leased") return;
  pg::raise({.sqlstate = kAttemptOver,
             .message = pg::format("the attempt of job %lld is over", static_cast<long long>(receipt.job.value)),
             .detail = pg::format("Its receipt is %.*s.", static_cast<int>(state.state.size()), state.state.data()),
             .hint = "Roll back: the work is no longer yours."});
}

}  // namespace awa::ledger
