#include "pg/extension.hpp"

#include "pg/lock_owner.hpp"

namespace awa::pg {

namespace {

// C room.
bool look_up(Installed &installed) {
  installed = {};
  ScanKeyData key;
  ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ, CStringGetDatum("awa_ring"));
  Relation const extensions = table_open(ExtensionRelationId, AccessShareLock);
  SysScanDesc const scan = systable_beginscan(extensions, ExtensionNameIndexId, true, nullptr, 1, &key);
  HeapTuple const found = systable_getnext(scan);
  if (HeapTupleIsValid(found)) {
    installed.extension = reinterpret_cast<const FormData_pg_extension *>(GETSTRUCT(found))->oid;
    bool is_null = false;
    const Datum version = heap_getattr(found, Anum_pg_extension_extversion, RelationGetDescr(extensions), &is_null);
    if (!is_null) text_to_cstring_buffer(DatumGetTextPP(version), installed.version, sizeof installed.version);
  }
  systable_endscan(scan);
  table_close(extensions, AccessShareLock);
  return OidIsValid(installed.extension);
}

}  // namespace

Hold hold_extension(Installed &installed) {
  const LocksOfTransaction owner;
  return guarded([&] {
    if (!look_up(installed)) return Hold::gone;
    LOCKTAG tag;
    SET_LOCKTAG_OBJECT(tag, MyDatabaseId, ExtensionRelationId, installed.extension, 0);
    if (LockAcquire(&tag, AccessShareLock, false, true) == LOCKACQUIRE_NOT_AVAIL) return Hold::busy;
    AcceptInvalidationMessages();
    Oid const before = installed.extension;
    if (!look_up(installed)) return Hold::gone;
    return installed.extension == before ? Hold::held : Hold::busy;
  });
}

}  // namespace awa::pg
