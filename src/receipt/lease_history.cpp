#include "receipt/lease_history.hpp"

#include "pg/datum.hpp"
#include "pg/spi.hpp"

namespace awa::receipt {

namespace {

constexpr Oid kAttempt[] = {INT8OID, INT8OID};

// A job that was laid aside, or died, keeps the run lease of its last attempt; so does one that was cancelled while it
// waited, but that has no time of a claim.
constinit pg::Statement find_outcome(R"sql(
  SELECT d.outcome FROM generate_series(0, 15) s(slot)
    JOIN awa.done_entries d ON d.ready_slot = s.slot AND d.job_id = $1 AND d.run_lease = $2 AND d.claimed_at IS NOT NULL
  UNION ALL
  SELECT d.state FROM awa.deferred_jobs d WHERE d.job_id = $1 AND d.run_lease = $2
  UNION ALL
  SELECT 'dead_letter' FROM awa.dlq_entries d WHERE d.job_id = $1 AND d.original_run_lease = $2
  UNION ALL
  SELECT f.outcome FROM awa.failed_history f WHERE f.job_id = $1 AND f.run_lease = $2
  LIMIT 1)sql",
                                     kAttempt);

}  // namespace

std::string_view outcome_in_history(const core::Receipt &receipt) {
  const Datum values[] = {pg::datum(receipt.job), pg::datum(receipt.lease)};
  Datum outcome = 0;
  {
    pg::Sql sql;
    if (sql.run(find_outcome, values) == 0) return {};
    bool is_null = false;
    outcome = sql.value(0, 1, is_null);
    outcome = pg::guarded([=] { return SPI_datumTransfer(outcome, false, -1); });
  }
  return pg::text_view(outcome);
}

}  // namespace awa::receipt
