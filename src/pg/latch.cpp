#include "pg/latch.hpp"

namespace awa::pg {

void wait_until_woken(core::Micros longest) {
  const auto milliseconds = static_cast<long>((std::max<core::Micros>(longest, 0) + 999) / 1000);
  guarded([=] {
    WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, milliseconds, PG_WAIT_EXTENSION);
    ResetLatch(MyLatch);
    CHECK_FOR_INTERRUPTS();
  });
}

}  // namespace awa::pg
