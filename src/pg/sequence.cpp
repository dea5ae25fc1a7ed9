#include "pg/sequence.hpp"

#include "pg/error.hpp"

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
  if (OidIsValid(oid_)) return oid_;
  const Oid found = guarded([this] {
    const Oid schema = get_namespace_oid("awa", true);
    return OidIsValid(schema) ? get_relname_relid(name_, schema) : InvalidOid;
  });
  if (!OidIsValid(found)) {
    raise({.sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
           .message = format("sequence \"awa.%s\" does not exist", name_),
           .hint = "awa_ring is not installed in this database: CREATE EXTENSION awa_ring."});
  }
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
