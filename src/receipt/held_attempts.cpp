#include "receipt/held_attempts.hpp"

#include <tuple>

#include "core/completion.hpp"
#include "pg/error.hpp"
#include "pg/index_reader.hpp"
#include "receipt/attempt_keys.hpp"
#include "receipt/closures.hpp"
#include "receipt/payload.hpp"
#include "ring/tables.hpp"

namespace awa::receipt {

namespace {

// Keys come before everything that is opened or read.
std::span<const core::Receipt> locked(std::span<const core::Receipt> receipts, Keys keys, core::Memory &memory) {
  if (keys == Keys::take) take_attempt_keys(receipts, memory);
  return receipts;
}

}  // namespace

HeldAttempts::HeldAttempts(std::span<const core::Receipt> receipts, Keys keys, Bodies bodies, core::Memory &memory)
    : receipts_(locked(receipts, keys, memory)),
      memory_(memory),
      leaves_(receipts, RowExclusiveLock),
      states_(memory),
      proofs_(memory),
      attempts_(memory) {
  proofs_.resize(receipts.size());
  if (!receipts.empty()) look(bodies);
}

void HeldAttempts::look(Bodies bodies) {
  const pg::FreshSnapshot snapshot;
  for_each_batch(receipts_, [&](std::span<const core::Receipt> members) {
    const auto stored = leaves_.find(members, snapshot);
    if (!stored) return;
    const auto first = static_cast<std::size_t>(members.data() - receipts_.data());
    leaves_.prove(*stored, members, snapshot, std::span<Proof>(proofs_).subspan(first, members.size()), memory_);
    add_members(*stored, members, first);
  });
  add_leases(snapshot, bodies);
  std::sort(attempts_.begin(), attempts_.end(), [](const Attempt &a, const Attempt &b) { return a.place < b.place; });
  add_states(snapshot);
  if (bodies == Bodies::left) return;
  for (Attempt &attempt : attempts_) {
    if (attempt.shape != Shape::lease) read_body(attempt, snapshot);
    attempt.body.payload = changed_payload(attempt.body.payload, {.progress = attempt.state.progress});
  }
}

void HeldAttempts::add_members(const StoredBatch &stored, std::span<const core::Receipt> members, std::size_t first) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (proofs_[first + i].word != Proof::Word::open) continue;
    const std::size_t member = core::member_index(stored.batch, members[i]);
    Attempt attempt;
    attempt.receipt = members[i];
    attempt.place = first + i;
    attempt.shape = stored.shape;
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

void HeldAttempts::add_leases(const pg::FreshSnapshot &snapshot, Bodies bodies) {
  for (std::size_t place = 0; place < receipts_.size(); ++place) {
    const Proof::Word word = proofs_[place].word;
    if (word != Proof::Word::unknown && word != Proof::Word::materialized) continue;
    const auto lease = leases_.find(receipts_[place], snapshot, bodies);
    if (!lease) continue;
    Attempt attempt;
    attempt.receipt = receipts_[place];
    attempt.place = place;
    attempt.shape = Shape::lease;
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

void HeldAttempts::add_states(const pg::FreshSnapshot &snapshot) {
  core::Vec<core::Receipt> open(memory_);
  for (const Attempt &attempt : attempts_) open.push_back(attempt.receipt);
  for (const AttemptState &state : states_.of(open, snapshot)) {
    const auto place = std::lower_bound(open.begin(), open.end(), state.receipt) - open.begin();
    Attempt &attempt = attempts_[static_cast<std::size_t>(place)];
    attempt.state = state;
    attempt.has_state = true;
  }
}

void HeldAttempts::read_body(Attempt &attempt, const pg::FreshSnapshot &snapshot) {
  namespace column = ring::ready_entries;
  // The open receipt keeps the slot.
  const pg::OpenTable leaf(ring::ready_entries_leaf(attempt.ready_slot), AccessShareLock);
  ScanKeyData keys[] = {pg::key_equal(1, attempt.receipt.job.value)};
  bool found = false;
  pg::walk(leaf, leaf.index(column::by_job), snapshot.get(), keys, [&](const pg::Row &row) {
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
  core::Vec<Ending> closing(memory_);
  for (const Ending &ending : endings) {
    if (attempts_[ending.attempt].shape != Shape::lease) closing.push_back(ending);
  }
  const auto unit = [this](const Ending &ending) {
    const core::Receipt &receipt = attempts_[ending.attempt].receipt;
    return std::tuple(receipt.claim_slot, receipt.batch, ending.outcome);
  };
  std::sort(closing.begin(), closing.end(), [&](const Ending &a, const Ending &b) {
    return std::tuple(unit(a), a.attempt) < std::tuple(unit(b), b.attempt);
  });
  core::Vec<ClosedBatch> batches(memory_);
  for (std::size_t i = 0; i < closing.size(); ++i) {
    const Attempt &attempt = attempts_[closing[i].attempt];
    if (i == 0 || unit(closing[i]) != unit(closing[i - 1])) {
      batches.push_back({attempt.shape,
                         attempt.receipt.batch,
                         {attempt.receipt.claim_slot},
                         attempt.ready_slot,
                         attempt.ready_generation,
                         closing[i].outcome,
                         core::RangeSet(memory_),
                         attempt.receipt.job,
                         attempt.receipt.lease});
    }
    core::append(batches.back().receipts, attempt.receipt.receipt.value);
  }
  write_closures(batches, leaves_, now);
}

void HeldAttempts::end(std::span<const Ending> endings, core::Micros now) {
  close(endings, now);
  core::Vec<Ended> ended(memory_);
  for (const Ending &ending : endings) {
    const Attempt &attempt = attempts_[ending.attempt];
    if (attempt.shape == Shape::lease) leases_.erase(attempt.lease);
    if (attempt.has_state) states_.erase({&attempt.state, 1});
    if (has_end_listener()) ended.push_back({attempt.receipt.job, attempt.receipt.lease, ending.fate});
  }
  tell_ended(ended, memory_);
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
  if (attempt.shape == Shape::lease) {
    lease.callback = attempt.lease.callback;
    lease.callback_timeout_at = attempt.lease.callback_timeout_at;
  }
  lease.body = attempt.body;
  // Progress stays where heartbeats write it.
  lease.body.payload = attempt.shape == Shape::lease ? attempt.lease.body.payload : attempt.entry_payload;
  return lease;
}

void HeldAttempts::move_to_lease(std::size_t place, const Lease &lease, core::Micros now) {
  const Attempt &attempt = attempts_[place];
  const Ending moved{place, core::Outcome::materialized, JobFate::goes_on};
  close({&moved, 1}, now);
  if (attempt.shape == Shape::lease) leases_.erase(attempt.lease);
  Leases::append({&lease, 1});
}

}  // namespace awa::receipt
