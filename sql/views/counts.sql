-- Numbers that are cheap to have (functions/counting.sql).

CREATE VIEW awa.queue_stats AS
SELECT q.queue, q.paused_at IS NOT NULL AS paused, least(b.backlog, 2147483647)::int AS available_estimate,
       w.scheduled, w.retryable, w.dead_letters, b.oldest_at AS oldest_available, b.claimed_total,
       coalesce(s.completed, 0) AS completed_total
FROM awa.queues q
     JOIN (SELECT queue_id, sum(backlog) AS backlog, min(oldest_at) AS oldest_at,
         sum(claimed_total)::bigint AS claimed_total
           FROM awa.lane_backlog() GROUP BY queue_id) b ON b.queue_id = q.queue_id
     JOIN awa.queue_backlog() w ON w.queue_id = q.queue_id
     LEFT JOIN awa.queue_successes() s ON s.queue_id = q.queue_id
WHERE q.dropped_at IS NULL;
COMMENT ON VIEW awa.queue_stats IS
'one row for each queue in use: cheap numbers for dashboards, never reading a claim. For exact ones see queue_counts.';
COMMENT ON COLUMN awa.queue_stats.queue IS 'name of the queue';
COMMENT ON COLUMN awa.queue_stats.paused IS 'whether claims return nothing at present';
COMMENT ON COLUMN awa.queue_stats.available_estimate IS
'jobs that wait to be claimed: those after the frontier of each lane, counted up to 10,000 a lane and slot, and
extrapolated from the range of their positions beyond that. Without a frontier (never claimed, or rebuilt) claimed
jobs count as well.';
COMMENT ON COLUMN awa.queue_stats.scheduled IS
'jobs that wait for a given time: their run_at, or the end of a snooze; beyond 10,000 deferred jobs scheduled and
retryable are told apart by the share of those looked at, their sum stays exact';
COMMENT ON COLUMN awa.queue_stats.retryable IS
    'jobs that wait for their next attempt after one that failed; see scheduled';
COMMENT ON COLUMN awa.queue_stats.dead_letters IS 'jobs that wait for a person';
COMMENT ON COLUMN awa.queue_stats.oldest_available IS
'when the oldest waiting job became due; of a long backlog, the oldest of the first 10,000 a lane and slot; null =
none waits';
COMMENT ON COLUMN awa.queue_stats.claimed_total IS
    'attempts handed out, as the frontiers count; starts over when frontiers are lost (restore)';
COMMENT ON COLUMN awa.queue_stats.completed_total IS 'jobs completed so far, what was pruned included';
