// The rights that functions run with that are not SECURITY DEFINER: that costs as much as a few rows, and a procedure that
// commits cannot have it.
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

// The extension owner's rights for a scope within one transaction. No search path goes with them: names are looked up by schema,
// or in statements, for which Sql sees to it.
class AsOwner {
 public:
  AsOwner();
  ~AsOwner();
  AsOwner(const AsOwner &) = delete;
  AsOwner &operator=(const AsOwner &) = delete;

 private:
  Oid user_ = InvalidOid;
  int context_ = 0;
  int const unwinding_ = std::uncaught_exceptions();
};

}  // namespace awa::pg
