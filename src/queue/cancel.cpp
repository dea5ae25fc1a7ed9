#include "queue/cancel.hpp"

#include "pg/transaction.hpp"
#include "queue/cancelled_rows.hpp"
#include "queue/unique_keys.hpp"
#include "receipt/payload.hpp"

namespace awa::queue {

void cancel_held(std::span<const WaitingJob> jobs, std::string_view reason, core::Memory &memory,
                 receipt::EndPatience patience) {
  if (jobs.empty()) return;
  const core::Micros now = pg::now();
  core::Vec<Datum> payloads(memory);
  core::Vec<receipt::Ended> ended(memory);
  for (const WaitingJob &job : jobs) {
    if (!reason.empty()) {
      payloads.push_back(receipt::changed_payload(
          job.body.payload, {.error = receipt::ErrorEntry{reason, job.body.attempts_used, now, true}}));
    }
    ended.push_back({job.job, {}, receipt::JobFate::cancelled});
    change_state(KeyOwner(job.job, core::lane_of(job.lane).queue, job.body), job.state, core::JobState::cancelled,
                 KeyPatience::waits);
  }
  take_away(jobs, Removal::cancelled, memory);
  write_cancelled(jobs, payloads, memory);
  receipt::tell_ended(ended, memory, patience);
}

core::Vec<core::JobId> cancel_waiting(std::span<const core::JobId> jobs, std::string_view reason,
                                      core::Memory &memory) {
  const core::Vec<WaitingJob> held = hold_waiting(jobs, memory);
  cancel_held(held, reason, memory);
  core::Vec<core::JobId> cancelled(memory);
  for (const WaitingJob &job : held) cancelled.push_back(job.job);
  return cancelled;
}

}  // namespace awa::queue
