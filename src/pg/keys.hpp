// Keys: heavyweight locks of our own class, held until the transaction ends.
//
// They are advisory locks whose fourth tag field, which the SQL functions set to 1 or 2, has values of ours: no lock taken
// through SQL can meet them. pg_locks shows them as locktype advisory with these numbers in objsubid.
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

enum class KeyClass : std::uint16_t {
  lane = 101,    // claims, and whoever tombstones an entry; id = lane id
  stripe = 102,  // attempt keys, three levels
  batch = 103,
  receipt = 104,
  queue = 105,   // producers share it, dropping a queue excludes them; id = queue id
  turn = 106,    // whose turn it is to try for stripes; id = the least of them
  leader = 107,  // who does maintenance in this database; id = 0
  worker = 111,  // the background worker of this database; id = 0
  // of the ledger
  request = 108,   // who works on an idempotency key; id = its hash
  gate = 109,      // payers and receivers of an account share it, who must decide alone excludes them; id = its hash
  reversal = 110,  // who reverses a transfer; id = the transfer
  hold = 112,      // who changes or ends a hold that no attempt's key guards; id = its reservation
};

enum class LockStrength : std::uint8_t { row_exclusive, exclusive };

struct Key {
  KeyClass key_class;
  std::int64_t id;
};

// Waits. PostgreSQL's deadlock detector and lock_timeout apply.
void lock(const Key &key, LockStrength strength);

// Does not wait; returns whether the key is held now. Taking a key twice is held twice.
bool try_lock(const Key &key, LockStrength strength);

// Waits for at most `milliseconds`, queueing like everybody; returns whether the key is held now.
bool lock_within(const Key &key, LockStrength strength, int milliseconds);

// Does not wait; returns whether the key is held now, exclusively and until the process ends, whatever becomes of transactions.
bool try_lock_for_session(const Key &key);

// Gives such a key back.
void unlock_for_session(const Key &key);

// Gives back one hold of a key that this transaction took.
void unlock(const Key &key, LockStrength strength);

// Bounds every lock wait of a scope, also those within SQL; what takes longer raises 55P03.
class LockTimeoutScope {
 public:
  explicit LockTimeoutScope(int milliseconds) noexcept;
  ~LockTimeoutScope();
  LockTimeoutScope(const LockTimeoutScope &) = delete;
  LockTimeoutScope &operator=(const LockTimeoutScope &) = delete;

 private:
  int const before_;
};

}  // namespace awa::pg
