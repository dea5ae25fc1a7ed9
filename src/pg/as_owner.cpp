#include "pg/as_owner.hpp"

#include "pg/table_locks.hpp"

namespace awa::pg {

namespace {

// C room.
Oid owner_of(Oid table) {
  HeapTuple const tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for relation %u", table);
  const Oid owner = reinterpret_cast<const FormData_pg_class *>(GETSTRUCT(tuple))->relowner;
  ReleaseSysCache(tuple);
  return owner;
}

}  // namespace

AsOwner::AsOwner() {
  const Oid table = our_relation("queue_ring_state");
  guarded([=, this] {
    const Oid owner = owner_of(table);
    GetUserIdAndSecContext(&user_, &context_);
    SetUserIdAndSecContext(owner, context_ | SECURITY_LOCAL_USERID_CHANGE);
  });
}

AsOwner::~AsOwner() {
  if (std::uncaught_exceptions() > unwinding_) return;  // the abort restores it
  SetUserIdAndSecContext(user_, context_);
}

}  // namespace awa::pg
