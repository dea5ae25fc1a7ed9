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

// What PostgreSQL would have raised.
ErrorData *out_of_memory() {
  try {
    guarded([] { ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"))); });
  } catch (const Error &error) {
    return error.data();
  }
  return nullptr;
}

}  // namespace

bool is_of_sqlstate(const ErrorData &error, int sqlstate) noexcept { return error.sqlerrcode == sqlstate; }

bool is_of_work(const ErrorData &error, int) noexcept {
  switch (ERRCODE_TO_CATEGORY(error.sqlerrcode)) {
    case ERRCODE_OPERATOR_INTERVENTION:
    case ERRCODE_INSUFFICIENT_RESOURCES:
    case ERRCODE_SYSTEM_ERROR:
      return false;
    default:
      return error.sqlerrcode != ERRCODE_INDEX_CORRUPTED;
  }
}

bool is_no_intervention(const ErrorData &error, int) noexcept {
  return ERRCODE_TO_CATEGORY(error.sqlerrcode) != ERRCODE_OPERATOR_INTERVENTION;
}

void free_error(ErrorData *error) {
  guarded([=] { FreeErrorData(error); });
}

ErrorData *run_in_subtransaction(bool (*is_wanted)(const ErrorData &error, int sqlstate), int sqlstate,
                                 void (*work)(void *), void *argument) {
  const Outer outer;
  const DeferredScope deferring;
  guarded([&] {
    BeginInternalSubTransaction(nullptr);
    MemoryContextSwitchTo(outer.context);
  });
  ErrorData *failure = nullptr;
  bool work_done = false;
  bool no_memory = false;
  try {
    work(argument);
    throw_deferred();
    work_done = true;
    guarded([] { ReleaseCurrentSubTransaction(); });
  } catch (const Error &error) {
    failure = error.data();
  } catch (const std::bad_alloc &) {
    no_memory = true;
  } catch (...) {
    roll_back(outer);
    throw;
  }
  if (no_memory) {
    roll_back(outer);
    failure = out_of_memory();
    if (work_done || !is_wanted(*failure, sqlstate)) throw std::bad_alloc();
    return failure;
  }
  if (failure == nullptr) {
    outer.restore();
    return nullptr;
  }
  roll_back(outer);
  if (work_done || !is_wanted(*failure, sqlstate)) throw Error(failure);
  return failure;
}

}  // namespace awa::pg::detail
