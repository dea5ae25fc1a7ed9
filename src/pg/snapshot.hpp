// Fresh snapshots: what has been committed by now, whatever the transaction's isolation level, and this transaction's own
// rows up to here. Unless the isolation level is to have its say.
#pragma once

#include "core/window.hpp"
#include "pg/guard.hpp"

namespace awa::pg {

enum class Sight : std::uint8_t {
  latest,         // what was committed by now, in every isolation level
  of_transaction  // what the isolation level has; who changes what it shows may have to raise 40001
};

class FreshSnapshot {
 public:
  explicit FreshSnapshot(Sight sight = Sight::latest);
  ~FreshSnapshot();
  FreshSnapshot(const FreshSnapshot &) = delete;
  FreshSnapshot &operator=(const FreshSnapshot &) = delete;

  Snapshot get() const noexcept { return snapshot_; }

  // The snapshot over full top-level transaction ids, for the window arithmetic, with this transaction counted as
  // running: its own entries are not to be claimed before they are committed.
  core::XidSnapshot over_xids(core::Memory &memory) const;

 private:
  Snapshot snapshot_;
  int const unwinding_;
};

// A snapshot that is active for a scope. Where a statement runs its portal sees to one; who has no portal, as the background
// worker, or whose portal lost it to a commit, needs it to read what is out of line, and to run commands.
class ActiveSnapshot {
 public:
  ActiveSnapshot();
  ~ActiveSnapshot();
  ActiveSnapshot(const ActiveSnapshot &) = delete;
  ActiveSnapshot &operator=(const ActiveSnapshot &) = delete;

 private:
  int const unwinding_ = std::uncaught_exceptions();
};

// Sees rows of transactions that have not ended as well: what an insertion into a unique index would have to wait for. After
// each row that it was asked about it tells whether that row's fate is open.
class UndecidedSnapshot {
 public:
  UndecidedSnapshot() noexcept { InitDirtySnapshot(snapshot_); }
  UndecidedSnapshot(const UndecidedSnapshot &) = delete;
  UndecidedSnapshot &operator=(const UndecidedSnapshot &) = delete;

  Snapshot get() noexcept { return &snapshot_; }
  bool is_open() const noexcept { return TransactionIdIsValid(snapshot_.xmin) || TransactionIdIsValid(snapshot_.xmax); }

 private:
  SnapshotData snapshot_{};
};

}  // namespace awa::pg
