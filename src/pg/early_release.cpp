#include "pg/early_release.hpp"

#include "pg/transaction.hpp"

namespace awa::pg {

namespace {

constexpr std::size_t kMostKeys = 16;

struct Wishes {
  std::uint32_t transaction = 0;
  std::size_t count = 0;
  std::array<Key, kMostKeys> keys{};
};

constinit Wishes wishes;
constinit bool is_without_flush = false;
constinit int wanted_commit = 0;  // what synchronous_commit was

bool has_wishes() noexcept { return wishes.count > 0 && wishes.transaction == transaction_ordinal(); }

}  // namespace

void release_early(const Key &key) noexcept {
  if (IsTransactionBlock() || GetCurrentTransactionNestLevel() != 1) return;
  if (wishes.transaction != transaction_ordinal()) wishes = {.transaction = transaction_ordinal()};
  if (wishes.count < kMostKeys) wishes.keys[wishes.count++] = key;
}

void commit_without_flush() noexcept {
  if (!has_wishes() || synchronous_commit <= SYNCHRONOUS_COMMIT_OFF) return;
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
