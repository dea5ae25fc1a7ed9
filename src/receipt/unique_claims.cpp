#include "receipt/unique_claims.hpp"

#include "pg/datum.hpp"
#include "pg/spi.hpp"

namespace awa::receipt {

namespace {

constexpr Oid kJobs[] = {INT8ARRAYOID};
constinit pg::Statement delete_keys("DELETE FROM awa.job_unique_claims WHERE job_id = ANY ($1)", kJobs);

}  // namespace

void give_up_keys(std::span<const std::int64_t> jobs) {
  if (jobs.empty()) return;
  pg::Sql sql;
  const Datum values[] = {pg::int8_array(jobs)};
  sql.run(delete_keys, values);
}

}  // namespace awa::receipt
