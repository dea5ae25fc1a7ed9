#include "outcome/managing.hpp"

#include "outcome/attempts_of_jobs.hpp"
#include "outcome/ended_jobs.hpp"
#include "pg/datum.hpp"
#include "pg/spi.hpp"
#include "pg/transaction.hpp"
#include "queue/cancel.hpp"
#include "queue/change_jobs.hpp"
#include "queue/queue_admin.hpp"

namespace awa::outcome {

namespace {

constexpr std::size_t kBatch = 1'000;

constexpr Oid kQueue[] = {INT4OID};

constinit pg::Statement find_attempts(R"sql(
  SELECT claim_slot, batch_id, receipt_id, job_id, run_lease, fence FROM awa.open_receipts
  WHERE lane_id BETWEEN $1 * 256 AND $1 * 256 + 255
  UNION ALL
  SELECT claim_slot, batch_id, receipt_id, job_id, run_lease, fence FROM awa.leases
  WHERE lane_id BETWEEN $1 * 256 AND $1 * 256 + 255)sql",
                                      kQueue);

core::Vec<core::Receipt> attempts_in(core::QueueId queue, core::Memory &memory) {
  core::Vec<core::Receipt> found(memory);
  const Datum values[] = {pg::datum(queue)};
  pg::Sql sql;
  const std::uint64_t count = sql.run(find_attempts, values);
  for (std::uint64_t row = 0; row < count; ++row) {
    bool is_null = false;
    const auto number = [&](int column) { return DatumGetInt64(sql.value(row, column, is_null)); };
    core::Receipt receipt;
    receipt.claim_slot = static_cast<std::int16_t>(DatumGetInt32(sql.value(row, 1, is_null)));
    receipt.batch = {number(2)};
    receipt.receipt = {number(3)};
    receipt.job = {number(4)};
    receipt.lease = {number(5)};
    receipt.fence = number(6);
    found.push_back(receipt);
  }
  return core::sorted_unique(found, memory);
}

}  // namespace

std::size_t cancel(std::span<const core::JobId> jobs, std::string_view reason, core::Memory &memory) {
  std::size_t cancelled = 0;
  core::Vec<Sought> sought(memory);
  for (const core::JobId job : jobs) sought.push_back({job});
  // Lanes first, then the keys of attempts. What changed hands meanwhile is looked for again.
  while (!sought.empty()) {
    core::Vec<core::JobId> ids(memory);
    for (const Sought &each : sought) ids.push_back(each.job);
    core::Vec<core::JobId> waited = queue::cancel_waiting(ids, reason, memory);
    cancelled += waited.size();
    std::sort(waited.begin(), waited.end());
    core::Vec<Sought> again(memory);
    for (Sought &each : sought) {
      if (std::binary_search(waited.begin(), waited.end(), each.job)) continue;
      const Found found = cancel_attempt(each, reason, memory);
      if (found == Found::done) ++cancelled;
      if (found == Found::changing) again.push_back(each);
    }
    sought = std::move(again);
    pg::check_for_interrupts();
  }
  return cancelled;
}

bool delete_job(core::JobId job, core::Memory &memory) {
  Sought sought{job};
  for (;;) {
    if (queue::delete_waiting(job, memory)) return true;
    const Found found = delete_attempt(sought, memory);
    if (found == Found::done) return true;
    if (found == Found::nothing) return delete_ended(job);
    pg::check_for_interrupts();
  }
}

void drop_queue_by_force(std::string_view name, core::Memory &memory) {
  const queue::Queue queue = queue::hold_to_drop(name);
  constexpr std::string_view reason = "its queue was dropped";
  for (;;) {
    const core::Vec<core::Receipt> open = attempts_in(queue.id, memory);
    if (open.empty()) break;
    for (std::span<const core::Receipt> rest = open; !rest.empty();) {
      const std::span<const core::Receipt> batch = rest.first(std::min(rest.size(), kBatch));
      cancel_attempts(batch, reason, memory);
      rest = rest.subspan(batch.size());
      pg::check_for_interrupts();
    }
  }
  // What ended otherwise meanwhile waits by now.
  queue::purge_queue(name, memory);
  queue::drop_held(queue, name);
}

}  // namespace awa::outcome
