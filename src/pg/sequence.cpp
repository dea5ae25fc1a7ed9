#include "pg/sequence.hpp"

#include "pg/table_locks.hpp"

namespace awa::pg {

namespace {
constinit CachedSequence *watched = nullptr;
}

void CachedSequence::watch_invalidations() {
  CacheRegisterRelcacheCallback(
      [](Datum, Oid relation) {
        for (CachedSequence *sequence = watched; sequence != nullptr; sequence = sequence->next_watched_) {
          if (!OidIsValid(relation) || relation == sequence->oid_) sequence->oid_ = InvalidOid;
        }
      },
      Datum{0});
}

Oid CachedSequence::oid() {
  guarded([] { AcceptInvalidationMessages(); });  // the extension may have been dropped and created again
  if (OidIsValid(oid_)) return oid_;
  const Oid found = our_relation(name_, schema_);
  oid_ = found;
  if (!watched_) {
    next_watched_ = watched;
    watched = this;
    watched_ = true;
  }
  return oid_;
}

std::int64_t next_value(Oid sequence) {
  return guarded([=] { return nextval_internal(sequence, false); });
}

void set_value(Oid sequence, std::int64_t value) {
  guarded(
      [=] { DirectFunctionCall3(setval3_oid, ObjectIdGetDatum(sequence), Int64GetDatum(value), BoolGetDatum(true)); });
}

std::int64_t last_value(Oid sequence) {
  return guarded([=] {
    Relation const relation = relation_open(sequence, AccessShareLock);
    Buffer const buffer = ReadBuffer(relation, 0);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    Page const page = BufferGetPage(buffer);
    const auto *const tuple =
        reinterpret_cast<HeapTupleHeader>(PageGetItem(page, PageGetItemId(page, FirstOffsetNumber)));
    const auto *const data =
        reinterpret_cast<const FormData_pg_sequence_data *>(reinterpret_cast<const char *>(tuple) + tuple->t_hoff);
    const std::int64_t value = data->last_value;
    UnlockReleaseBuffer(buffer);
    relation_close(relation, AccessShareLock);
    return value;
  });
}

}  // namespace awa::pg
