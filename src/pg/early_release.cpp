#include "pg/early_release.hpp"

#include "pg/transaction.hpp"

namespace awa::pg {

namespace {

constexpr std::size_t kMostKeys = 16;

struct Wishes {
  std::uint32_t transaction = 0;
  XLogRecPtr written_to = 0;  // where the WAL of this backend ended when the last part was over
  std::size_t count = 0;
  std::array<Key, kMostKeys> keys{};
};

constinit Wishes wishes;
constinit bool is_without_flush = false;
constinit int wanted_commit = 0;  // what synchronous_commit was

bool has_wishes() noexcept { return wishes.count > 0 && wishes.transaction == transaction_ordinal(); }

bool wrote_nothing_beside() noexcept { return has_wishes() && XactLastRecEnd == wishes.written_to; }

}  // namespace

// A transaction without an xid has written no row.
EarlyRelease::EarlyRelease() noexcept
    : possible_(!IsTransactionBlock() && GetCurrentTransactionNestLevel() == 1 &&
                (own_xid_if_any().value == 0 || wrote_nothing_beside())) {}

EarlyRelease::~EarlyRelease() {
  if (possible_ && has_wishes()) wishes.written_to = XactLastRecEnd;
}

void EarlyRelease::of(const Key &key) noexcept {
  if (!possible_) return;
  if (wishes.transaction != transaction_ordinal()) wishes = {.transaction = transaction_ordinal()};
  if (wishes.count < kMostKeys) wishes.keys[wishes.count++] = key;
}

void commit_without_flush() noexcept {
  if (!wrote_nothing_beside() || synchronous_commit <= SYNCHRONOUS_COMMIT_OFF) return;
  wanted_commit = std::exchange(synchronous_commit, SYNCHRONOUS_COMMIT_OFF);
  is_without_flush = true;
}

void release_and_flush() noexcept {
  if (!std::exchange(is_without_flush, false)) return;
  synchronous_commit = wanted_commit;
  for (std::size_t i = 0; i < wishes.count; ++i) unlock(wishes.keys[i], LockStrength::exclusive);
  wishes.count = 0;
  // The order of RecordTransactionCommit.
  XLogFlush(XactLastCommitEnd);
  SyncRepWaitForLSN(XactLastCommitEnd, true);
}

void forget_early_release() noexcept {
  if (std::exchange(is_without_flush, false)) synchronous_commit = wanted_commit;
  wishes.count = 0;
}

}  // namespace awa::pg
