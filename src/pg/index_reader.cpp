#include "pg/index_reader.hpp"

#include "pg/compat.hpp"

namespace awa::pg {

namespace {

ScanKeyData key(AttrNumber column, StrategyNumber strategy, Oid procedure, Datum value) {
  return guarded([=] {
    ScanKeyData result;
    ScanKeyInit(&result, column, strategy, procedure, value);
    return result;
  });
}

constexpr StrategyNumber kRangeOverlaps = 3;  // RANGESTRAT_OVERLAPS

}  // namespace

ScanKeyData key_equal(AttrNumber column, std::int32_t value) {
  return key(column, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(value));
}

ScanKeyData key_equal(AttrNumber column, std::int64_t value) {
  return key(column, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(value));
}

ScanKeyData key_equal(AttrNumber column, core::Xid value) {
  return key(column, BTEqualStrategyNumber, F_XID8EQ, UInt64GetDatum(value.value));
}

ScanKeyData key_above(AttrNumber column, std::int64_t value) {
  return key(column, BTGreaterStrategyNumber, F_INT8GT, Int64GetDatum(value));
}

ScanKeyData key_at_least(AttrNumber column, core::Xid value) {
  return key(column, BTGreaterEqualStrategyNumber, F_XID8GE, UInt64GetDatum(value.value));
}

ScanKeyData key_at_least(AttrNumber column, std::int32_t value) {
  return key(column, BTGreaterEqualStrategyNumber, F_INT4GE, Int32GetDatum(value));
}

ScanKeyData key_at_least(AttrNumber column, std::int64_t value) {
  return key(column, BTGreaterEqualStrategyNumber, F_INT8GE, Int64GetDatum(value));
}

ScanKeyData key_at_most(AttrNumber column, std::int32_t value) {
  return key(column, BTLessEqualStrategyNumber, F_INT4LE, Int32GetDatum(value));
}

ScanKeyData key_at_most(AttrNumber column, std::int64_t value) {
  return key(column, BTLessEqualStrategyNumber, F_INT8LE, Int64GetDatum(value));
}

ScanKeyData key_at_most(AttrNumber column, core::Xid value) {
  return key(column, BTLessEqualStrategyNumber, F_XID8LE, UInt64GetDatum(value.value));
}

ScanKeyData key_time_at_least(AttrNumber column, core::Micros value) {
  return key(column, BTGreaterEqualStrategyNumber, F_TIMESTAMPTZ_GE, TimestampTzGetDatum(value));
}

ScanKeyData key_time_at_most(AttrNumber column, core::Micros value) {
  return key(column, BTLessEqualStrategyNumber, F_TIMESTAMPTZ_LE, TimestampTzGetDatum(value));
}

ScanKeyData key_text_equal(AttrNumber column, Datum value) {
  ScanKeyData result = key(column, BTEqualStrategyNumber, F_TEXTEQ, value);
  result.sk_collation = C_COLLATION_OID;
  return result;
}

ScanKeyData key_uuid_equal(AttrNumber column, Datum value) {
  return key(column, BTEqualStrategyNumber, F_UUID_EQ, value);
}

ScanKeyData key_any_of(AttrNumber column, Datum int8_array) {
  return guarded([=] {
    ScanKeyData result;
    ScanKeyEntryInitialize(&result, SK_SEARCHARRAY, column, BTEqualStrategyNumber, InvalidOid, InvalidOid, F_INT8EQ,
                           int8_array);
    return result;
  });
}

ScanKeyData key_overlaps(AttrNumber column, Datum multirange) {
  ScanKeyData result = key(column, kRangeOverlaps, F_MULTIRANGE_OVERLAPS_MULTIRANGE, multirange);
  result.sk_subtype = ANYMULTIRANGEOID;
  return result;
}

KeyAfter::KeyAfter(std::initializer_list<Member> members) {
  Assert(members.size() <= kMostKeys);
  guarded([&, this] {
    // A member of a row comparison carries the comparison procedure of its operator class.
    constexpr RegProcedure kCompare[] = {F_BTINT4CMP, F_BTINT8CMP, F_XID8CMP};
    int place = 0;
    for (const Member &member : members) {
      const int flags = SK_ROW_MEMBER | (&member == members.end() - 1 ? SK_ROW_END : 0);
      ScanKeyEntryInitialize(&members_[place++], flags, member.column, BTGreaterStrategyNumber, InvalidOid, InvalidOid,
                             kCompare[static_cast<int>(member.type)], Datum{0});
    }
  });
}

ScanKeyData KeyAfter::after(std::initializer_list<Datum> values) noexcept {
  std::transform(values.begin(), values.end(), members_, members_, [](Datum value, ScanKeyData member) {
    member.sk_argument = value;
    return member;
  });
  ScanKeyData header;
  memset(&header, 0, sizeof header);
  header.sk_flags = SK_ROW_HEADER;
  header.sk_attno = members_[0].sk_attno;
  header.sk_strategy = BTGreaterStrategyNumber;
  header.sk_argument = PointerGetDatum(members_);
  return header;
}

void detail::walk(const OpenTable &table, Oid index, Snapshot snapshot, std::span<ScanKeyData> keys,
                  ScanDirection direction, Visit visit, void *argument) {
  guarded([&] {
    Relation const relation = index_open(index, AccessShareLock);
    const auto count = static_cast<int>(keys.size());
    // GiST lets go of its page before the rows are fetched: a place may be another row's by then, which only a snapshot tells.
    Assert(relation->rd_rel->relam != GIST_AM_OID || snapshot->snapshot_type == SNAPSHOT_MVCC);
    IndexScanDesc const scan = begin_index_scan(table.relation(), relation, SnapshotAny, count);
    TupleTableSlot *const slot = table_slot_create(table.relation(), nullptr);
    index_rescan(scan, keys.data(), count, nullptr, 0);
    while (index_getnext_slot(scan, direction, slot)) {
      CHECK_FOR_INTERRUPTS();
      const Walk next = visit(argument, Row(slot, table.relation(), snapshot));
      if (next == Walk::stop) break;
      if (next == Walk::rescan) index_rescan(scan, keys.data(), count, nullptr, 0);
    }
    ExecDropSingleTupleTableSlot(slot);
    index_endscan(scan);
    index_close(relation, AccessShareLock);
  });
}

void detail::walk_each(const OpenTable &table, Oid index, Snapshot snapshot, std::span<ScanKeyData> keys,
                       std::size_t walks, void (*set_keys)(void *argument, std::size_t walk), Visit visit,
                       void *argument) {
  guarded([&] {
    Relation const relation = index_open(index, AccessShareLock);
    const auto count = static_cast<int>(keys.size());
    IndexScanDesc const scan = begin_index_scan(table.relation(), relation, SnapshotAny, count);
    TupleTableSlot *const slot = table_slot_create(table.relation(), nullptr);
    for (std::size_t walk = 0; walk < walks; ++walk) {
      CHECK_FOR_INTERRUPTS();
      set_keys(argument, walk);
      index_rescan(scan, keys.data(), count, nullptr, 0);
      while (index_getnext_slot(scan, ForwardScanDirection, slot)) {
        if (visit(argument, Row(slot, table.relation(), snapshot)) == Walk::stop) break;
      }
    }
    ExecDropSingleTupleTableSlot(slot);
    index_endscan(scan);
    index_close(relation, AccessShareLock);
  });
}

bool Row::contested() const {
  const HeapTupleHeader header = reinterpret_cast<BufferHeapTupleTableSlot *>(slot_)->base.tuple->t_data;
  return (header->t_infomask & HEAP_XMAX_INVALID) == 0 && !HEAP_XMAX_IS_LOCKED_ONLY(header->t_infomask);
}

std::size_t detail::walk_entries(const OpenTable &table, Oid index, Snapshot snapshot, std::span<ScanKeyData> keys,
                                 std::size_t most_entries, ScanDirection direction, Visit visit, void *argument) {
  return guarded([&] {
    Relation const relation = index_open(index, AccessShareLock);
    const auto count = static_cast<int>(keys.size());
    // Only a scan under the snapshot itself learns which entries are dead to everybody; in a SERIALIZABLE transaction it
    // would lock what it reads.
    IndexScanDesc const scan =
        begin_index_scan(table.relation(), relation, IsolationIsSerializable() ? SnapshotAny : snapshot, count);
    TupleTableSlot *const slot = table_slot_create(table.relation(), nullptr);
    index_rescan(scan, keys.data(), count, nullptr, 0);
    std::size_t entries = 0;
    bool goes_on = true;
    while (goes_on && entries < most_entries && index_getnext_tid(scan, direction) != nullptr) {
      CHECK_FOR_INTERRUPTS();
      ++entries;
      while (goes_on && index_fetch_heap(scan, slot)) {
        goes_on = visit(argument, Row(slot, table.relation(), snapshot)) == Walk::on;
        if (!scan->xs_heap_continue) break;
      }
    }
    ExecDropSingleTupleTableSlot(slot);
    index_endscan(scan);
    index_close(relation, AccessShareLock);
    return entries;
  });
}

void detail::look_at(const OpenTable &table, ItemPointerData place, std::int64_t blocks, Snapshot snapshot, Visit visit,
                     void *argument) {
  guarded([&] {
    // Places of blocks that were cut off since must not be read.
    if (!ItemPointerIsValid(&place) || ItemPointerGetBlockNumberNoCheck(&place) >= blocks) return;
    TupleTableSlot *const slot = table_slot_create(table.relation(), nullptr);
    if (table_tuple_fetch_row_version(table.relation(), &place, SnapshotAny, slot)) {
      visit(argument, Row(slot, table.relation(), snapshot));
    }
    ExecDropSingleTupleTableSlot(slot);
  });
}

void detail::walk_all(const OpenTable &table, Snapshot snapshot, Visit visit, void *argument) {
  guarded([&] {
    TableScanDesc const scan = table_beginscan(table.relation(), SnapshotAny, 0, nullptr);
    TupleTableSlot *const slot = table_slot_create(table.relation(), nullptr);
    while (table_scan_getnextslot(scan, ForwardScanDirection, slot)) {
      CHECK_FOR_INTERRUPTS();
      const Walk next = visit(argument, Row(slot, table.relation(), snapshot));
      Assert(next != Walk::rescan);
      if (next == Walk::stop) break;
    }
    ExecDropSingleTupleTableSlot(slot);
    table_endscan(scan);
  });
}

}  // namespace awa::pg
