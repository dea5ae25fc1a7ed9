#include "receipt/completion.hpp"

#include "pg/error.hpp"
#include "pg/pause_point.hpp"
#include "pg/transaction.hpp"
#include "receipt/attempt_end.hpp"
#include "receipt/attempt_keys.hpp"
#include "receipt/attempt_states.hpp"
#include "receipt/completion_rows.hpp"
#include "receipt/done_rows.hpp"
#include "receipt/open_claims.hpp"
#include "receipt/payload.hpp"
#include "receipt/unique_claims.hpp"

namespace awa::receipt {

namespace {

[[noreturn]] void refuse_stale(const core::Receipt &receipt, std::size_t stale) {
  char handle[core::kReceiptTextSize];
  core::format(receipt, handle);
  pg::raise({.sqlstate = pg::kStaleReceipt,
             .message = pg::format("receipt %s is stale", handle),
             .detail = pg::format(
                 "%zu of the receipts are stale: over already, or of nothing known. None was completed.", stale),
             .hint = "See awa.receipt_state(), or call without strict to complete the others."});
}

// Completes those of the receipts whose attempts went on outside the rings; their keys are held. Sets completed[i].
class LeaseCompletion {
 public:
  explicit LeaseCompletion(core::Memory &memory) : memory_(memory), receipts_(memory), places_(memory) {}

  void add(const core::Receipt &receipt, std::size_t place) {
    receipts_.push_back(receipt);
    places_.push_back(place);
  }

  void look(std::span<bool> completed) {
    if (receipts_.empty()) return;
    held_.emplace(receipts_, Keys::taken, Bodies::read, memory_);
    for (const Attempt &attempt : held_->attempts()) completed[places_[attempt.place]] = true;
  }

  void write(std::span<const Result> results, core::Micros now) {
    if (!held_) return;
    core::Vec<DoneRow> rows(memory_);
    core::Vec<Ending> endings(memory_);
    core::Vec<std::int64_t> keyed(memory_);
    for (Attempt &attempt : held_->attempts()) {
      attempt.body.payload = changed_payload(attempt.body.payload, {.forget_progress = true});
      const Result result = results.empty() ? Result{} : results[places_[attempt.place]];
      const Datum kept = result.given ? result.value : Datum{0};
      rows.push_back({&attempt, core::JobState::completed, core::Outcome::completed, kept});
      endings.push_back({endings.size(), core::Outcome::completed, JobFate::completed});
      if (attempt.body.unique_key != 0) keyed.push_back(attempt.receipt.job.value);
    }
    held_->end(endings, now);
    write_done(rows, now, memory_);
    give_up_keys(keyed);
  }

 private:
  core::Memory &memory_;
  core::Vec<core::Receipt> receipts_;
  core::Vec<std::size_t> places_;
  std::optional<HeldAttempts> held_;
};

// Forgets what attempts of the rings that ended said of themselves, and tells of their end.
void finish(std::span<const core::Receipt> ended, const pg::FreshSnapshot &snapshot, core::Memory &memory) {
  AttemptStates states(memory);
  states.erase(states.of(ended, snapshot));
  if (!has_end_listener()) return;
  core::Vec<Ended> told(memory);
  for (const core::Receipt &receipt : ended) told.push_back({receipt.job, receipt.lease, JobFate::completed});
  tell_ended(told, memory);
}

}  // namespace

void complete(std::span<const core::Receipt> receipts, std::span<const Result> results, Strictness strictness,
              std::span<bool> completed, core::Memory &memory) {
  std::fill(completed.begin(), completed.end(), false);
  if (receipts.empty()) return;
  AWA_PAUSE_POINT("complete.before_keys");
  take_attempt_keys(receipts, memory);
  AWA_PAUSE_POINT("complete.after_keys");
  OpenClaims claims(receipts, Keys::taken, memory);
  CompletionRows rows(memory);
  core::Vec<core::Receipt> ended(memory);
  claims.for_each([&](const StoredBatch &claim, std::span<const core::Receipt> members, std::span<const bool> open) {
    const auto first = static_cast<std::size_t>(members.data() - receipts.data());
    std::copy(open.begin(), open.end(), completed.begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (open[i]) ended.push_back(members[i]);
    }
    rows.add(claim, members, open, results.empty() ? results : results.subspan(first, members.size()));
  });
  LeaseCompletion outside(memory);
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    const Proof::Word word = claims.proof(i).word;
    if (word == Proof::Word::unknown || word == Proof::Word::materialized) outside.add(receipts[i], i);
  }
  outside.look(completed);

  if (strictness == Strictness::strict) {
    const auto stale = std::find(completed.begin(), completed.end(), false);
    if (stale != completed.end()) {
      refuse_stale(receipts[static_cast<std::size_t>(stale - completed.begin())],
                   static_cast<std::size_t>(std::count(stale, completed.end(), false)));
    }
  }
  AWA_PAUSE_POINT("complete.before_rows");
  const core::Micros now = pg::now();
  rows.write(claims, now);
  outside.write(results, now);
  finish(ended, claims.snapshot(), memory);
}

}  // namespace awa::receipt
