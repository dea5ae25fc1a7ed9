#include "pg/guard.hpp"

namespace awa::pg::detail {

constinit MemoryContext call_context = nullptr;
constinit Deferred deferred;

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

void throw_deferred() {
  const Deferred taken = std::exchange(deferred, {});
  if (taken.error != nullptr) throw Error(taken.error);
  if (taken.out_of_memory) throw std::bad_alloc();
}

void run_deferring(void (*work)(void *), void *argument) noexcept {
  try {
    guarded([=] { work(argument); });
  } catch (const Error &error) {
    if (deferred.error == nullptr) deferred.error = error.data();
  } catch (...) {
    deferred.out_of_memory = true;
  }
}

}  // namespace awa::pg::detail
