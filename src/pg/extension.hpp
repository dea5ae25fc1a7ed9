// The extension as it is installed in this database.
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

// Plain data.
struct Installed {
  Oid extension = InvalidOid;
  char version[64] = "";
  friend bool operator==(const Installed &, const Installed &) = default;
};

enum class Hold : std::uint8_t {
  held,  // until the transaction ends
  busy,  // somebody is about to drop it
  gone,
};

// Keeps the extension from being dropped until the transaction ends, without waiting, and tells what is installed. Whoever
// drops it then waits for the end of the transaction before it takes any other lock: the two cannot wait for each other.
Hold hold_extension(Installed &installed);

}  // namespace awa::pg
