// Sequences: drawing a number, and reading a value exactly.
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

// A sequence of ours, found by name once. Static, like CachedTable.
class CachedSequence {
 public:
  explicit constexpr CachedSequence(const char *name, const char *schema = "awa") noexcept
      : name_(name), schema_(schema) {}
  CachedSequence(const CachedSequence &) = delete;
  CachedSequence &operator=(const CachedSequence &) = delete;

  // Errors: 55000 when the extension is not installed in this database.
  Oid oid();

  // Called once, when the library is loaded.
  static void watch_invalidations();

 private:
  const char *name_;
  const char *schema_;
  Oid oid_ = InvalidOid;
  CachedSequence *next_watched_ = nullptr;
  bool watched_ = false;
};

// The next value, whoever the current user is. As with every nextval, lastval() of the session tells it from then on.
std::int64_t next_value(Oid sequence);

// Writes a value exactly, at once and for all transactions, whether this one commits or not; a crash may undo it as long as
// no later transaction was committed to disk. The current user needs UPDATE on the sequence.
void set_value(Oid sequence, std::int64_t value);

// last_value as it stands on the sequence's page now: no snapshot, no transaction. For sequences that are only ever set.
std::int64_t last_value(Oid sequence);

}  // namespace awa::pg
