#include "pg/procedure.hpp"

#include "pg/error.hpp"
#include "pg/transaction.hpp"

namespace awa::pg {

namespace {

bool may_commit(FunctionCallInfo call) {
  return call->context != nullptr && IsA(call->context, CallContext) &&
         !reinterpret_cast<const CallContext *>(call->context)->atomic;
}

void connect() {
  guarded([] {
    if (SPI_connect_ext(SPI_OPT_NONATOMIC) < 0) elog(ERROR, "SPI_connect_ext failed");
  });
}

}  // namespace

Procedure::Procedure(FunctionCallInfo call, const char *name) {
  if (!may_commit(call) || own_xid_if_any() != core::Xid{}) {
    raise({.sqlstate = ERRCODE_ACTIVE_SQL_TRANSACTION,
           .message = format("%s cannot run inside a transaction block", name),
           .hint = "CALL it by itself, outside BEGIN and before anything was written."});
  }
  connect();
}

Procedure::Procedure(bool (*goes_on)()) : goes_on_(goes_on) { connect(); }

Procedure::~Procedure() {
  if (std::uncaught_exceptions() > unwinding_) return;  // the abort disconnects
  guarded_in_destructor([] { SPI_finish(); });
}

void Procedure::commit() {
  detail::throw_deferred();
  guarded([] { SPI_commit(); });
}

}  // namespace awa::pg
