#include "pg/append_writer.hpp"

#include "pg/memory.hpp"
#include "pg/row_indexes.hpp"

namespace awa::pg {

namespace {

// Rows written at once: enough for the gain of heap_multi_insert; and no more bytes than COPY takes at once.
constexpr std::size_t kChunk = 64;
constexpr std::size_t kChunkBytes = 65'536;

// From here on: the C room.

void append_row(const OpenTable &table, const Datum *values, const bool *nulls) {
  HeapTuple const tuple = detail::form_row(table, values, nulls);
  heap_insert(table.relation(), tuple, GetCurrentCommandId(true), 0, nullptr);
  detail::OpenIndexes indexes;
  open_indexes(table, indexes);
  insert_into_indexes(table, indexes, values, nulls, &tuple->t_self);
  close_indexes(table, indexes);
  heap_freetuple(tuple);
}

}  // namespace

void detail::append(const OpenTable &table, std::size_t rows, FillRow fill, void *argument) {
  require_writable_table(table);
  if (rows == 0) return;
  const InContext unchanged(CurrentMemoryContext);  // also when `fill` throws while a chunk's context is current
  guarded([&] {
    const detail::ToastSnapshot snapshot;
    const auto columns = static_cast<std::size_t>(table.descriptor()->natts);
    if (rows == 1) {
      Datum values[kMostColumns] = {};
      bool nulls[kMostColumns];
      std::fill(nulls, nulls + columns, true);
      fill(argument, 0, NewRow(values, nulls));
      append_row(table, values, nulls);
      snapshot.pop();
      return;
    }
    // heap_multi_insert and the index methods leave memory behind; a context of its own bounds it to a chunk.
    MemoryContext const chunk_context =
        AllocSetContextCreate(CurrentMemoryContext, "awa_ring append", ALLOCSET_DEFAULT_SIZES);
    const std::size_t most = std::min(rows, kChunk);
    auto *const slots = static_cast<TupleTableSlot **>(palloc(sizeof(TupleTableSlot *) * most));
    for (std::size_t i = 0; i < most; ++i) slots[i] = MakeSingleTupleTableSlot(table.descriptor(), &TTSOpsHeapTuple);
    auto *const values = static_cast<Datum *>(palloc(sizeof(Datum) * columns * most));
    auto *const nulls = static_cast<bool *>(palloc(sizeof(bool) * columns * most));
    OpenIndexes indexes;
    open_indexes(table, indexes);
    MemoryContext const outer = MemoryContextSwitchTo(chunk_context);
    for (std::size_t done = 0; done < rows;) {
      std::fill(values, values + columns * most, Datum{0});
      std::fill(nulls, nulls + columns * most, true);
      std::size_t count = 0;
      for (std::size_t bytes = 0; count < std::min(most, rows - done) && bytes < kChunkBytes; ++count) {
        const std::size_t first = count * columns;
        fill(argument, done + count, NewRow(values + first, nulls + first));
        HeapTuple const tuple = form_row(table, values + first, nulls + first);
        ExecStoreHeapTuple(tuple, slots[count], true);
        bytes += tuple->t_len;
      }
      heap_multi_insert(table.relation(), slots, static_cast<int>(count), GetCurrentCommandId(true), 0, nullptr);
      for (std::size_t i = 0; i < count; ++i) {
        insert_into_indexes(table, indexes, values + i * columns, nulls + i * columns, &slots[i]->tts_tid);
        ExecClearTuple(slots[i]);
      }
      MemoryContextReset(chunk_context);
      done += count;
      CHECK_FOR_INTERRUPTS();
    }
    MemoryContextSwitchTo(outer);
    close_indexes(table, indexes);
    for (std::size_t i = 0; i < most; ++i) ExecDropSingleTupleTableSlot(slots[i]);
    MemoryContextDelete(chunk_context);
    snapshot.pop();
  });
}

}  // namespace awa::pg
