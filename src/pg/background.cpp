#include "pg/background.hpp"

namespace awa::pg {

namespace {

constinit bool connecting = false;

// A worker that cannot connect would be started again for ever.
void at_exit(int, Datum) {
  if (!std::exchange(connecting, false)) return;
  proc_exit(0);  // goes on with the rest of what is to be done at an exit
}

void set(const char *setting, const char *value) { SetConfigOption(setting, value, PGC_SUSET, PGC_S_OVERRIDE); }

BackgroundWorker worker_of(const WorkerKind &kind) {
  BackgroundWorker worker = {};
  worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
  worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
  worker.bgw_restart_time = kind.restart_after;
  strlcpy(worker.bgw_library_name, "awa_ring", sizeof worker.bgw_library_name);
  strlcpy(worker.bgw_function_name, kind.function, sizeof worker.bgw_function_name);
  strlcpy(worker.bgw_type, kind.type, sizeof worker.bgw_type);
  strlcpy(worker.bgw_name, kind.type, sizeof worker.bgw_name);
  return worker;
}

// pg_database, row by row. Without a database of one's own there are no caches to speak of; the table is small.
template <typename Visit>
void walk_databases(Visit visit) {
  Relation const databases = table_open(DatabaseRelationId, AccessShareLock);
  SysScanDesc const scan = systable_beginscan(databases, InvalidOid, false, nullptr, 0, nullptr);
  for (HeapTuple found; HeapTupleIsValid(found = systable_getnext(scan));)
    visit(*reinterpret_cast<const FormData_pg_database *>(GETSTRUCT(found)));
  systable_endscan(scan);
  table_close(databases, AccessShareLock);
}

// One that was half dropped has a limit of its own, which takes nobody.
bool takes_connections(const FormData_pg_database &database) {
  constexpr int half_dropped = -2;
  return database.datallowconn && database.datconnlimit != half_dropped;
}

}  // namespace

bool register_worker(const WorkerKind &kind, const WorkerStart &start, BackgroundWorkerHandle **handle) {
  static_assert(sizeof start <= BGW_EXTRALEN && std::is_trivially_copyable_v<WorkerStart>);
  BackgroundWorker worker = worker_of(kind);
  snprintf(worker.bgw_name, sizeof worker.bgw_name, "%s of database %u", kind.type, start.database);
  memcpy(worker.bgw_extra, &start, sizeof start);
  if (handle != nullptr) worker.bgw_notify_pid = MyProcPid;
  return RegisterDynamicBackgroundWorker(&worker, handle);
}

void register_permanent_worker(const WorkerKind &kind) {
  BackgroundWorker worker = worker_of(kind);
  RegisterBackgroundWorker(&worker);
}

bool is_being_preloaded() noexcept { return process_shared_preload_libraries_in_progress && !IsBinaryUpgrade; }

bool is_binary_upgrade() noexcept { return IsBinaryUpgrade; }

void wait_for_end(BackgroundWorkerHandle *handle, core::Micros longest) {
  constexpr core::Micros between_looks = 20'000;
  pid_t pid = 0;
  if (WaitForBackgroundWorkerStartup(handle, &pid) != BGWH_STARTED) return;
  const core::Micros until = GetCurrentTimestamp() + longest;
  while (GetBackgroundWorkerPid(handle, &pid) == BGWH_STARTED && GetCurrentTimestamp() < until)
    sleep_worker(GetCurrentTimestamp() + between_looks);
}

WorkerStart begin_worker() {
  WorkerStart start;
  memcpy(&start, MyBgworkerEntry->bgw_extra, sizeof start);
  pqsignal(SIGHUP, SignalHandlerForConfigReload);
  pqsignal(SIGTERM, die);
  pqsignal(SIGUSR2, SignalHandlerForShutdownRequest);
  on_proc_exit(at_exit, Datum{0});
  BackgroundWorkerUnblockSignals();
  return start;
}

void connect_worker(Oid database, const char *name) {
  connecting = true;
  BackgroundWorkerInitializeConnectionByOid(database, InvalidOid, 0);
  connecting = false;
  set("application_name", name);
  set("statement_timeout", "0");
  set("lock_timeout", "0");
  set("idle_in_transaction_session_timeout", "0");
#if PG_VERSION_NUM >= 170000
  set("transaction_timeout", "0");
#endif
  set("default_transaction_read_only", "off");
  set("default_transaction_isolation", "read committed");
  set("default_transaction_deferrable", "off");
}

bool is_asked_to_leave() noexcept { return ShutdownRequestPending != 0; }

void sleep_worker(core::Micros until) {
  constexpr core::Micros longest = 3600'000'000;
  const core::Micros wait = std::clamp<core::Micros>(until - GetCurrentTimestamp(), 0, longest);
  WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, static_cast<long>((wait + 999) / 1000),
            PG_WAIT_EXTENSION);
  ResetLatch(MyLatch);
  CHECK_FOR_INTERRUPTS();
  if (ConfigReloadPending) {
    ConfigReloadPending = 0;
    ProcessConfigFile(PGC_SIGHUP);
  }
}

void show_at_work(const char *what) { pgstat_report_activity(STATE_RUNNING, what); }

void show_idle() {
  pgstat_report_stat(true);  // else autovacuum would never hear of what was written
  pgstat_report_activity(STATE_IDLE, nullptr);
}

void leave_for_good() { proc_exit(0); }

void leave_for_now() { proc_exit(1); }

void log_line(const char *message, const char *detail, const char *hint) {
  ereport(LOG, (errmsg_internal("%s", message), detail != nullptr ? errdetail_internal("%s", detail) : 0,
                hint != nullptr ? errhint("%s", hint) : 0));
}

bool is_database_free(Oid database) {
  // The lock that a session takes to connect.
  LOCKTAG tag;
  SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, database, 0);
  if (LockAcquire(&tag, RowExclusiveLock, false, true) == LOCKACQUIRE_NOT_AVAIL) return false;
  LockRelease(&tag, RowExclusiveLock, false);
  return true;
}

bool is_database_there(Oid wanted) {
  bool there = false;
  walk_databases([&](const FormData_pg_database &database) {
    there = there || (database.oid == wanted && takes_connections(database));
  });
  return there;
}

List *databases_at_work() {
  List *found = NIL;
  walk_databases([&](const FormData_pg_database &database) {
    if (takes_connections(database) && !database.datistemplate) found = lappend_oid(found, database.oid);
  });
  return found;
}

}  // namespace awa::pg
