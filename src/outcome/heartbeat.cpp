#include "outcome/heartbeat.hpp"

#include "core/key_plan.hpp"
#include "outcome/queue_facts.hpp"
#include "pg/settings.hpp"
#include "pg/transaction.hpp"
#include "receipt/attempt_keys.hpp"
#include "receipt/held_attempts.hpp"
#include "receipt/lease_history.hpp"

namespace awa::outcome {

namespace {

constexpr core::Micros kPatience = 1'000'000;
constexpr std::size_t kMostKeys = 256;  // taken one by one when they are not to be had together

class Beating {
 public:
  Beating(std::span<const core::Receipt> receipts, std::span<const Datum> progress, std::span<Beat> beats,
          core::Memory &memory)
      : receipts_(receipts), progress_(progress), beats_(beats), memory_(memory) {}

  void run() {
    if (receipt::take_attempt_keys_within(receipts_, std::min(kPatience, pg::key_wait()), memory_)) {
      beat(receipts_);
    } else {
      beat_those_that_are_free();
    }
  }

 private:
  // One attempt that somebody sits on must not make the others stale: what is free now is taken, batch by batch, then
  // receipt by receipt.
  void beat_those_that_are_free() {
    for (Beat &beat : beats_) beat.word = Beat::Word::busy;
    core::Vec<core::Receipt> free(memory_);
    std::size_t keys = 0;
    const auto take = [&](std::span<const core::Receipt> some) {
      keys += std::min(some.size(), core::kReceiptKeysPerBatch) + 2;
      if (keys > kMostKeys || !receipt::take_attempt_keys_within(some, 0, memory_)) return false;
      for (const core::Receipt &receipt : some) free.push_back(receipt);
      return true;
    };
    receipt::for_each_batch(receipts_, [&](std::span<const core::Receipt> members) {
      if (take(members) || members.size() == 1) return;
      for (const core::Receipt &member : members) take({&member, 1});
    });
    beat(free);
  }

  // The keys are held.
  void beat(std::span<const core::Receipt> receipts) {
    if (receipts.empty()) return;
    receipt::HeldAttempts held(receipts, receipt::Keys::taken, receipt::Bodies::left, memory_);
    QueueFacts queues(memory_);
    const core::Micros now = pg::now();
    std::span<receipt::Attempt> attempts = held.attempts();
    core::Vec<bool> is_held(memory_);
    is_held.assign(receipts.size(), false);
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      const std::size_t place = place_of(attempts[i].receipt);
      held.note(i, now, progress_.empty() ? Datum{0} : progress_[place]);
      if (attempts[i].waiting()) {
        beats_[place].word = Beat::Word::waiting;
      } else {
        beats_[place] = {Beat::Word::open, now + queues.of(attempts[i].lane).stale_after};
      }
      is_held[attempts[i].place] = true;
    }
    // History is asked about the others alone: it costs a look into each slot that keeps some.
    for (std::size_t i = 0; i < receipts.size(); ++i) {
      if (!is_held[i]) beats_[place_of(receipts[i])].word = word_of_ended(receipts[i], held.proof(i));
    }
  }

  // What to say of an attempt that is not open.
  static Beat::Word word_of_ended(const core::Receipt &receipt, const receipt::Proof &proof) {
    std::string_view outcome = proof.outcome;
    // Its claim tells nothing of how a lease ended, and may be gone; history may.
    if (proof.word != receipt::Proof::Word::closed) outcome = receipt::outcome_in_history(receipt);
    return outcome == core::word_of(core::Outcome::cancelled) ? Beat::Word::cancelled : Beat::Word::stale;
  }

  std::size_t place_of(const core::Receipt &receipt) const noexcept {
    return static_cast<std::size_t>(std::lower_bound(receipts_.begin(), receipts_.end(), receipt) - receipts_.begin());
  }

  std::span<const core::Receipt> const receipts_;
  std::span<const Datum> const progress_;
  std::span<Beat> const beats_;
  core::Memory &memory_;
};

}  // namespace

void heartbeat(std::span<const core::Receipt> receipts, std::span<const Datum> progress, std::span<Beat> beats,
               core::Memory &memory) {
  if (!receipts.empty()) Beating(receipts, progress, beats, memory).run();
}

}  // namespace awa::outcome
