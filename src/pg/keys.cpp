#include "pg/keys.hpp"

#include "pg/lock_owner.hpp"
#include "pg/subtransaction.hpp"

namespace awa::pg {

namespace {

LOCKTAG tag_of(const Key &key) noexcept {
  LOCKTAG tag;
  const auto id = static_cast<std::uint64_t>(key.id);
  SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, static_cast<uint32>(id >> 32), static_cast<uint32>(id),
                       static_cast<uint16>(key.key_class));
  return tag;
}

constexpr LOCKMODE mode_of(LockStrength strength) noexcept {
  return strength == LockStrength::exclusive ? ExclusiveLock : RowExclusiveLock;
}

}  // namespace

LockTimeoutScope::LockTimeoutScope(int milliseconds) noexcept : before_(LockTimeout) {
  const int bound = std::max(milliseconds, 1);  // 0 would mean no limit
  if (before_ == 0 || bound < before_) LockTimeout = bound;
}

LockTimeoutScope::~LockTimeoutScope() { LockTimeout = before_; }

void lock(const Key &key, LockStrength strength) {
  const LOCKTAG tag = tag_of(key);
  const LocksOfTransaction owner;
  guarded([&] { LockAcquire(&tag, mode_of(strength), false, false); });
}

bool try_lock(const Key &key, LockStrength strength) {
  const LOCKTAG tag = tag_of(key);
  const LocksOfTransaction owner;
  return guarded([&] { return LockAcquire(&tag, mode_of(strength), false, true) != LOCKACQUIRE_NOT_AVAIL; });
}

bool lock_within(const Key &key, LockStrength strength, int milliseconds) {
  if (try_lock(key, strength)) return true;
  // A lock timeout is an error, and only a subtransaction may swallow one.
  const LockTimeoutScope bounded(milliseconds);
  return subtransaction_unless(ERRCODE_LOCK_NOT_AVAILABLE, [&] { lock(key, strength); });
}

bool try_lock_for_session(const Key &key) {
  const LOCKTAG tag = tag_of(key);
  return guarded([&] { return LockAcquire(&tag, ExclusiveLock, true, true) != LOCKACQUIRE_NOT_AVAIL; });
}

void unlock_for_session(const Key &key) {
  const LOCKTAG tag = tag_of(key);
  guarded([&] { LockRelease(&tag, ExclusiveLock, true); });
}

void unlock(const Key &key, LockStrength strength) {
  const LOCKTAG tag = tag_of(key);
  const LocksOfTransaction owner;
  guarded([&] { LockRelease(&tag, mode_of(strength), false); });
}

}  // namespace awa::pg
