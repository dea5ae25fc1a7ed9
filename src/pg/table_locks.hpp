// Locks on tables. Maintenance tries, and never queues.
#pragma once

#include <span>

#include "pg/guard.hpp"

namespace awa::pg {

// Oid of a table, index or sequence of ours. Errors: 55000 when it is not there.
Oid our_relation(const char *name, const char *schema = "awa");

// Waits for the lock, which the transaction keeps.
void lock_table(Oid table, LOCKMODE mode);

// Locks all of the relations, or none of them. Returns whether it did. Nobody ever waits behind the attempt. ACCESS EXCLUSIVE
// is not even tried while somebody holds or awaits a lock on one of the relations: each such lock that is got is replayed by
// standbys, which keep it until the transaction ends, and cancel who reads there. With it comes EXCLUSIVE.
bool try_lock_all(std::span<const Oid> relations, LOCKMODE mode);

// Gives back the locks before the transaction ends.
void unlock_all(std::span<const Oid> relations, LOCKMODE mode);

// Whether the table, which the caller has locked, has no block at all.
bool has_no_blocks(Oid table);

}  // namespace awa::pg
