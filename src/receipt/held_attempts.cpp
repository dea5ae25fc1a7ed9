#include "receipt/held_attempts.hpp"

#include "core/completion.hpp"
#include "pg/error.hpp"
#include "pg/index_reader.hpp"
#include "pg/pause_point.hpp"
#include "receipt/attempt_keys.hpp"
#include "receipt/closure_rows.hpp"
#include "receipt/payload.hpp"
#include "ring/tables.hpp"

namespace awa::receipt {

namespace {

// Keys come before everything that is opened or read.
Keys taken(std::span<const core::Receipt> receipts, Keys keys, core::Memory &memory) {
  if (keys == Keys::take && !receipts.empty()) {
    AWA_PAUSE_POINT("end.before_keys");
    take_attempt_keys(receipts, memory);
  }
  AWA_PAUSE_POINT("end.after_keys");
  return Keys::taken;
}

}  // namespace

HeldAttempts::HeldAttempts(std::span<const core::Receipt> receipts, Keys keys, Bodies bodies, core::Memory &memory)
    : receipts_(receipts),
      memory_(memory),
      claims_(receipts, taken(receipts, keys, memory), memory),
      states_(memory),
      found_(memory),
      attempts_(memory) {
  if (!receipts.empty()) look(bodies);
}

void HeldAttempts::look(Bodies bodies) {
  claims_.for_each([&](const StoredBatch &stored, std::span<const core::Receipt> members, std::span<const bool>) {
    found_.push_back({stored, static_cast<std::size_t>(members.data() - receipts_.data()), members.size()});
    add_members(found_.back());
  });
  add_leases(bodies);
  std::sort(attempts_.begin(), attempts_.end(), [](const Attempt &a, const Attempt &b) { return a.place < b.place; });
  add_states();
  if (bodies == Bodies::left) return;
  for (Attempt &attempt : attempts_) {
    if (attempt.kept == Kept::in_claim) read_body(attempt);
    attempt.body.payload = changed_payload(attempt.body.payload, {.progress = attempt.state.progress});
  }
}

void HeldAttempts::add_members(const Claim &claim) {
  const StoredBatch &stored = claim.stored;
  for (std::size_t place = claim.first; place < claim.first + claim.count; ++place) {
    if (claims_.proof(place).word != Proof::Word::open) continue;
    const std::size_t member = core::member_index(stored.batch, receipts_[place]);
    Attempt attempt;
    attempt.receipt = receipts_[place];
    attempt.place = place;
    attempt.ready_slot = stored.ready_slot;
    attempt.ready_generation = stored.ready_generation;
    attempt.lane = stored.lane;
    attempt.seq = {stored.lane_seqs[member]};
    attempt.claimed_at = stored.claimed_at;
    attempt.deadline_at = stored.deadline_at;
    attempt.number = stored.attempts[member];
    attempts_.push_back(attempt);
  }
}

void HeldAttempts::add_leases(Bodies bodies) {
  for (std::size_t place = 0; place < receipts_.size(); ++place) {
    const Proof::Word word = claims_.proof(place).word;
    if (word != Proof::Word::unknown && word != Proof::Word::materialized) continue;
    const auto lease = leases_.find(receipts_[place], claims_.snapshot(), bodies);
    if (!lease) continue;
    Attempt attempt;
    attempt.receipt = receipts_[place];
    attempt.place = place;
    attempt.kept = Kept::in_lease;
    attempt.ready_slot = lease->ready_slot;
    attempt.lane = lease->lane;
    attempt.seq = lease->seq;
    attempt.claimed_at = lease->claimed_at;
    attempt.deadline_at = lease->deadline_at;
    attempt.number = lease->number;
    attempt.lease = *lease;
    attempt.body = lease->body;
    attempts_.push_back(attempt);
  }
}

void HeldAttempts::add_states() {
  core::Vec<core::Receipt> open(memory_);
  for (const Attempt &attempt : attempts_) open.push_back(attempt.receipt);
  for (const AttemptState &state : states_.of(open, claims_.snapshot())) {
    const auto place = std::lower_bound(open.begin(), open.end(), state.receipt) - open.begin();
    Attempt &attempt = attempts_[static_cast<std::size_t>(place)];
    attempt.state = state;
    attempt.has_state = true;
  }
}

void HeldAttempts::read_body(Attempt &attempt) {
  namespace column = ring::ready_entries;
  // The open receipt keeps the slot.
  const pg::OpenTable leaf(ring::ready_entries_leaf(attempt.ready_slot), AccessShareLock);
  ScanKeyData keys[] = {pg::key_equal(1, attempt.receipt.job.value)};
  bool found = false;
  pg::walk(leaf, leaf.index(column::by_job), claims_.snapshot().get(), keys, [&](const pg::Row &row) {
    if (row.int4(column::lane_id) != attempt.lane.value || row.int8(column::lane_seq) != attempt.seq.value) {
      return pg::Walk::on;
    }
    attempt.body = ring::body_of(row, ring::kEntryBody);
    found = true;
    return pg::Walk::stop;
  });
  if (!found) {
    pg::raise(
        {.sqlstate = ERRCODE_DATA_CORRUPTED,
         .message = pg::format("the entry of job %lld is missing", static_cast<long long>(attempt.receipt.job.value)),
         .detail = pg::format("It should be in ready slot %d, lane %d, at position %lld.", attempt.ready_slot.value,
                              attempt.lane.value, static_cast<long long>(attempt.seq.value)),
         .hint = "See awa.check()."});
  }
  attempt.entry_payload = attempt.body.payload;
  attempt.body.last_lease = attempt.receipt.lease;
  attempt.body.attempts_used = attempt.number;
}

void HeldAttempts::close(std::span<const Ending> endings, core::Micros now) {
  // The outcome of each receipt that ends in its claim.
  core::Vec<std::optional<core::Outcome>> outcomes(memory_);
  outcomes.resize(receipts_.size());
  for (const Ending &ending : endings) {
    const Attempt &attempt = attempts_[ending.attempt];
    if (attempt.kept == Kept::in_claim) outcomes[attempt.place] = ending.outcome;
  }
  ClosureRows rows(memory_);
  core::Vec<bool> ends(memory_);
  for (const Claim &claim : found_) {
    const std::span<const std::optional<core::Outcome>> of_claim(outcomes.data() + claim.first, claim.count);
    core::Vec<core::Outcome> words(memory_);
    for (const auto &outcome : of_claim) {
      if (outcome && std::find(words.begin(), words.end(), *outcome) == words.end()) words.push_back(*outcome);
    }
    for (const core::Outcome word : words) {
      ends.resize(claim.count);
      std::transform(of_claim.begin(), of_claim.end(), ends.begin(),
                     [&](const auto &outcome) { return outcome == word; });
      rows.add(claim.stored, receipts_.subspan(claim.first, claim.count), ends, core::word_of(word));
    }
  }
  rows.write(claims_, now);
}

void HeldAttempts::end(std::span<const Ending> endings, core::Micros now, EndPatience patience) {
  close(endings, now);
  core::Vec<Ended> ended(memory_);
  for (const Ending &ending : endings) {
    const Attempt &attempt = attempts_[ending.attempt];
    if (attempt.kept == Kept::in_lease) leases_.erase(attempt.lease);
    if (attempt.has_state) states_.erase({&attempt.state, 1});
    if (has_end_listener()) ended.push_back({attempt.receipt.job, attempt.receipt.lease, ending.fate});
  }
  tell_ended(ended, memory_, patience);
}

void HeldAttempts::note(std::size_t place, core::Micros now, Datum progress) {
  const Attempt &attempt = attempts_[place];
  states_.write(attempt.receipt, attempt.has_state ? &attempt.state : nullptr, now, progress);
}

Lease HeldAttempts::lease_of(std::size_t place) const {
  const Attempt &attempt = attempts_[place];
  Lease lease;
  lease.receipt = attempt.receipt;
  lease.ready_slot = attempt.ready_slot;
  lease.lane = attempt.lane;
  lease.seq = attempt.seq;
  lease.claimed_at = attempt.claimed_at;
  lease.deadline_at = attempt.deadline_at;
  lease.number = attempt.number;
  if (attempt.kept == Kept::in_lease) {
    lease.callback = attempt.lease.callback;
    lease.callback_timeout_at = attempt.lease.callback_timeout_at;
  }
  lease.body = attempt.body;
  // Progress stays where heartbeats write it.
  lease.body.payload = attempt.kept == Kept::in_lease ? attempt.lease.body.payload : attempt.entry_payload;
  return lease;
}

void HeldAttempts::move_to_leases(std::span<const std::size_t> places, std::span<const Lease> leases,
                                  core::Micros now) {
  AWA_PAUSE_POINT("end.before_rows");
  core::Vec<Ending> moved(memory_);
  for (const std::size_t place : places) moved.push_back({place, core::Outcome::materialized, JobFate::goes_on});
  close(moved, now);
  for (const std::size_t place : places) {
    if (attempts_[place].kept == Kept::in_lease) leases_.erase(attempts_[place].lease);
  }
  Leases::append(leases);
}

}  // namespace awa::receipt
