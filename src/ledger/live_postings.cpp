#include "ledger/live_postings.hpp"

#include "pg/table_locks.hpp"

namespace awa::ledger {

void lock_live_postings() { pg::lock_table(pg::our_relation("live_postings", "awa_ledger"), RowExclusiveLock); }

}  // namespace awa::ledger
