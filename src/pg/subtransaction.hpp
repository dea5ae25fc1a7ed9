// An internal subtransaction: the only way to go on after an error of PostgreSQL.
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

namespace detail {
// Returns the error, if it was one that is wanted.
ErrorData *run_in_subtransaction(bool (*is_wanted)(const ErrorData &error, int sqlstate), int sqlstate,
                                 void (*work)(void *), void *argument);
bool is_of_sqlstate(const ErrorData &error, int sqlstate) noexcept;
bool is_of_work(const ErrorData &error, int sqlstate) noexcept;
bool is_no_intervention(const ErrorData &error, int sqlstate) noexcept;
void free_error(ErrorData *error);

template <typename Work>
ErrorData *run_in_subtransaction(bool (*is_wanted)(const ErrorData &error, int sqlstate), int sqlstate, Work &&work) {
  return run_in_subtransaction(
      is_wanted, sqlstate, [](void *argument) { (*static_cast<std::remove_reference_t<Work> *>(argument))(); }, &work);
}
}  // namespace detail

// Runs `work` in a subtransaction and commits it; returns true. If it raises `expected_sqlstate`, rolls it back, takes
// what it locked and wrote with it, and returns false. (A cancel that comes in the very instant of an expected lock timeout
// is lost with it; PostgreSQL reports one of the two.) Any other error rolls it back and goes on its way.
template <typename Work>
bool subtransaction_unless(int expected_sqlstate, Work &&work) {
  ErrorData *const error = detail::run_in_subtransaction(detail::is_of_sqlstate, expected_sqlstate, work);
  if (error != nullptr) detail::free_error(error);
  return error == nullptr;
}

// Runs `work` in a subtransaction and commits it; returns null. If it raises, rolls it back and returns the error, in
// memory of the innermost boundary's context. Errors that have nothing to do with the work go on their way: a cancel, a
// shutdown, no memory, no disk, one that cannot be read, an index that is corrupt. A row that is corrupt, or missing, is of
// the work on it.
template <typename Work>
const ErrorData *failure_in_subtransaction(Work &&work) {
  return detail::run_in_subtransaction(detail::is_of_work, 0, work);
}

// The same for work that must not be in the way of other work, whatever becomes of it: only a cancel and a shutdown go on
// their way.
template <typename Work>
const ErrorData *any_failure_in_subtransaction(Work &&work) {
  return detail::run_in_subtransaction(detail::is_no_intervention, 0, work);
}

}  // namespace awa::pg
