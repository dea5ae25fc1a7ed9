#include "rescue/held_by_trying.hpp"

#include "core/key_plan.hpp"
#include "pg/error.hpp"
#include "pg/subtransaction.hpp"
#include "pg/transaction.hpp"
#include "receipt/attempt_keys.hpp"
#include "receipt/claim_batches.hpp"
#include "rescue/busy_attempts.hpp"

namespace awa::rescue {

namespace {

// A key that was wanted as a whole and not got says nothing of who works on what of it.
bool keeps_heartbeats_out(const core::AttemptKey &key) noexcept {
  return key.level == core::KeyLevel::receipt || key.mode == core::KeyMode::row_exclusive;
}

class Trying {
 public:
  Trying(std::span<const core::Receipt> wanted, std::span<Fate> fates, core::Memory &memory)
      : wanted_(wanted), fates_(fates), memory_(memory), now_(pg::now()), held_(memory) {}

  core::Vec<core::Receipt> run() {
    receipt::for_each_batch(wanted_, [&](std::span<const core::Receipt> members) {
      if (take(members) || members.size() == 1) return;
      for (const core::Receipt &member : members) take({&member, 1});
    });
    return std::move(held_);
  }

 private:
  bool take(std::span<const core::Receipt> members) {
    const std::span<Fate> fates =
        fates_.subspan(static_cast<std::size_t>(members.data() - wanted_.data()), members.size());
    if (keys_ >= kMostKeysHeld) {
      std::fill(fates.begin(), fates.end(), Fate::left);
      return true;
    }
    const auto refused = receipt::try_attempt_keys(members, memory_);
    if (refused) {
      if (keeps_heartbeats_out(*refused)) note_busy(*refused, now_);
      std::fill(fates.begin(), fates.end(), Fate::busy);
      return false;
    }
    keys_ += 2 + (members.size() > core::kReceiptKeysPerBatch ? 0 : members.size());
    std::fill(fates.begin(), fates.end(), Fate::held);
    held_.insert(held_.end(), members.begin(), members.end());
    return true;
  }

  std::span<const core::Receipt> const wanted_;
  std::span<Fate> const fates_;
  core::Memory &memory_;
  core::Micros const now_;
  core::Vec<core::Receipt> held_;
  std::size_t keys_ = 0;
};

}  // namespace

core::Vec<core::Receipt> try_to_hold(std::span<const core::Receipt> wanted, std::span<Fate> fates,
                                     core::Memory &memory) {
  return Trying(wanted, fates, memory).run();
}

void detail::deal_with(std::span<const core::Receipt> held, std::span<const core::Receipt> wanted,
                       std::span<Fate> fates, void (*work)(void *, std::span<const core::Receipt>), void *argument) {
  if (held.empty()) return;
  const ErrorData *failure = pg::failure_in_subtransaction([&] { work(argument, held); });
  for (std::size_t i = 0; failure != nullptr && i < held.size(); ++i) {
    const ErrorData *const own = pg::failure_in_subtransaction([&] { work(argument, held.subspan(i, 1)); });
    if (own == nullptr) continue;
    const auto place = std::lower_bound(wanted.begin(), wanted.end(), held[i]) - wanted.begin();
    fates[static_cast<std::size_t>(place)] = Fate::busy;
    note_bad(held[i], pg::now());
    pg::warn({.sqlstate = own->sqlerrcode,
              .message = pg::format("maintenance could not deal with job %lld, run lease %lld: %s",
                                    static_cast<long long>(held[i].job.value),
                                    static_cast<long long>(held[i].lease.value), own->message),
              .detail = own->detail,
              .hint = own->hint});
  }
}

}  // namespace awa::rescue
