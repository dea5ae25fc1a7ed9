#include "pg/row_writer.hpp"

#include "pg/compat.hpp"
#include "pg/row_indexes.hpp"

namespace awa::pg {

void detail::replace(const OpenTable &table, ItemPointerData place, FillRow fill, void *argument) {
  require_writable_table(table);
  guarded([&] {
    // A published table must be able to name its old rows.
    CheckCmdReplicaIdentity(table.relation(), CMD_UPDATE);
    Datum values[kMostColumns] = {};
    bool nulls[kMostColumns];
    std::fill(nulls, nulls + table.descriptor()->natts, true);
    fill(argument, 0, NewRow(values, nulls));
    HeapTuple const tuple = form_row(table, values, nulls);
    if (heap_update_row(table.relation(), &place, tuple)) {
      OpenIndexes indexes;
      open_indexes(table, indexes);
      insert_into_indexes(table, indexes, values, nulls, &tuple->t_self);
      close_indexes(table, indexes);
    }
    heap_freetuple(tuple);
  });
}

void erase(const OpenTable &table, ItemPointerData place) {
  detail::require_writable_table(table);
  guarded([&] {
    CheckCmdReplicaIdentity(table.relation(), CMD_DELETE);
    simple_heap_delete(table.relation(), &place);
  });
}

}  // namespace awa::pg
