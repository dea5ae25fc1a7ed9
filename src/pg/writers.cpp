#include "pg/writers.hpp"

#include "pg/compat.hpp"

namespace awa::pg {

Writers writers_of(Oid table) {
  return guarded([=] {
    LOCKTAG tag;
    SET_LOCKTAG_RELATION(tag, MyDatabaseId, table);
    int count = 0;
    // SHARE conflicts with every mode that goes with writing.
    const VirtualTransactionId *const holders = GetLockConflicts(&tag, ShareLock, &count);
    Writers writers;
    writers.too_many = count > Writers::kMost;
    writers.count = std::min(count, Writers::kMost);
    std::copy(holders, holders + writers.count, writers.transactions);
    return writers;
  });
}

core::Micros writers_began(Oid table, core::Micros now) {
  return guarded([=] {
    LOCKTAG tag;
    SET_LOCKTAG_RELATION(tag, MyDatabaseId, table);
    const VirtualTransactionId *const holders = GetLockConflicts(&tag, ShareLock, nullptr);
    // Of now: a session that has gone on to another transaction since has ended the one that held the lock.
    pgstat_clear_backend_activity_snapshot();
    core::Micros oldest = now;
    for (const VirtualTransactionId *holder = holders; VirtualTransactionIdIsValid(*holder); ++holder) {
      const PgBackendStatus *const session = session_of(*holder);
      if (session == nullptr || session->st_backendType == B_AUTOVAC_WORKER) continue;
      // Without track_activities only the session's own beginning is known.
      const bool is_told = session->st_state != STATE_DISABLED;
      const TimestampTz began = is_told ? session->st_xact_start_timestamp : session->st_proc_start_timestamp;
      if (began == 0) continue;  // it has ended since
      oldest = std::min<core::Micros>(oldest, began);
    }
    return oldest;
  });
}

bool has_ended(const VirtualTransactionId &transaction) {
  return guarded([&] { return VirtualXactLock(transaction, false); });
}

}  // namespace awa::pg
