// A procedure that ends transactions while it runs.
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

// The frame of a CALL, or of a background worker's transaction. Errors: 25001 inside a transaction block, a function or another transaction's frame, and when the
// transaction has written already.
class Procedure {
 public:
  // `name` is shown in errors.
  Procedure(FunctionCallInfo call, const char *name);
  // Of a background worker, which has begun a transaction. `goes_on` is asked at the beginning of each transaction, in it,
  // by whoever takes steps.
  explicit Procedure(bool (*goes_on)());
  ~Procedure();
  Procedure(const Procedure &) = delete;
  Procedure &operator=(const Procedure &) = delete;

  // Commits, and begins the next transaction. Nothing of the old one may be in use.
  void commit();

  // Whether there may be another step. A CALL goes on to its end.
  bool may_go_on() const { return goes_on_ == nullptr || goes_on_(); }

 private:
  bool (*goes_on_)() = nullptr;
  int const unwinding_ = std::uncaught_exceptions();
};

}  // namespace awa::pg
