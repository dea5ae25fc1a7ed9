// Memory: a scratch context for the length of a call, and the resource that lets containers live in a context.
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

// Hands memory of a context to containers. It throws bad_alloc and never jumps, so it needs no guard.
class ContextResource final : public std::pmr::memory_resource {
 public:
  explicit ContextResource(MemoryContext context) noexcept : context_(context) {}

 private:
  void *do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void *memory, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }

  MemoryContext const context_;
};

// A context of its own for all that a call allocates on the way: current while it lives, deleted with it. What the call
// returns is made in `caller()`. Containers over `memory()` are declared after it, so that they go first.
class ScratchContext {
 public:
  ScratchContext();
  ~ScratchContext();
  ScratchContext(const ScratchContext &) = delete;
  ScratchContext &operator=(const ScratchContext &) = delete;

  MemoryContext caller() const noexcept { return caller_; }
  core::Memory &memory() noexcept;

 private:
  MemoryContext const caller_;
  MemoryContext const context_;
  ContextResource resource_;
};

// Makes a context current for a scope.
class InContext {
 public:
  explicit InContext(MemoryContext context) noexcept : before_(MemoryContextSwitchTo(context)) {}
  ~InContext() { MemoryContextSwitchTo(before_); }
  InContext(const InContext &) = delete;
  InContext &operator=(const InContext &) = delete;

 private:
  MemoryContext const before_;
};

}  // namespace awa::pg
