#include "pg/pause_point.hpp"

#include "pg/guard.hpp"
#include "pg/lock_owner.hpp"

namespace awa::pg {

namespace {

constinit char *wanted = nullptr;  // the setting

// Calls visit(name) for the names in a list until it returns true; whether it did.
template <typename Visit>
bool any_name(std::string_view list, Visit &&visit) {
  while (!list.empty()) {
    std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(name.size() + 1, list.size()));
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (!name.empty() && visit(name)) return true;
  }
  return false;
}

std::string_view place_of(std::string_view name) { return name.substr(0, name.find(':')); }

bool check_names(char **value, void **, GucSource) {
  return !any_name(*value, [](std::string_view name) {
    if (std::ranges::find(kPausePoints, place_of(name)) != std::end(kPausePoints)) return false;
    GUC_check_errdetail("There is no pause point \"%.*s\".", static_cast<int>(name.size()), name.data());
    return true;
  });
}

// The tag that pg_advisory_lock(hashtext(name)) takes.
LOCKTAG tag_of(std::string_view name) {
  const auto *const bytes = reinterpret_cast<const unsigned char *>(name.data());
  const auto hash = static_cast<std::int32_t>(hash_bytes(bytes, static_cast<int>(name.size())));
  const auto key = static_cast<std::uint64_t>(std::int64_t{hash});
  LOCKTAG tag;
  SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, static_cast<uint32>(key >> 32), static_cast<uint32>(key), 1);
  return tag;
}

// A verb may stand in a bounded wait of its own when it comes here.
class WithoutLockTimeout {
 public:
  WithoutLockTimeout() noexcept : before_(std::exchange(LockTimeout, 0)) {}
  ~WithoutLockTimeout() { LockTimeout = before_; }
  WithoutLockTimeout(const WithoutLockTimeout &) = delete;
  WithoutLockTimeout &operator=(const WithoutLockTimeout &) = delete;

 private:
  int const before_;
};

}  // namespace

void define_pause_setting() {
  DefineCustomStringVariable("awa_ring.pause_at", "Places at which the session waits for a test.",
                             "It waits while another session holds pg_advisory_lock(hashtext(place)).", &wanted, "",
                             PGC_USERSET, 0, check_names, nullptr, nullptr);
}

void pause_at(std::string_view place) {
  any_name(wanted, [=](std::string_view name) {
    if (place_of(name) != place) return false;
    const LOCKTAG tag = tag_of(name);
    const WithoutLockTimeout unbounded;
    const LocksOfTransaction owner;
    guarded([&] {
      LockAcquire(&tag, ShareLock, false, false);
      LockRelease(&tag, ShareLock, false);
    });
    return true;
  });
}

}  // namespace awa::pg
