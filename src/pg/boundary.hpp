// The boundary: the outermost C++ frame of everything PostgreSQL calls. Exceptions end here and become ereport(ERROR).
//
//   AWA_SQL_FUNCTION(awa_enqueue) { ... return pg::datum(id); }
//
// defines an SQL function whose body is C++: it may throw, and its destructors run. Arguments come as fcinfo.
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

namespace detail {

// Remembers the call context for the body's length; calls nest when a body runs SQL that calls another body.
class Call {
 public:
  Call() noexcept : outer_(call_context) { call_context = CurrentMemoryContext; }
  ~Call() { call_context = outer_; }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

 private:
  MemoryContext const outer_;
};

struct Outcome {
  Datum result;
  ErrorData *from_postgres;  // raise this, if not null
  int sqlstate;              // else raise this, if not 0
  char text[200];
};

// Runs body(argument) and turns every exception into an outcome.
Outcome run(Datum (*body)(void *), void *argument) noexcept;

// Raises what the outcome says; no C++ object is alive in the frames between the boundary and PostgreSQL.
[[noreturn, gnu::cold]] void raise(const Outcome &outcome);

}  // namespace detail

template <typename Body>
Datum boundary(Body &&body) {
  const detail::Outcome outcome = detail::run(
      [](void *argument) -> Datum { return (*static_cast<std::remove_reference_t<Body> *>(argument))(); }, &body);
  if (outcome.from_postgres != nullptr || outcome.sqlstate != 0) detail::raise(outcome);
  return outcome.result;
}

}  // namespace awa::pg

#define AWA_SQL_FUNCTION(name)                                     \
  AWA_DECLARED_SQL_FUNCTION(name)                                  \
  static Datum name##_body(PG_FUNCTION_ARGS);                      \
  extern "C" Datum name(PG_FUNCTION_ARGS) {                        \
    return awa::pg::boundary([&] { return name##_body(fcinfo); }); \
  }                                                                \
  static Datum name##_body([[maybe_unused]] PG_FUNCTION_ARGS)

// The same for what is called once a value, without the boundary: the body is of the C room and throws nothing.
#define AWA_PLAIN_SQL_FUNCTION(name)                                      \
  AWA_DECLARED_SQL_FUNCTION(name)                                         \
  static Datum name##_body(PG_FUNCTION_ARGS) noexcept;                    \
  extern "C" Datum name(PG_FUNCTION_ARGS) { return name##_body(fcinfo); } \
  static Datum name##_body([[maybe_unused]] PG_FUNCTION_ARGS) noexcept

#define AWA_DECLARED_SQL_FUNCTION(name)     \
  extern "C" {                              \
  PGDLLEXPORT Datum name(PG_FUNCTION_ARGS); \
  PG_FUNCTION_INFO_V1(name);                \
  }
