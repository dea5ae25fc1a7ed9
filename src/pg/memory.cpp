#include "pg/memory.hpp"

#include "pg/planted_fault.hpp"

namespace awa::pg {

namespace {

// PostgreSQL's memory is aligned less than 128-bit numbers want. The aligned address is beyond the one that was given, which is
// kept right before it.
void *moved_up(void *given, std::size_t alignment) noexcept {
  static_assert(MAXIMUM_ALIGNOF >= sizeof(void *));
  const auto address = reinterpret_cast<std::uintptr_t>(given);
  const std::uintptr_t aligned = (address / alignment + 1) * alignment;
  auto *const memory = reinterpret_cast<void **>(aligned);
  memory[-1] = given;
  return memory;
}

// malloc gives memory back to the system as soon as 128 kB at the end of the heap are free: each call on many jobs would have its
// pages brought in anew. A block that was mapped and is given back teaches it to map only what is larger, and to keep twice as much.
// In sessions that call us, not in those of others: so not when the library is loaded. C room.
constexpr Size kLargestKept = Size{2} << 20;
constinit bool keeps_memory = false;

void keep_memory() {
  if (keeps_memory) return;
  pfree(palloc(kLargestKept));
  keeps_memory = true;
}

}  // namespace

void *ContextResource::do_allocate(std::size_t bytes, std::size_t alignment) {
  // The size check comes first: an invalid size would be raised in spite of MCXT_ALLOC_NO_OOM.
  const std::size_t room = bytes + (alignment > MAXIMUM_ALIGNOF ? alignment : 0);
  if (room < bytes || !AllocSizeIsValid(room)) throw std::bad_alloc();
  if (AWA_PLANTED(heap_overflow) && bytes > 1) --bytes;
  void *const memory =
      MemoryContextAllocExtended(context_, alignment > MAXIMUM_ALIGNOF ? room : bytes, MCXT_ALLOC_NO_OOM);
  if (memory == nullptr) throw std::bad_alloc();
  return alignment > MAXIMUM_ALIGNOF ? moved_up(memory, alignment) : memory;
}

void ContextResource::do_deallocate(void *memory, std::size_t, std::size_t alignment) {
  pfree(alignment > MAXIMUM_ALIGNOF ? static_cast<void **>(memory)[-1] : memory);
}

ScratchContext::ScratchContext()
    : caller_(CurrentMemoryContext),
      context_(guarded([] {
        keep_memory();
        return AllocSetContextCreate(CurrentMemoryContext, "awa_ring call", ALLOCSET_DEFAULT_SIZES);
      })),
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
