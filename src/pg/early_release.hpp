// Early lock release: keys that protect the order of changes, not their durability, are given back when the transaction is seen by
// others, before its commit record is on disk.
//
// PostgreSQL flushes a commit record, then lets others see the transaction, then gives its locks back: whoever needs the key of
// another waits for that one's disk. But a later transaction's record follows the earlier one's in the WAL, so that it
// cannot be durable without it, and nobody needs to wait for the disk before he goes on from what it wrote. So the transaction commits
// as with synchronous_commit = off, gives the keys back, and then does what it had left out: it waits for its record to be on disk, and on the
// standbys that synchronous_commit asks for, before the client is told anything. What others can notice: between these two
// moments, as with synchronous_commit = off, they see rows that a crash of the server would take back. So it is done only where
// these rows are ours: a transaction that wrote anything beside commits as the user asked for.
//
// Source: DeWitt et al., Implementation Techniques for Main Memory Database Systems, SIGMOD 1984; Johnson et al., Aether: A Scalable
// Approach to Logging, VLDB 2010.
#pragma once

#include "pg/keys.hpp"

namespace awa::pg {

// The part of a transaction in which it writes nothing but what may be seen early. There may be several in one transaction, one after
// the other.
class EarlyRelease {
 public:
  EarlyRelease() noexcept;
  ~EarlyRelease();
  EarlyRelease(const EarlyRelease &) = delete;
  EarlyRelease &operator=(const EarlyRelease &) = delete;

  // Asks for it for an exclusive key that was just taken here. Does nothing in a transaction block, in a subtransaction, and where
  // something else was written before. At most 16 keys a transaction; the others stay till its end.
  void of(const Key &key) noexcept;

 private:
  bool const possible_;
};

// What commit_watch calls. Between the first and the second nothing of the transaction may read synchronous_commit.
void commit_without_flush() noexcept;
void release_and_flush() noexcept;
void forget_early_release() noexcept;

}  // namespace awa::pg
