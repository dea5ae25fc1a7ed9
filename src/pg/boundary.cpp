#include "pg/boundary.hpp"

namespace awa::pg::detail {

Outcome run(Datum (*body)(void *), void *argument) noexcept {
  Outcome outcome;
  outcome.result = Datum{0};
  outcome.from_postgres = nullptr;
  outcome.sqlstate = 0;
  outcome.text[0] = '\0';
  const DeferredScope deferring;
  try {
    {
      const Call call;
      outcome.result = body(argument);
    }
    throw_deferred();
  } catch (const Error &error) {
    outcome.from_postgres = error.data();
  } catch (const std::bad_alloc &) {
    outcome.sqlstate = ERRCODE_OUT_OF_MEMORY;
    strlcpy(outcome.text, "out of memory", sizeof outcome.text);
  } catch (const std::exception &error) {
    outcome.sqlstate = ERRCODE_INTERNAL_ERROR;
    strlcpy(outcome.text, error.what(), sizeof outcome.text);
  } catch (...) {
    outcome.sqlstate = ERRCODE_INTERNAL_ERROR;
    strlcpy(outcome.text, "unknown C++ exception", sizeof outcome.text);
  }
  return outcome;
}

void raise(const Outcome &outcome) {
  if (outcome.from_postgres != nullptr) ReThrowError(outcome.from_postgres);
  ereport(ERROR, (errcode(outcome.sqlstate), errmsg("awa_ring: %s", outcome.text)));
  pg_unreachable();
}

}  // namespace awa::pg::detail
