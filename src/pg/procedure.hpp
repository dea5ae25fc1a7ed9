// A procedure that ends transactions while it runs, and the rights it runs with.
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

// The frame of a CALL. Errors: 25001 inside a transaction block, a function or another transaction's frame, and when the
// transaction has written already.
class Procedure {
 public:
  // `name` is shown in errors.
  Procedure(FunctionCallInfo call, const char *name);
  ~Procedure();
  Procedure(const Procedure &) = delete;
  Procedure &operator=(const Procedure &) = delete;

  // Commits, and begins the next transaction. Nothing of the old one may be in use.
  void commit();

 private:
  int const unwinding_ = std::uncaught_exceptions();
};

// The extension owner's rights and a pinned search path for a scope within one transaction. A procedure that commits can
// have neither SECURITY DEFINER nor SET: PostgreSQL would not let it commit.
class AsOwner {
 public:
  AsOwner();
  ~AsOwner();
  AsOwner(const AsOwner &) = delete;
  AsOwner &operator=(const AsOwner &) = delete;

 private:
  Oid user_ = InvalidOid;
  int context_ = 0;
  int guc_level_ = 0;
  int const unwinding_ = std::uncaught_exceptions();
};

}  // namespace awa::pg
