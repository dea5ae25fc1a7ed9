#include "pg/latch.hpp"

#include "pg/compat.hpp"

namespace awa::pg {

void wait_until_woken(core::Micros longest) {
  const auto milliseconds = static_cast<long>((std::max<core::Micros>(longest, 0) + 999) / 1000);
  guarded([=] {
    WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, milliseconds, PG_WAIT_EXTENSION);
    ResetLatch(MyLatch);
    CHECK_FOR_INTERRUPTS();
  });
}

void nudge_workers() noexcept {
  // Places of processes stay, whoever has them: at worst somebody else is woken for nothing.
  for (std::uint32_t i = 0; i < ProcGlobal->allProcCount; ++i) {
    PGPROC &process = ProcGlobal->allProcs[i];
    if (process.pid != 0 && process.databaseId == MyDatabaseId && !is_of_a_session(process))
      SetLatch(&process.procLatch);
  }
}

}  // namespace awa::pg
