#include "pg/guard.hpp"

namespace awa::pg::detail {

constinit MemoryContext call_context = nullptr;
constinit ErrorData *deferred_error = nullptr;

void throw_current(MemoryContext home) {
  MemoryContextSwitchTo(call_context != nullptr ? call_context : home);
  ErrorData *volatile copy = nullptr;  // assigned between sigsetjmp and a longjmp
  {
    const Surroundings outer;
    sigjmp_buf here;
    if (sigsetjmp(here, 0) == 0) {
      PG_exception_stack = &here;
      copy = CopyErrorData();
    }
    FlushErrorState();
  }
  MemoryContextSwitchTo(home);
  if (copy == nullptr) throw std::bad_alloc();
  throw Error(copy);
}

void run_deferring(void (*work)(void *), void *argument) noexcept {
  try {
    guarded([=] { work(argument); });
  } catch (const Error &error) {
    if (deferred_error == nullptr) deferred_error = error.data();
  } catch (...) {
    // Out of memory while copying an error: the transaction cannot go on, and there is nothing left to say it with.
    std::terminate();
  }
}

}  // namespace awa::pg::detail
