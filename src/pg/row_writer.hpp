// The direct writer for the few tables of ours whose rows change: it replaces and removes rows that index_reader showed.
//
// It does not look again, and waits for nobody, but where it says so: whoever calls it holds the key of what the row is about, so nobody else
// writes the row, and has found it under a snapshot that was taken under that key. A row that somebody locks against that
// (55P03) or has written (40001) all the same is an error. Values that stay are passed as stored (pg::as_stored): those out of line are not written
// again then. As for append_writer: plain tables of ours only, the transaction may write, the table is locked ROW
// EXCLUSIVE. Updates stay out of the indexes where the page has room.
#pragma once

#include "pg/append_writer.hpp"

namespace awa::pg {

// What became of a row that others write too.
enum class Replaced : std::uint8_t {
  done,
  changed,  // not by us: somebody was faster, look again
  gone
};

namespace detail {
void replace(const OpenTable &table, ItemPointerData place, FillRow fill, void *argument);
Replaced replace_waiting(const OpenTable &table, ItemPointerData place, FillRow fill, void *argument);
}  // namespace detail

// Puts a new row in the place of the one there. fill(row) sets all its columns; what is not set is null. The key stays.
template <typename Fill>
void replace(const OpenTable &table, ItemPointerData place, Fill &&fill) {
  detail::replace(
      table, place,
      [](void *argument, std::size_t, NewRow row) { (*static_cast<std::remove_reference_t<Fill> *>(argument))(row); },
      &fill);
}

// The same for a row that nobody has the key of: waits for whoever is at it. Errors: 40001 when somebody was faster and the
// isolation level does not let us look again.
template <typename Fill>
Replaced replace_waiting(const OpenTable &table, ItemPointerData place, Fill &&fill) {
  return detail::replace_waiting(
      table, place,
      [](void *argument, std::size_t, NewRow row) { (*static_cast<std::remove_reference_t<Fill> *>(argument))(row); },
      &fill);
}

// Removes the row there, unless somebody else is changing, locking or removing it, or did since; returns whether it is
// removed. For rows of which any will do, if not this one then another.
bool try_erase(const OpenTable &table, ItemPointerData place);

// Removes the row there.
void erase(const OpenTable &table, ItemPointerData place);

}  // namespace awa::pg
