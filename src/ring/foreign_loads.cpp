#include "ring/foreign_loads.hpp"

#include "pg/error.hpp"
#include "pg/index_reader.hpp"
#include "ring/tables.hpp"

namespace awa::ring {

namespace {

constexpr pg::Column kColumns[] = {{"leaf", TEXTOID}, {"loaded_at", TIMESTAMPTZOID}};
constexpr pg::TableShape kShape{"foreign_loads", kColumns, {}};
constinit pg::CachedTable foreign_loads_table(kShape, pg::kNotALeaf);

}  // namespace

bool foreign_load_marked(const pg::FreshSnapshot &snapshot) {
  pg::OpenTable table(foreign_loads_table, AccessShareLock);
  bool marked = false;
  if (!table.has_no_blocks()) {
    pg::walk_all(table, snapshot.get(), [&](const pg::Row &) {
      marked = true;
      return pg::Walk::stop;
    });
  }
  table.unlock();
  return marked;
}

bool restore_under_way(const pg::FreshSnapshot &snapshot) {
  for (int slot = 0; slot < core::kQueueSlots; ++slot) {
    pg::OpenTable leaf(ready_entries_leaf({slot}), AccessShareLock);
    const bool disarmed = leaf.disarmed();
    leaf.unlock();
    if (disarmed) return true;
  }
  return foreign_load_marked(snapshot);
}

void refuse_foreign_load() {
  pg::raise({.sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
             .message = "the rings hold rows that were loaded past the verbs of awa_ring",
             .detail = "That is so after a restore: transaction ids of another cluster mean nothing in this one.",
             .hint = "When the restore is complete, CALL awa.after_restore()."});
}

}  // namespace awa::ring
