#include "pg/table_locks.hpp"

#include "pg/error.hpp"
#include "pg/lock_owner.hpp"

namespace awa::pg {

Oid our_relation(const char *name, const char *schema) {
  const Oid found = guarded([=] {
    const Oid space = get_namespace_oid(schema, true);
    return OidIsValid(space) ? get_relname_relid(name, space) : InvalidOid;
  });
  if (OidIsValid(found)) return found;
  raise({.sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
         .message = format("relation \"%s.%s\" does not exist", schema, name),
         .hint = "awa_ring is not installed in this database: CREATE EXTENSION awa_ring."});
}

void lock_table(Oid table, LOCKMODE mode) {
  const LocksOfTransaction owner;
  guarded([=] { LockRelationOid(table, mode); });
}

namespace {

// What follows is of the C room.

bool is_held(Oid relation, LOCKMODE mode) {
  LOCKTAG tag;
  SET_LOCKTAG_RELATION(tag, MyDatabaseId, relation);
  int holders = 0;
  VirtualTransactionId *const list = GetLockConflicts(&tag, mode, &holders);
  pfree(list);
  return holders > 0;
}

void unlock(std::span<const Oid> relations, LOCKMODE mode) {
  for (const Oid relation : relations) UnlockRelationOid(relation, mode);
}

bool try_each(std::span<const Oid> relations, LOCKMODE mode) {
  for (std::size_t i = 0; i < relations.size(); ++i) {
    if (ConditionalLockRelationOid(relations[i], mode)) continue;
    unlock(relations.first(i), mode);
    return false;
  }
  return true;
}

// EXCLUSIVE, which no standby hears of, comes first: it is not to be had while anybody but a reader holds or awaits a lock, and
// keeps all but readers away.
bool try_access_exclusive(std::span<const Oid> relations) {
  if (!try_each(relations, ExclusiveLock)) return false;
  const auto is_read = [](Oid relation) { return is_held(relation, AccessExclusiveLock); };
  if (std::none_of(relations.begin(), relations.end(), is_read) && try_each(relations, AccessExclusiveLock))
    return true;
  unlock(relations, ExclusiveLock);
  return false;
}

}  // namespace

bool try_lock_all(std::span<const Oid> relations, LOCKMODE mode) {
  const LocksOfTransaction owner;
  return guarded(
      [=] { return mode == AccessExclusiveLock ? try_access_exclusive(relations) : try_each(relations, mode); });
}

void unlock_all(std::span<const Oid> relations, LOCKMODE mode) {
  const LocksOfTransaction owner;
  guarded([=] { unlock(relations, mode); });
}

bool has_no_blocks(Oid table) {
  return guarded([=] {
    Relation const relation = relation_open(table, NoLock);
    const bool none = RelationGetNumberOfBlocks(relation) == 0;
    relation_close(relation, NoLock);
    return none;
  });
}

}  // namespace awa::pg
