// Fresh snapshots: what has been committed by now, whatever the transaction's isolation level, and this transaction's own
// rows up to here.
#pragma once

#include "core/window.hpp"
#include "pg/guard.hpp"

namespace awa::pg {

class FreshSnapshot {
 public:
  FreshSnapshot();
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

}  // namespace awa::pg
