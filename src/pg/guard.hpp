// The guard: PostgreSQL is called inside `guarded`, and what it raises comes out as an exception.
//
// ereport(ERROR) is a longjmp, which would skip destructors. `guarded` catches the jump in a frame of its own, copies the
// error and throws pg::Error. The work given to it is a lambda of the C room:
//   - it owns no destructor that does something, and returns a trivially copyable value;
//   - it may grow a container that was handed in by reference: our memory resource never jumps, it throws, and an
//     exception may pass through the guard.
// Guard a batch, not a tuple. The guard costs about 3 ns. After an error the memory context is the one of before; when a
// C++ exception passes through, whoever changed the context changes it back (ScratchContext, InContext).
#pragma once

#include "pg/postgres.hpp"

namespace awa::pg {

// An error of PostgreSQL, or a refusal of ours, on its way to the boundary. It keeps the ErrorData, so that SQLSTATE,
// detail, hint and context survive. Only boundary and subtransaction catch it.
class Error final {
 public:
  explicit Error(ErrorData *data) noexcept : data_(data) {}
  ErrorData *data() const noexcept { return data_; }

 private:
  ErrorData *data_;
};

namespace detail {

// Where error data is copied to: the context current when the innermost boundary was entered. Scratch and SPI contexts
// may be gone by the time the error is raised again; this one is not.
extern constinit MemoryContext call_context;

// What a destructor met and could not throw. It is thrown before the innermost scope's work counts as done.
struct Deferred {
  ErrorData *error = nullptr;
  bool out_of_memory = false;
};
extern constinit Deferred deferred;

// What is deferred within a scope, a boundary or a subtransaction, is of that scope: if its work fails, it goes with it.
class DeferredScope {
 public:
  DeferredScope() noexcept : outer_(std::exchange(deferred, {})) {}
  ~DeferredScope() { deferred = outer_; }
  DeferredScope(const DeferredScope &) = delete;
  DeferredScope &operator=(const DeferredScope &) = delete;

 private:
  Deferred const outer_;
};

// Throws what was deferred in the innermost scope, if anything: before a transaction or a subtransaction is committed.
void throw_deferred();

// Calls work(argument) and defers what it raises.
void run_deferring(void (*work)(void *), void *argument) noexcept;

// Saves what a longjmp leaves changed, restores it at the end of the guard on every way out.
class Surroundings {
 public:
  Surroundings() noexcept : jump_(PG_exception_stack), context_(error_context_stack), home_(CurrentMemoryContext) {}
  ~Surroundings() { restore(); }
  Surroundings(const Surroundings &) = delete;
  Surroundings &operator=(const Surroundings &) = delete;
  MemoryContext home() const noexcept { return home_; }
  void restore() const noexcept {
    PG_exception_stack = jump_;
    error_context_stack = context_;
  }

 private:
  sigjmp_buf *const jump_;
  ErrorContextCallback *const context_;
  MemoryContext const home_;
};

// Takes the error that was just raised out of PostgreSQL's hands and throws it; bad_alloc if it cannot even be copied.
[[noreturn, gnu::cold]] void throw_current(MemoryContext home);

}  // namespace detail

template <typename Work>
[[gnu::noinline]] auto guarded(Work &&work) -> std::invoke_result_t<Work &> {
  using Result = std::invoke_result_t<Work &>;
  static_assert(std::is_void_v<Result> || std::is_trivially_copyable_v<Result>,
                "a longjmp would skip the destructor of what the guarded work returns");
  static_assert(std::is_trivially_destructible_v<std::remove_reference_t<Work>>, "the work owns nothing");
  const detail::Surroundings outer;
  sigjmp_buf here;
  if (sigsetjmp(here, 0) == 0) {
    PG_exception_stack = &here;
    return work();
  }
  outer.restore();  // the context callbacks of the frames that are gone must not be called while the error is copied
  detail::throw_current(outer.home());
}

// For destructors: an error is not thrown but kept for the end of the scope. `work` is of the C room.
template <typename Work>
void guarded_in_destructor(Work &&work) noexcept {
  detail::run_deferring([](void *argument) { (*static_cast<std::remove_reference_t<Work> *>(argument))(); }, &work);
}

}  // namespace awa::pg
