#include "outcome/departures.hpp"

#include "core/lane.hpp"
#include "outcome/dead_letters.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/pause_point.hpp"
#include "queue/deferred.hpp"
#include "queue/enqueue.hpp"
#include "queue/entries.hpp"
#include "queue/unique_keys.hpp"
#include "receipt/done_rows.hpp"
#include "receipt/payload.hpp"
#include "ring/rollups.hpp"

namespace awa::outcome {

namespace {

using core::JobState;
using receipt::Attempt;
using receipt::JobFate;

JobFate fate_of(const Departure &departure) noexcept {
  if (!departure.to) return JobFate::deleted;
  switch (*departure.to) {
    case JobState::completed:
      return JobFate::completed;
    case JobState::failed:
      return JobFate::failed;
    case JobState::cancelled:
      return JobFate::cancelled;
    case JobState::dead_letter:
      return JobFate::dead_letter;
    default:
      return JobFate::goes_on;
  }
}

class Departing {
 public:
  Departing(receipt::HeldAttempts &held, std::span<Departure> departures, core::Micros now, core::Memory &memory,
            queue::KeyPatience patience)
      : held_(held), departures_(departures), now_(now), memory_(memory), patience_(patience) {}

  // Returns how many, from the first on, were written.
  std::size_t run() {
    AWA_PAUSE_POINT("end.before_rows");
    change_keys();
    lay_aside();
    append_again();
    receipt::write_done(done(), now_, memory_);
    bury();
    count();
    core::Vec<receipt::Ending> endings(memory_);
    for (const Departure &departure : departures_) {
      endings.push_back({departure.attempt, departure.outcome, fate_of(departure)});
    }
    held_.end(endings, now_,
              patience_ == queue::KeyPatience::tries ? receipt::EndPatience::tries : receipt::EndPatience::waits);
    return departures_.size();
  }

 private:
  Attempt &attempt_of(const Departure &departure) { return held_.attempts()[departure.attempt]; }

  static core::QueueId queue_of(const Attempt &attempt) noexcept { return core::lane_of(attempt.lane).queue; }

  // Taking a key may wait for another transaction: keys come in one order for all.
  void change_keys() {
    core::Vec<Departure *> keyed(memory_);
    for (Departure &departure : departures_) {
      if (attempt_of(departure).body.unique_key != 0) keyed.push_back(&departure);
    }
    const auto place = [&](const Departure *departure) {
      const Attempt &attempt = attempt_of(*departure);
      return std::pair(queue_of(attempt), pg::text_view(attempt.body.unique_key));
    };
    std::sort(keyed.begin(), keyed.end(), [&](const Departure *a, const Departure *b) { return place(a) < place(b); });
    core::Vec<std::size_t> put_off(memory_);
    for (Departure *const departure : keyed) {
      if (!change_key(*departure)) put_off.push_back(departure->attempt);
    }
    const auto goes = [&](const Departure &departure) {
      return std::find(put_off.begin(), put_off.end(), departure.attempt) == put_off.end();
    };
    const auto rest = std::stable_partition(departures_.begin(), departures_.end(), goes);
    departures_ = departures_.first(static_cast<std::size_t>(rest - departures_.begin()));
  }

  // Returns false when the key is busy.
  bool change_key(Departure &departure) {
    Attempt &attempt = attempt_of(departure);
    const queue::KeyOwner owner(attempt.receipt.job, queue_of(attempt), attempt.body);
    const JobState from = attempt.waiting() ? JobState::waiting_external : JobState::running;
    const queue::KeyOutcome outcome = queue::change_state(owner, from, departure.to, patience_);
    if (outcome.word == queue::KeyOutcome::Word::busy) return false;
    if (!outcome.refused()) return true;
    const char *const reason = queue::reason_of_loss(outcome.holder);
    departure.to = JobState::cancelled;
    departure.outcome = core::Outcome::cancelled;
    attempt.body.payload = receipt::changed_payload(attempt.body.payload,
                                                    {.error = receipt::ErrorEntry{reason, attempt.number, now_, true}});
    return true;
  }

  void lay_aside() {
    core::Vec<queue::DeferredJob> jobs(memory_);
    for (const Departure &departure : departures_) {
      if (departure.to != JobState::scheduled && departure.to != JobState::retryable) continue;
      const Attempt &attempt = attempt_of(departure);
      jobs.push_back({.job = attempt.receipt.job,
                      .lane = attempt.lane,
                      .state = *departure.to,
                      .finalized_at = now_,
                      .body = attempt.body});
    }
    queue::defer(jobs);
  }

  void append_again() {
    core::Vec<queue::NewEntry> entries(memory_);
    core::Vec<core::QueueId> queues(memory_);
    for (const Departure &departure : departures_) {
      if (departure.to != JobState::available) continue;
      const Attempt &attempt = attempt_of(departure);
      entries.push_back({attempt.lane, {}, attempt.receipt.job, &attempt.body});
      const core::QueueId queue = queue_of(attempt);
      if (std::find(queues.begin(), queues.end(), queue) == queues.end()) queues.push_back(queue);
    }
    core::Vec<std::int64_t> seqs(memory_);
    seqs.resize(entries.size());
    queue::draw_entry_ids(seqs);
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i].seq = {seqs[i]};
    queue::append_entries(entries);
    for (const core::QueueId queue : queues) queue::notify(queue);
  }

  core::Vec<receipt::DoneRow> done() {
    core::Vec<receipt::DoneRow> rows(memory_);
    for (const Departure &departure : departures_) {
      if (departure.to != JobState::completed && departure.to != JobState::failed &&
          departure.to != JobState::cancelled) {
        continue;
      }
      rows.push_back({&attempt_of(departure), *departure.to, departure.outcome, departure.result});
    }
    return rows;
  }

  void bury() {
    core::Vec<DeadLetter> letters(memory_);
    for (const Departure &departure : departures_) {
      if (departure.to != JobState::dead_letter) continue;
      const Attempt &attempt = attempt_of(departure);
      letters.push_back({attempt.receipt.job, attempt.lane, departure.dlq_reason, &attempt.body});
    }
    write_dead_letters(letters, now_);
  }

  void count() {
    for (const Departure &departure : departures_) {
      if (departure.to) continue;
      ring::count_gone(attempt_of(departure).lane, "deleted", 1);
    }
  }

  receipt::HeldAttempts &held_;
  std::span<Departure> departures_;
  core::Micros const now_;
  core::Memory &memory_;
  queue::KeyPatience const patience_;
};

}  // namespace

std::span<Departure> depart(receipt::HeldAttempts &held, std::span<Departure> departures, core::Micros now,
                            core::Memory &memory, queue::KeyPatience patience) {
  if (departures.empty()) return departures;
  return departures.first(Departing(held, departures, now, memory, patience).run());
}

}  // namespace awa::outcome
