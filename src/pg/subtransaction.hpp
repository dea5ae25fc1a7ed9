// An internal subtransaction: the only way to go on after an error of PostgreSQL.
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

namespace detail {
bool run_in_subtransaction(int expected_sqlstate, void (*work)(void *), void *argument);
}

// Runs `work` in a subtransaction and commits it; returns true. If it raises `expected_sqlstate`, rolls it back, takes
// what it locked and wrote with it, and returns false. (A cancel that comes in the very instant of an expected lock timeout
// is lost with it; PostgreSQL reports one of the two.) Any other error rolls it back and goes on its way.
template <typename Work>
bool subtransaction_unless(int expected_sqlstate, Work &&work) {
  return detail::run_in_subtransaction(
      expected_sqlstate, [](void *argument) { (*static_cast<std::remove_reference_t<Work> *>(argument))(); }, &work);
}

}  // namespace awa::pg
