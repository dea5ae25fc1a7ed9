#include "pg/result_set.hpp"

#include "pg/error.hpp"

namespace awa::pg {

namespace {

// From here on: the C room.

// An upper bound for what a row takes beside its values of variable length.
Size fixed_room(TupleDesc descriptor, Size header) {
  Size room = header + MAXIMUM_ALIGNOF;
  for (int i = 0; i < descriptor->natts; ++i) {
    const int length = TupleDescAttr(descriptor, i)->attlen;
    room += MAXIMUM_ALIGNOF + (length >= 0 ? static_cast<Size>(length) : 0);
  }
  return room;
}

Size varying_room(TupleDesc descriptor, const Datum *values, const bool *nulls) {
  Size room = 0;
  for (int i = 0; i < descriptor->natts; ++i) {
    if (TupleDescAttr(descriptor, i)->attlen < 0 && !nulls[i]) room += VARSIZE_ANY(DatumGetPointer(values[i]));
  }
  return room;
}

// What heap_fill_tuple does, for values that are there already in the shape in which they are to be stored.
void fill(HeapTuple row, TupleDesc descriptor, const Datum *values, const bool *nulls) {
  HeapTupleHeader const header = row->t_data;
  char *const data = reinterpret_cast<char *>(header) + header->t_hoff;
  char *at = data;
  const auto align = [&](char alignment) {
    memset(at, 0, MAXIMUM_ALIGNOF);  // a reader tells by a zero that a value of variable length was aligned
    at = data + att_align_nominal(static_cast<uintptr_t>(at - data), alignment);
  };
  for (int i = 0; i < descriptor->natts; ++i) {
    if (nulls[i]) continue;
    header->t_bits[i >> 3] = static_cast<bits8>(header->t_bits[i >> 3] | 1 << (i & 7));
    Form_pg_attribute const column = TupleDescAttr(descriptor, i);
    if (column->attbyval) {
      align(column->attalign);
      store_att_byval(at, values[i], column->attlen);
      at += column->attlen;
      continue;
    }
    char *const value = DatumGetPointer(values[i]);
    Assert(column->attlen >= 0 || !VARATT_IS_EXTERNAL(value));
    const auto size = column->attlen >= 0 ? static_cast<Size>(column->attlen) : VARSIZE_ANY(value);
    if (column->attlen >= 0 || !VARATT_IS_SHORT(value)) align(column->attalign);
    memcpy(at, value, size);
    at += size;
  }
  row->t_len = static_cast<uint32>(at - reinterpret_cast<char *>(header));
}

}  // namespace

ResultSet::ResultSet(FunctionCallInfo call) : info_(reinterpret_cast<ReturnSetInfo *>(call->resultinfo)) {
  // The plan knows the row type, and is made anew when the function changes.
  guarded([=] { InitMaterializedSRF(call, MAT_SRF_USE_EXPECTED_DESC); });
  header_ = MAXALIGN(SizeofHeapTupleHeader + static_cast<Size>(BITMAPLEN(info_->setDesc->natts)));
  fixed_room_ = fixed_room(info_->setDesc, header_);
}

void ResultSet::require(std::span<const Oid> types) const {
  TupleDesc const descriptor = info_->setDesc;
  bool as_expected = static_cast<std::size_t>(descriptor->natts) == types.size();
  for (int i = 0; as_expected && i < descriptor->natts; ++i) {
    const FormData_pg_attribute *const column = TupleDescAttr(descriptor, i);
    const Oid type = types[static_cast<std::size_t>(i)];
    as_expected = !column->attisdropped &&
                  (column->atttypid == type || (type == kOurType && !column->attbyval && column->attlen > 0));
  }
  if (as_expected) return;
  raise({.sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
         .message = "the function's row type does not have the columns that awa_ring expects",
         .hint = "The library and the extension differ in version, see ALTER EXTENSION awa_ring UPDATE; or the type "
                 "was altered."});
}

void ResultSet::add(const Datum *values, const bool *nulls) {
  TupleDesc const descriptor = info_->setDesc;
  const Size wanted = fixed_room_ + varying_room(descriptor, values, nulls);
  if (wanted > room_) {
    if (row_.t_data != nullptr) pfree(row_.t_data);
    room_ = wanted + wanted / 4;
    row_.t_data = static_cast<HeapTupleHeader>(MemoryContextAlloc(context_, room_));
  }
  memset(row_.t_data, 0, header_);
  row_.t_data->t_infomask2 = static_cast<uint16>(descriptor->natts);
  row_.t_data->t_infomask = HEAP_HASNULL | HEAP_HASVARWIDTH;
  row_.t_data->t_hoff = static_cast<uint8>(header_);
  fill(&row_, descriptor, values, nulls);
  tuplestore_puttuple(info_->setResult, &row_);
}

namespace {

// The row types of functions that this session has called, as long as no function changes.
struct KnownType {
  Oid function;
  TupleDesc row;
};
constinit KnownType known_types[4] = {};

TupleDesc learn(FunctionCallInfo call) {
  TupleDesc descriptor = nullptr;
  if (get_call_result_type(call, nullptr, &descriptor) != TYPEFUNC_COMPOSITE) {
    elog(ERROR, "return type must be a row type");
  }
  return BlessTupleDesc(descriptor);
}

TupleDesc row_type(FunctionCallInfo call) {
  const Oid function = call->flinfo->fn_oid;
  KnownType &known = known_types[function % std::size(known_types)];
  if (known.function == function) return known.row;
  TupleDesc const learnt = learn(call);
  MemoryContext const before = MemoryContextSwitchTo(TopMemoryContext);
  TupleDesc const kept = CreateTupleDescCopy(learnt);
  MemoryContextSwitchTo(before);
  if (known.row != nullptr) FreeTupleDesc(known.row);
  known = {function, kept};
  return kept;
}

}  // namespace

void watch_row_types() {
  CacheRegisterSyscacheCallback(
      PROCOID,
      [](Datum, int, uint32) {
        for (KnownType &known : known_types) known.function = InvalidOid;
      },
      Datum{0});
}

Datum composite(FunctionCallInfo call, const Datum *values, const bool *nulls) {
  return guarded([=] {
    HeapTuple const tuple = heap_form_tuple(row_type(call), const_cast<Datum *>(values), const_cast<bool *>(nulls));
    return HeapTupleGetDatum(tuple);
  });
}

}  // namespace awa::pg
