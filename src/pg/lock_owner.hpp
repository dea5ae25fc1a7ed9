// Whom a lock belongs to.
#pragma once

#include "pg/postgres.hpp"

namespace awa::pg {

// Inside a query the current resource owner is the portal's. A lock booked there ends with the portal: a cursor that fails
// inside a savepoint would give back locks that protect rows written before the savepoint. In this scope locks are
// booked on the (sub)transaction, as the rows are, and end with them.
class LocksOfTransaction {
 public:
  LocksOfTransaction() noexcept : before_(CurrentResourceOwner) { CurrentResourceOwner = CurTransactionResourceOwner; }
  ~LocksOfTransaction() { CurrentResourceOwner = before_; }
  LocksOfTransaction(const LocksOfTransaction &) = delete;
  LocksOfTransaction &operator=(const LocksOfTransaction &) = delete;

 private:
  ResourceOwner const before_;
};

}  // namespace awa::pg
