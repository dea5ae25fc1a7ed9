-- Every job, in exactly one state.

-- One branch for each place a job can be in. The joins to entries are outer ones: a job shows even if its body were
-- lost.
CREATE VIEW awa.job_rows AS
SELECT e.job_id, e.lane_id >> 8 AS queue_id, 'available' AS state, (e.lane_id >> 6 & 3) + 1 AS priority, e.attempt,
       e.max_attempts, e.run_lease, e.kind, e.args, e.payload, e.created_at, e.run_at,
       NULL::timestamptz AS claimed_at, NULL::timestamptz AS finalized_at, NULL::timestamptz AS deadline_at,
       NULL::timestamptz AS heartbeat_at, NULL::jsonb AS progress, e.unique_key, e.unique_states,
       NULL::text AS outcome, NULL::jsonb AS result, e.ready_slot, NULL::bigint AS ready_generation, e.lane_seq
FROM awa.unspent_entries e
UNION ALL
SELECT r.job_id, r.lane_id >> 8, 'running', (r.lane_id >> 6 & 3) + 1, r.attempt, r.max_attempts, r.run_lease,
       e.kind, e.args, e.payload, e.created_at, e.run_at, r.claimed_at, NULL, r.deadline_at, a.heartbeat_at, a.progress,
       e.unique_key, e.unique_states, NULL, NULL, r.ready_slot, r.ready_generation, r.lane_seq
FROM awa.open_receipts r
     LEFT JOIN awa.ready_entries e ON e.ready_slot = r.ready_slot AND e.job_id = r.job_id AND e.lane_seq = r.lane_seq
     LEFT JOIN awa.attempt_state a ON a.job_id = r.job_id AND a.run_lease = r.run_lease
UNION ALL
SELECT l.job_id, l.lane_id >> 8, l.state, (l.lane_id >> 6 & 3) + 1, l.attempt, l.max_attempts, l.run_lease,
       l.kind, l.args, l.payload, l.created_at, l.run_at, l.claimed_at, NULL, l.deadline_at,
       greatest(l.heartbeat_at, a.heartbeat_at), a.progress, l.unique_key, l.unique_states, NULL, NULL,
       l.ready_slot, NULL, l.lane_seq
FROM awa.leases l
     LEFT JOIN awa.attempt_state a ON a.job_id = l.job_id AND a.run_lease = l.run_lease
UNION ALL
SELECT d.job_id, d.queue_id, d.state, d.priority, d.attempt, d.max_attempts, d.run_lease, d.kind, d.args, d.payload,
       d.created_at, d.run_at, NULL, d.finalized_at, NULL, NULL, NULL, d.unique_key, d.unique_states, NULL, NULL,
       NULL, NULL, NULL
FROM awa.deferred_jobs d
UNION ALL
SELECT s.job_id, s.lane_id >> 8, 'completed', (s.lane_id >> 6 & 3) + 1, s.attempt, e.max_attempts, s.run_lease,
       e.kind, e.args, e.payload, e.created_at, e.run_at, s.claimed_at, s.finalized_at, NULL, NULL, NULL,
       e.unique_key, e.unique_states, 'completed', NULL, s.ready_slot, s.ready_generation, s.lane_seq
FROM awa.compact_successes s
     LEFT JOIN awa.ready_entries e ON e.ready_slot = s.ready_slot AND e.job_id = s.job_id AND e.lane_seq = s.lane_seq
UNION ALL
SELECT d.job_id, d.lane_id >> 8, d.state, (d.lane_id >> 6 & 3) + 1, d.attempt, coalesce(d.max_attempts, e.max_attempts),
       d.run_lease, coalesce(d.kind, e.kind), coalesce(d.args, e.args), coalesce(d.payload, e.payload),
       coalesce(d.created_at, e.created_at), coalesce(d.run_at, e.run_at), d.claimed_at, d.finalized_at, NULL, NULL,
       NULL, coalesce(d.unique_key, e.unique_key), coalesce(d.unique_states, e.unique_states), d.outcome, d.result,
       d.ready_slot, s.generation, d.lane_seq
FROM awa.done_entries d
     LEFT JOIN awa.ready_entries e
         ON d.kind IS NULL AND e.ready_slot = d.ready_slot AND e.job_id = d.job_id AND e.lane_seq = d.lane_seq
     LEFT JOIN awa.queue_ring_slots s ON s.slot = d.ready_slot
UNION ALL
SELECT f.job_id, f.queue_id, 'failed', f.priority, f.attempt, f.max_attempts, f.run_lease, f.kind, f.args, f.payload,
       f.created_at, f.run_at, NULL, f.finalized_at, NULL, NULL, NULL, f.unique_key, f.unique_states, f.outcome, NULL,
       NULL, NULL, NULL
FROM awa.failed_history f
UNION ALL
SELECT d.job_id, d.queue_id, 'dead_letter', d.priority, d.attempt, d.max_attempts, d.run_lease, d.kind, d.args,
       d.payload, d.created_at, d.run_at, NULL, d.dlq_at, NULL, NULL, NULL, d.unique_key, d.unique_states,
       d.dlq_reason, NULL, NULL, NULL, NULL
FROM awa.dlq_entries d;
COMMENT ON VIEW awa.job_rows IS
    'internal: every job, with its payload as stored; jobs and terminal_jobs are made of it';

CREATE VIEW awa.jobs AS
SELECT j.job_id, q.queue, j.kind, j.state, j.priority, j.attempt::int AS attempt, j.max_attempts::int AS max_attempts,
       j.run_lease, j.args, coalesce(j.payload -> 'metadata', '{}') AS metadata,
       CASE WHEN j.payload ? 'tags' THEN ARRAY(SELECT jsonb_array_elements_text(j.payload -> 'tags'))
           ELSE '{}' END AS tags,
       j.created_at, j.run_at, j.claimed_at, j.finalized_at, j.deadline_at, j.heartbeat_at,
       coalesce(j.progress, j.payload -> 'progress') AS progress, j.payload #>> '{errors,-1,error}' AS last_error,
       j.unique_key
FROM awa.job_rows j
     LEFT JOIN awa.queues q ON q.queue_id = j.queue_id;
COMMENT ON VIEW awa.jobs IS
'every job that exists and was not pruned, once, in its state. Reads all evidence: for one job use load_job, for numbers
queue_counts. A transaction whose snapshot is older than a prune can miss jobs that were moved out of the pruned slot.';

CREATE VIEW awa.terminal_jobs AS
SELECT j.job_id, q.queue, j.kind, j.state, j.priority, j.attempt::int AS attempt, j.max_attempts::int AS max_attempts,
       j.run_lease, j.args, coalesce(j.payload -> 'metadata', '{}') AS metadata,
       CASE WHEN j.payload ? 'tags' THEN ARRAY(SELECT jsonb_array_elements_text(j.payload -> 'tags'))
           ELSE '{}' END AS tags,
       j.created_at, j.run_at, j.claimed_at, j.finalized_at, j.deadline_at, j.heartbeat_at,
       coalesce(j.progress, j.payload -> 'progress') AS progress, j.payload #>> '{errors,-1,error}' AS last_error,
       j.unique_key, j.outcome, j.result, j.ready_slot, j.ready_generation, j.lane_seq
FROM awa.job_rows j
     LEFT JOIN awa.queues q ON q.queue_id = j.queue_id
WHERE j.state IN ('completed', 'failed', 'cancelled', 'dead_letter');
COMMENT ON VIEW awa.terminal_jobs IS
'jobs that ended and were not pruned: completed and cancelled ones for awa_ring.history_retention at least, failed
ones and dead letters for the retention of their queue.';

DO $$
DECLARE
    target text;
    col    record;
BEGIN
    FOREACH target IN ARRAY ARRAY['job_rows', 'jobs', 'terminal_jobs'] LOOP
        FOR col IN
            SELECT m.name, m.meaning
            FROM (VALUES
                ('job_id', 'the job'),
                ('queue_id', 'its queue'),
                ('queue', 'name of its queue; a dropped queue keeps its name here'),
                ('kind', 'what the job is'),
                ('state', 'scheduled, available, running, waiting_external, retryable, or an end: completed, failed,'
                          ' cancelled, dead_letter'),
                ('priority', 'priority of its lane, 1..4, 1 first; aging does not change it'),
                ('attempt', 'attempts begun so far, the running one included; 0 = none yet'),
                ('max_attempts', 'attempts allowed'),
                ('run_lease', 'rises by one at each claim; 0 = never claimed'),
                ('args', 'arguments for the worker'),
                ('payload', 'metadata, tags, errors, progress, callback_result; null = none of them'),
                ('metadata', 'metadata given at enqueue; {} = none'),
                ('tags', 'tags given at enqueue; empty = none'),
                ('created_at', 'when it was first enqueued'),
                ('run_at', 'when it is, or last became, due'),
                ('claimed_at', 'when the attempt that runs, or ended it, was claimed; null = none, or not kept'),
                ('finalized_at', 'when it ended; of a retryable job when its last attempt ended; null = not yet'),
                ('deadline_at', 'when the running attempt is rescued; null = not running, or no deadline'),
                ('heartbeat_at', 'last heartbeat of the running attempt; null = none'),
                ('progress', 'what a worker last reported; null = nothing'),
                ('last_error', 'text of the last error; null = none'),
                ('unique_key', 'unique key within the queue; null = none'),
                ('unique_states', 'states in which unique_key is held, as bits'),
                ('outcome', 'how it came to its state: an outcome of an attempt, or the reason of a dead letter'),
                ('result', 'what the worker returned; null = nothing'),
                ('ready_slot', 'slot of the queue ring that keeps the history; null = kept outside the ring'),
                ('ready_generation', 'generation of that slot; null = outside the ring, or unknown after a restore'),
                ('lane_seq', 'position of the last entry on its lane; null = kept outside the ring')
            ) m(name, meaning)
            WHERE EXISTS (SELECT FROM pg_attribute a
                          WHERE a.attrelid = format('awa.%I', target)::regclass AND a.attname = m.name)
        LOOP
            EXECUTE format('COMMENT ON COLUMN awa.%I.%I IS %L', target, col.name, col.meaning);
        END LOOP;
    END LOOP;
END $$;
