// The direct reader: walks an index of a table of ours and shows the rows that a given snapshot sees.
//
// The scan itself runs with SnapshotAny, and each row is tested against the snapshot: a scan under an MVCC snapshot would
// take predicate locks in a SERIALIZABLE transaction, and two claims of one lane would fail each other for nothing. Such a
// scan marks no index entry as dead because of the row's state: such entries are passed faster only where others did that.
#pragma once

#include "core/ids.hpp"
#include "pg/cached_table.hpp"

namespace awa::pg {

// Keys of a scan. `column` is the place in the index, 1 = first.
ScanKeyData key_equal(AttrNumber column, std::int32_t value);
ScanKeyData key_equal(AttrNumber column, std::int64_t value);
ScanKeyData key_equal(AttrNumber column, core::Xid value);
ScanKeyData key_above(AttrNumber column, std::int64_t value);
ScanKeyData key_at_least(AttrNumber column, std::int32_t value);
ScanKeyData key_at_least(AttrNumber column, core::Xid value);
ScanKeyData key_at_least(AttrNumber column, std::int64_t value);
ScanKeyData key_at_most(AttrNumber column, std::int32_t value);
ScanKeyData key_at_most(AttrNumber column, core::Xid value);
ScanKeyData key_at_most(AttrNumber column, std::int64_t value);
// For timestamptz columns.
ScanKeyData key_time_at_least(AttrNumber column, core::Micros value);
ScanKeyData key_time_at_most(AttrNumber column, core::Micros value);
ScanKeyData key_text_equal(AttrNumber column, Datum value);
ScanKeyData key_uuid_equal(AttrNumber column, Datum value);
// int8 column = any of an int8 array without nulls, for btree. The array must outlive the scan.
ScanKeyData key_any_of(AttrNumber column, Datum int8_array);
// int8multirange column && the multirange, for GiST, which compares the ranges' hulls: it shows every row that matches, and
// may show others. The visitor tests, and never is of walk_any.
ScanKeyData key_overlaps(AttrNumber column, Datum multirange);

// (column, …) > (value, …), as one key: a row comparison. The object must outlive the scan.
class KeyAfter {
 public:
  enum class Type : std::uint8_t { int4, int8, xid8 };
  struct Member {
    AttrNumber column;
    Type type;
  };
  explicit KeyAfter(std::initializer_list<Member> members);
  // (xid8 column, int8 column)
  KeyAfter(AttrNumber xid_column, AttrNumber seq_column)
      : KeyAfter({{xid_column, Type::xid8}, {seq_column, Type::int8}}) {}
  KeyAfter(const KeyAfter &) = delete;
  KeyAfter &operator=(const KeyAfter &) = delete;
  // The key for the position. Changing the position changes keys made before.
  ScanKeyData after(std::initializer_list<Datum> values) noexcept;
  ScanKeyData after(core::Xid xid, std::int64_t seq) noexcept {
    return after({UInt64GetDatum(xid.value), Int64GetDatum(seq)});
  }

 private:
  ScanKeyData members_[kMostKeys];
};

// What the visitor says to the walk.
enum class Walk : std::uint8_t {
  on,
  stop,
  rescan,  // the visitor changed the keys: start again with them
};

// A row shown to the visitor; valid during the visit. Values of by-reference types point into a page: copy what stays.
class Row {
 public:
  Row(TupleTableSlot *slot, Relation relation, Snapshot snapshot) noexcept
      : slot_(slot), relation_(relation), snapshot_(snapshot) {}
  // Whether the snapshot sees the row.
  bool visible() const { return table_tuple_satisfies_snapshot(relation_, slot_, snapshot_); }
  // Makes all values ready at once: cheaper than one after the other, for who wants most of them.
  void make_ready() const { slot_getallattrs(slot_); }
  Datum value(AttrNumber column, bool &is_null) const { return slot_getattr(slot_, column, &is_null); }
  Datum value(AttrNumber column) const {
    bool is_null = false;
    return slot_getattr(slot_, column, &is_null);
  }
  bool is_null(AttrNumber column) const { return slot_attisnull(slot_, column); }
  // Whether somebody else is changing or removing the row, or has since the snapshot was taken: who wants to do it too would have
  // to wait. To be asked after visible(). Those who merely lock it are not seen.
  bool contested() const;
  // Where the row lies, for row_writer.
  ItemPointerData place() const noexcept { return slot_->tts_tid; }
  std::int32_t int4(AttrNumber column) const { return DatumGetInt32(value(column)); }
  std::int64_t int8(AttrNumber column) const { return DatumGetInt64(value(column)); }
  core::Xid xid8(AttrNumber column) const {
    return {U64FromFullTransactionId(DatumGetFullTransactionId(value(column)))};
  }

 private:
  TupleTableSlot *slot_;
  Relation relation_;
  Snapshot snapshot_;
};

namespace detail {
using Visit = Walk (*)(void *argument, const Row &row);
void walk(const OpenTable &table, Oid index, Snapshot snapshot, std::span<ScanKeyData> keys, ScanDirection direction,
          Visit visit, void *argument);
void walk_each(const OpenTable &table, Oid index, Snapshot snapshot, std::span<ScanKeyData> keys, std::size_t walks,
               void (*set_keys)(void *argument, std::size_t walk), Visit visit, void *argument);
void look_at(const OpenTable &table, ItemPointerData place, std::int64_t blocks, Snapshot snapshot, Visit visit,
             void *argument);
void walk_all(const OpenTable &table, Snapshot snapshot, Visit visit, void *argument);
std::size_t walk_entries(const OpenTable &table, Oid index, Snapshot snapshot, std::span<ScanKeyData> keys,
                         std::size_t most_entries, ScanDirection direction, Visit visit, void *argument);

template <typename Visitor>
Walk call(void *argument, const Row &row) {
  return (*static_cast<std::remove_reference_t<Visitor> *>(argument))(row);
}

template <typename Visitor>
Walk call_if_visible(void *argument, const Row &row) {
  return row.visible() ? call<Visitor>(argument, row) : Walk::on;
}
}  // namespace detail

// Shows the rows of the index that match the keys and that the snapshot sees, in the order of the index, until the
// visitor stops. The visitor is of the C room.
template <typename Visitor>
void walk(const OpenTable &table, Oid index, Snapshot snapshot, std::span<ScanKeyData> keys, Visitor &&visit,
          ScanDirection direction = ForwardScanDirection) {
  detail::walk(table, index, snapshot, keys, direction, &detail::call_if_visible<Visitor>, &visit);
}

// The same with every row, seen or not: for a visitor that can tell by a row's key that it need not be tested.
template <typename Visitor>
void walk_any(const OpenTable &table, Oid index, Snapshot snapshot, std::span<ScanKeyData> keys, Visitor &&visit) {
  detail::walk(table, index, snapshot, keys, ForwardScanDirection, &detail::call<Visitor>, &visit);
}

// The same as walk, but it looks at no more than `most_entries` entries of the index, those of rows that nobody sees any more
// included; and the latter are marked, so that who comes later passes them by. For indexes that dead rows pile up in. Returns
// how many entries it looked at: fewer than `most_entries` and not stopped means that there are no more.
template <typename Visitor>
std::size_t walk_entries(const OpenTable &table, Oid index, Snapshot snapshot, std::span<ScanKeyData> keys,
                         std::size_t most_entries, ScanDirection direction, Visitor &&visit) {
  return detail::walk_entries(table, index, snapshot, keys, most_entries, direction, &detail::call_if_visible<Visitor>,
                              &visit);
}

// Many walks of one index, one after the other: set_keys(i) changes the keys for the i-th, whose rows are shown as
// visit(i, row). Both are of the C room.
template <typename SetKeys, typename Visitor>
void walk_each(const OpenTable &table, Oid index, Snapshot snapshot, std::span<ScanKeyData> keys, std::size_t walks,
               SetKeys &&set_keys, Visitor &&visit) {
  struct {
    std::remove_reference_t<SetKeys> *set_keys;
    std::remove_reference_t<Visitor> *visit;
    std::size_t walk;
  } both{&set_keys, &visit, 0};
  detail::walk_each(
      table, index, snapshot, keys, walks,
      [](void *argument, std::size_t walk) {
        auto *const wanted = static_cast<decltype(both) *>(argument);
        wanted->walk = walk;
        (*wanted->set_keys)(walk);
      },
      [](void *argument, const Row &row) {
        auto *const wanted = static_cast<decltype(both) *>(argument);
        return row.visible() ? (*wanted->visit)(wanted->walk, row) : Walk::on;
      },
      &both);
}

// Shows the row at a place where there was one once, if there is one now that the snapshot sees: it may be another row.
// `blocks`: what the table has. The visitor is of the C room.
template <typename Visitor>
void look_at(const OpenTable &table, ItemPointerData place, std::int64_t blocks, Snapshot snapshot, Visitor &&visit) {
  auto show = [&](const Row &row) {
    visit(row);
    return Walk::stop;
  };
  detail::look_at(table, place, blocks, snapshot, &detail::call_if_visible<decltype(show)>, &show);
}

// Shows all rows of a small table.
template <typename Visitor>
void walk_all(const OpenTable &table, Snapshot snapshot, Visitor &&visit) {
  detail::walk_all(table, snapshot, &detail::call_if_visible<Visitor>, &visit);
}

}  // namespace awa::pg
