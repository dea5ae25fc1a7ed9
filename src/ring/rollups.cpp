#include "ring/rollups.hpp"

#include "pg/compat.hpp"
#include "pg/datum.hpp"
#include "pg/spi.hpp"

namespace awa::ring {

namespace {

constexpr Oid kGone[] = {INT4OID, TEXTOID, INT8OID, INT4OID};
constexpr Oid kSlot[] = {INT4OID};

constinit pg::Statement count_lane(R"sql(
  INSERT INTO awa.queue_terminal_rollups AS r (queue_id, priority, outcome, jobs, session)
  VALUES ($1 / 256, $1 % 256 / 64 + 1, $2, $3, $4)
  ON CONFLICT (queue_id, priority, outcome, session) DO UPDATE SET jobs = r.jobs + EXCLUDED.jobs)sql",
                                   kGone);

constinit pg::Statement roll_up(R"sql(
  INSERT INTO awa.queue_terminal_rollups AS r (queue_id, priority, outcome, jobs, session)
  SELECT lane_id / 256, lane_id % 256 / 64 + 1, outcome, count(*), 0
  FROM (SELECT lane_id, outcome FROM awa.done_entries WHERE ready_slot = $1
        UNION ALL
        SELECT lane_id, 'completed' FROM awa.compact_successes WHERE ready_slot = $1) ended
  GROUP BY 1, 2, 3
  ON CONFLICT (queue_id, priority, outcome, session) DO UPDATE SET jobs = r.jobs + EXCLUDED.jobs)sql",
                                kSlot);

}  // namespace

void count_gone(core::LaneId lane, std::string_view outcome, std::int64_t jobs) {
  const Datum values[] = {pg::datum(lane), pg::text_datum(outcome), pg::datum(jobs), pg::datum(pg::own_number())};
  pg::Sql().run(count_lane, values);
}

void count_slot(core::Slot slot) {
  const Datum values[] = {pg::datum(slot)};
  pg::Sql().run(roll_up, values);
}

}  // namespace awa::ring
