#include "pg/writers.hpp"

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

bool has_ended(const VirtualTransactionId &transaction) {
  return guarded([&] { return VirtualXactLock(transaction, false); });
}

}  // namespace awa::pg
