#include "worker/duty.hpp"

#include "pg/boundary.hpp"

namespace awa::worker {

bool in_transaction(void (*body)(void *), void *argument) {
  MemoryContext const home = CurrentMemoryContext;
  // A procedure keeps what outlives its transactions in the portal's context, and there is no portal.
  PortalContext = home;
  volatile bool good = false;
  PG_TRY();
  {
    SetCurrentStatementStartTimestamp();
    StartTransactionCommand();
    MemoryContextSwitchTo(home);  // what errors are copied to outlives the abort
    pg::boundary([=] {
      body(argument);
      return Datum{0};
    });
    CommitTransactionCommand();
    good = true;
  }
  PG_CATCH();
  {
    HOLD_INTERRUPTS();
    EmitErrorReport();
    AbortCurrentTransaction();
    FlushErrorState();
    RESUME_INTERRUPTS();
  }
  PG_END_TRY();
  MemoryContextSwitchTo(home);
  MemoryContextReset(home);
  return good;
}

}  // namespace awa::worker
