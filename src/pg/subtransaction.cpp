#include "pg/subtransaction.hpp"

namespace awa::pg::detail {

namespace {

struct Outer {
  MemoryContext context = CurrentMemoryContext;
  ResourceOwner owner = CurrentResourceOwner;

  // Ending a subtransaction leaves its parent's context and owner current, which may not be those of the caller.
  void restore() const noexcept {
    MemoryContextSwitchTo(context);
    CurrentResourceOwner = owner;
  }
};

void roll_back(const Outer &outer) {
  guarded([] { RollbackAndReleaseCurrentSubTransaction(); });
  outer.restore();
}

}  // namespace

bool run_in_subtransaction(int expected_sqlstate, void (*work)(void *), void *argument) {
  const Outer outer;
  guarded([&] {
    BeginInternalSubTransaction(nullptr);
    MemoryContextSwitchTo(outer.context);
  });
  ErrorData *failure = nullptr;
  bool work_done = false;
  try {
    work(argument);
    throw_deferred();
    work_done = true;
    guarded([] { ReleaseCurrentSubTransaction(); });
  } catch (const Error &error) {
    failure = error.data();
  } catch (...) {
    roll_back(outer);
    throw;
  }
  if (failure == nullptr) {
    outer.restore();
    return true;
  }
  roll_back(outer);
  if (work_done || failure->sqlerrcode != expected_sqlstate) throw Error(failure);
  guarded([=] { FreeErrorData(failure); });
  return false;
}

}  // namespace awa::pg::detail
