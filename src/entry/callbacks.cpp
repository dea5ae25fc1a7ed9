// wait_external, complete_external, fail_external, retry_external, extend_external.

#include "outcome/callbacks.hpp"

#include "entry/arguments.hpp"
#include "pg/boundary.hpp"
#include "pg/memory.hpp"
#include "pg/transaction.hpp"

namespace {

namespace core = awa::core;
namespace outcome = awa::outcome;
namespace pg = awa::pg;
using awa::entry::Arguments;
using awa::receipt::CallbackId;

CallbackId token_of(const Arguments &arguments) {
  arguments.require(0, "token");
  CallbackId token;
  memcpy(token.data(), DatumGetUUIDP(arguments.datum(0))->data, token.size());
  return token;
}

Datum state_text(const std::optional<core::JobState> &state, const pg::ScratchContext &scratch) {
  const pg::InContext caller(scratch.caller());
  return pg::text_datum(state ? core::name_of(*state) : "stale");
}

}  // namespace

AWA_SQL_FUNCTION(awa_wait_external) {
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  const core::Receipt receipt = arguments.receipt(0);
  const core::Micros timeout = arguments.interval(1, "timeout", Arguments::Zero::refused);
  pg::require_writable("awa.wait_external()");
  const auto token = outcome::wait_external(receipt, timeout, scratch.memory());
  if (!token) {
    fcinfo->isnull = true;
    return Datum{0};
  }
  const pg::InContext caller(scratch.caller());
  return pg::guarded([&] {
    auto *const result = static_cast<pg_uuid_t *>(palloc(sizeof(pg_uuid_t)));
    memcpy(result->data, token->data(), token->size());
    return UUIDPGetDatum(result);
  });
}

AWA_SQL_FUNCTION(awa_complete_external) {
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  const CallbackId token = token_of(arguments);
  const Datum result = arguments.is_null(1) ? Datum{0} : arguments.datum(1);
  if (result != 0) awa::entry::check_size("result", result);
  const bool resume = arguments.boolean(2, "resume");
  pg::require_writable("awa.complete_external()");
  return pg::datum(outcome::complete_external(
      token, result, resume ? outcome::Resumption::resumes : outcome::Resumption::completes, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_fail_external) {
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  const CallbackId token = token_of(arguments);
  arguments.require(1, "error");
  const outcome::Failed failed{.error = pg::text_view(arguments.datum(1)),
                               .terminal = arguments.boolean(2, "terminal"),
                               .retry_after = std::nullopt};
  pg::require_writable("awa.fail_external()");
  return state_text(outcome::fail_external(token, failed, scratch.memory()), scratch);
}

AWA_SQL_FUNCTION(awa_retry_external) {
  pg::ScratchContext scratch;
  const CallbackId token = token_of(Arguments(fcinfo));
  pg::require_writable("awa.retry_external()");
  return state_text(outcome::retry_external(token, scratch.memory()), scratch);
}

AWA_SQL_FUNCTION(awa_extend_external) {
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  const CallbackId token = token_of(arguments);
  const core::Micros timeout = arguments.interval(1, "timeout", Arguments::Zero::refused);
  pg::require_writable("awa.extend_external()");
  return pg::datum(outcome::extend_external(token, timeout, scratch.memory()));
}
