#include "pg/memory.hpp"

#include "pg/planted_fault.hpp"

namespace awa::pg {

void *ContextResource::do_allocate(std::size_t bytes, std::size_t alignment) {
  // The size check comes first: an invalid size would be raised in spite of MCXT_ALLOC_NO_OOM.
  if (alignment > MAXIMUM_ALIGNOF || !AllocSizeIsValid(bytes)) throw std::bad_alloc();
  if (AWA_PLANTED(heap_overflow) && bytes > 1) --bytes;
  void *const memory = MemoryContextAllocExtended(context_, bytes, MCXT_ALLOC_NO_OOM);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void ContextResource::do_deallocate(void *memory, std::size_t, std::size_t) { pfree(memory); }

ScratchContext::ScratchContext()
    : caller_(CurrentMemoryContext),
      context_(
          guarded([] { return AllocSetContextCreate(CurrentMemoryContext, "awa_ring call", ALLOCSET_DEFAULT_SIZES); })),
      resource_(context_) {
  MemoryContextSwitchTo(context_);
}

ScratchContext::~ScratchContext() {
  MemoryContextSwitchTo(caller_);
  MemoryContextDelete(context_);
}

// Out of line: seeing the object, g++ 12 guesses at other resources' code and warns of what it would do to this one.
core::Memory &ScratchContext::memory() noexcept { return resource_; }

}  // namespace awa::pg
