-- How the machinery stands: lanes, rings, duties.

CREATE VIEW awa.lane_status AS
SELECT q.queue, (b.lane_id >> 6 & 3) + 1 AS priority, b.lane_id & 63 AS shard,
       least(b.backlog, 2147483647)::int AS backlog_estimate, b.window_opened_at, c.pid AS claimer_pid,
       c.since AS claimer_since
FROM awa.lane_backlog() b
     JOIN awa.queues q ON q.queue_id = b.queue_id
     LEFT JOIN awa.lane_claimers() c ON c.lane_id = b.lane_id
WHERE b.has_frontier OR b.backlog > 0 OR c.pid IS NOT NULL;
COMMENT ON VIEW awa.lane_status IS 'lanes that hold or held jobs: what waits on them, and who is claiming from them';
COMMENT ON COLUMN awa.lane_status.queue IS 'name of the queue';
COMMENT ON COLUMN awa.lane_status.priority IS 'priority, 1..4, 1 first';
COMMENT ON COLUMN awa.lane_status.shard IS 'shard, 0..63';
COMMENT ON COLUMN awa.lane_status.backlog_estimate IS 'jobs waiting; an estimate, as available_estimate of queue_stats';
COMMENT ON COLUMN awa.lane_status.window_opened_at IS
    'when the window that claims work through was cut; null = none is open';
COMMENT ON COLUMN awa.lane_status.claimer_pid IS
    'process that holds the lane: a claim that is not committed, or maintenance; null = free';
COMMENT ON COLUMN awa.lane_status.claimer_since IS 'when the transaction that holds the lane began; null = free';

CREATE VIEW awa.ring_status AS
WITH leaves AS MATERIALIZED (
    SELECT p.partattrs, m[1]::int AS slot, c.oid, a.attname AS slot_column, pg_relation_size(c.oid) AS main_bytes
    FROM pg_partitioned_table p
         JOIN pg_class parent ON parent.oid = p.partrelid AND parent.relnamespace = 'awa'::regnamespace
         JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
         JOIN pg_inherits i ON i.inhparent = p.partrelid
         JOIN pg_class c ON c.oid = i.inhrelid
         CROSS JOIN LATERAL regexp_match(c.relname, '_(\d+)$') m
), contents AS (
    SELECT slot_column, slot, sum(pg_stat_get_live_tuples(oid))::bigint AS entries,
           sum(pg_total_relation_size(oid))::bigint AS bytes, bool_and(main_bytes = 0) AS empty, array_agg(oid) AS oids
    FROM leaves
    GROUP BY slot_column, slot
), rings AS (
    SELECT 'queue' AS ring, 'ready_slot' AS slot_column, s.slot, s.generation, s.opened_at, s.sealed_at,
           s.slot = g.last_value % 16 AS current, g.last_value
    FROM awa.queue_ring_slots s CROSS JOIN awa.queue_ring_generation g
    UNION ALL
    SELECT 'lease', 'lease_slot', s.slot, s.generation, s.opened_at, s.sealed_at, s.slot = g.last_value % 8,
           g.last_value
    FROM awa.lease_ring_slots s CROSS JOIN awa.lease_ring_generation g
    UNION ALL
    SELECT 'claim', 'claim_slot', s.slot, s.generation, s.opened_at, s.sealed_at, s.slot = g.last_value % 8,
           g.last_value
    FROM awa.claim_ring_slots s CROSS JOIN awa.claim_ring_generation g
)
SELECT r.ring, r.slot, CASE WHEN r.current THEN r.last_value ELSE r.generation END AS generation,
       CASE WHEN r.current THEN 'current' WHEN c.empty THEN 'empty' WHEN r.sealed_at IS NOT NULL THEN 'sealed'
           ELSE 'open' END AS state,
       c.entries, c.bytes, r.opened_at, r.sealed_at,
       CASE WHEN NOT r.current AND EXISTS (
                SELECT FROM pg_locks k
                WHERE k.locktype = 'relation' AND k.database =
                        (SELECT oid FROM pg_database WHERE datname = current_database())
                  AND k.relation = ANY (c.oids) AND k.mode = 'RowExclusiveLock' AND k.granted)
            THEN 'locked'
            WHEN NOT r.current AND NOT c.empty THEN awa.slot_obstacle(r.ring, r.slot) END AS obstacle
FROM rings r
     JOIN contents c ON c.slot_column = r.slot_column AND c.slot = r.slot;
COMMENT ON VIEW awa.ring_status IS 'slots of the three rings: what they hold, and whether they can be used again';
COMMENT ON COLUMN awa.ring_status.ring IS 'queue, lease or claim';
COMMENT ON COLUMN awa.ring_status.slot IS 'slot: 0..15 of the queue ring, 0..7 of the others';
COMMENT ON COLUMN awa.ring_status.generation IS
    'generation the slot was last opened for; null = never, or unknown after a restore';
COMMENT ON COLUMN awa.ring_status.state IS
'current: takes what is new; sealed: full of history or of what still waits; open: holds rows but has no seal; empty:
free';
COMMENT ON COLUMN awa.ring_status.entries IS
    'rows in all tables of the slot; an estimate of the statistics system, 0 after a crash';
COMMENT ON COLUMN awa.ring_status.bytes IS 'size of all tables of the slot, with indexes and toast';
COMMENT ON COLUMN awa.ring_status.opened_at IS 'when the slot was opened for what it holds; null = never, or it was emptied since';
COMMENT ON COLUMN awa.ring_status.sealed_at IS 'when the ring turned away from the slot; null = current, empty or open';
COMMENT ON COLUMN awa.ring_status.obstacle IS
'why a slot that is not current cannot be emptied at present, in the words of prune: locked (a transaction that wrote to
it has not ended), pending (entries that wait), open (attempts that run), history (ended jobs younger than
awa_ring.history_retention), failed (failed jobs that are kept), leases. The first that is cheap to see: pending and
open only while the evidence is small, 1 MB. null = nothing known; whether it can be emptied, prune finds out';

CREATE VIEW awa.duty_status AS
SELECT d.duty, m.last_run, m.last_outcome, m.last_duration, coalesce(m.affected_total, 0) AS affected_total,
       coalesce(m.failures, 0) AS failures, m.last_error, CASE WHEN NOT m.paused THEN m.next_due END AS next_due,
       coalesce(m.paused, false) AS paused
FROM unnest(awa.duty_names()) WITH ORDINALITY d(duty, place)
     LEFT JOIN awa.maintenance_state m ON m.duty = d.duty
ORDER BY d.place;
COMMENT ON VIEW awa.duty_status IS
'duties of maintenance, in the order in which they run: what they did, and how it went. Written when one begins to fail
and when it recovers, else once a minute: what is younger shows later';
COMMENT ON COLUMN awa.duty_status.duty IS 'name of the duty';
COMMENT ON COLUMN awa.duty_status.last_run IS
'when it last ran, up to a minute ago; null = it never did, or there never was a need';
COMMENT ON COLUMN awa.duty_status.last_outcome IS
'what came of it, a stable word: done, none (nothing to do), failed; of the rings what rotate and prune return';
COMMENT ON COLUMN awa.duty_status.last_duration IS 'how long it took';
COMMENT ON COLUMN awa.duty_status.affected_total IS
'jobs, attempts or slots it dealt with, ever; of a session that ended up to a minute may be missing';
COMMENT ON COLUMN awa.duty_status.failures IS 'failures in a row; 0 = the last run went well';
COMMENT ON COLUMN awa.duty_status.last_error IS
'last error, SQLSTATE and message; of long ago if failures is 0; null = none so far';
COMMENT ON COLUMN awa.duty_status.next_due IS
'when it looks again whether there is something to do, as known at last_run; after failures when it is tried again; null
= not known, or paused';
COMMENT ON COLUMN awa.duty_status.paused IS 'whether it is held by pause_maintenance';

CREATE VIEW awa.worker_status AS
SELECT w.pid, w.started_at, w.leads FROM awa.worker_sessions() w;
COMMENT ON VIEW awa.worker_status IS
'the background worker of this database; no row: there is none, or it has not begun yet. How its duties go: duty_status';
COMMENT ON COLUMN awa.worker_status.pid IS 'its process, as in pg_stat_activity';
COMMENT ON COLUMN awa.worker_status.started_at IS 'when it was started';
COMMENT ON COLUMN awa.worker_status.leads IS
'whether it does maintenance; false: somebody else does, it has just begun, or its library is of another version';
