#include "receipt/attempt_keys.hpp"

#include "pg/error.hpp"
#include "pg/keys.hpp"
#include "pg/settings.hpp"
#include "pg/transaction.hpp"

namespace awa::receipt {

namespace {

using core::AttemptKey;
using core::KeyLevel;
using core::KeyMode;

constexpr core::Micros kCoarsePatience = 50'000;
constexpr core::Micros kPause = 2'000;

// The transaction that took keys last. A local transaction id is unique in a backend.
constinit std::uint32_t holder = 0;

pg::Key key_of(const AttemptKey &key) noexcept {
  const auto key_class = key.level == KeyLevel::stripe  ? pg::KeyClass::stripe
                         : key.level == KeyLevel::batch ? pg::KeyClass::batch
                                                        : pg::KeyClass::receipt;
  return {key_class, key.id};
}

pg::LockStrength strength_of(const AttemptKey &key) noexcept {
  return key.mode == KeyMode::exclusive ? pg::LockStrength::exclusive : pg::LockStrength::row_exclusive;
}

bool is_coarse(const AttemptKey &key) noexcept {
  return key.mode == KeyMode::exclusive && key.level != KeyLevel::receipt;
}

class Taking {
 public:
  Taking(core::Micros patience, core::Memory &memory)
      : began_(pg::now()),
        deadline_(began_ + patience),
        coarse_deadline_(began_ + std::min(kCoarsePatience, patience)),
        taken_(memory) {}

  // Returns false, with none of them held, when they were not to be had in time.
  bool run(const core::KeyPlan &plan) {
    if (plan.prefers_coarse()) {
      if (take_stripes(plan.coarse, plan.may_go_fine() ? coarse_deadline_ : deadline_)) return true;
      if (!plan.may_go_fine()) return false;
    }
    if (take(plan.fine, plan.may_go_finest() ? coarse_deadline_ : deadline_)) return true;
    return plan.may_go_finest() && take(plan.finest, deadline_);
  }

  core::Micros began() const noexcept { return began_; }

 private:
  // Stripes are only tried for, and who tries has no place in a queue. So that each gets its turn, those who try queue for
  // a key of their own, which nobody else ever wants.
  bool take_stripes(std::span<const AttemptKey> stripes, core::Micros until) {
    const pg::Key turn{pg::KeyClass::turn, stripes.front().id};
    const core::Micros left = std::max<core::Micros>(until - pg::now(), 1000);
    if (!pg::lock_within(turn, pg::LockStrength::exclusive, static_cast<int>(left / 1000))) return false;
    const bool taken = take(stripes, until);
    pg::unlock(turn, pg::LockStrength::exclusive);
    return taken;
  }

  // Takes the keys in order. Returns false, with none of them held, when one was not to be had in time: kept, the others
  // would stop strangers for as long as this transaction lives.
  bool take(std::span<const AttemptKey> keys, core::Micros coarse_deadline) {
    taken_.clear();
    for (const AttemptKey &key : keys) {
      if (is_coarse(key) ? take_by_trying(key, coarse_deadline) : take_in_turn(key)) {
        taken_.push_back(key);
        continue;
      }
      for (const AttemptKey &held : taken_) pg::unlock(key_of(held), strength_of(held));
      return false;
    }
    return true;
  }

  bool take_by_trying(const AttemptKey &key, core::Micros until) {
    while (!pg::try_lock(key_of(key), strength_of(key))) {
      if (pg::now() >= until) return false;
      pg::pause(kPause);
    }
    return true;
  }

  bool take_in_turn(const AttemptKey &key) {
    if (pg::try_lock(key_of(key), strength_of(key))) return true;
    const core::Micros left = deadline_ - pg::now();
    return left >= 1000 && pg::lock_within(key_of(key), strength_of(key), static_cast<int>(left / 1000));
  }

  core::Micros const began_;
  core::Micros const deadline_;
  core::Micros const coarse_deadline_;
  core::Vec<AttemptKey> taken_;
};

}  // namespace

void take_attempt_keys(std::span<const core::Receipt> receipts, core::Memory &memory) {
  const core::KeyPlan plan = core::plan_keys(receipts, memory);
  holder = pg::transaction_ordinal();
  Taking taking(pg::key_wait(), memory);
  if (taking.run(plan)) return;
  pg::raise({.sqlstate = ERRCODE_LOCK_NOT_AVAILABLE,
             .message = "could not lock the attempts of the receipts",
             .detail = pg::format("Other transactions worked on them for %d ms.",
                                  static_cast<int>((pg::now() - taking.began()) / 1000)),
             .hint = "End attempts in short transactions of their own; awa_ring.key_wait sets how long to wait."});
}

bool take_attempt_keys_within(std::span<const core::Receipt> receipts, core::Micros patience, core::Memory &memory) {
  const core::KeyPlan plan = core::plan_keys(receipts, memory);
  holder = pg::transaction_ordinal();
  return Taking(patience, memory).run(plan);
}

std::optional<core::AttemptKey> try_attempt_keys(std::span<const core::Receipt> receipts, core::Memory &memory) {
  const core::KeyPlan plan = core::plan_keys(receipts, memory);
  const std::span<const AttemptKey> keys = plan.fine;
  for (std::size_t taken = 0; taken < keys.size(); ++taken) {
    if (pg::try_lock(key_of(keys[taken]), strength_of(keys[taken]))) continue;
    for (const AttemptKey &held : keys.first(taken)) pg::unlock(key_of(held), strength_of(held));
    return keys[taken];
  }
  holder = pg::transaction_ordinal();
  return std::nullopt;
}

bool holds_attempt_keys() noexcept { return holder != 0 && holder == pg::transaction_ordinal(); }

}  // namespace awa::receipt
