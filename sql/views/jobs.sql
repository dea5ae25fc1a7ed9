-- Every job, in exactly one state.

-- One branch for each place a job can be in, with the state as a constant wherever it is one: a query for other states
-- does not read there.
CREATE VIEW awa.job_rows AS
SELECT r.job_id, r.lane_id >> 8 AS queue_id, 'available' AS state, (r.lane_id >> 6 & 3) + 1 AS priority, r.attempt,
       r.max_attempts, r.run_lease, r.kind, r.args, r.payload, r.created_at, r.run_at, r.claimed_at, r.finalized_at,
       r.deadline_at, r.heartbeat_at, r.progress, r.unique_key, r.unique_states, r.outcome, r.result, r.ready_slot,
       r.ready_generation, r.lane_seq
FROM awa.ring_jobs('available') r
UNION ALL
SELECT r.job_id, r.lane_id >> 8, 'running', (r.lane_id >> 6 & 3) + 1, r.attempt, r.max_attempts, r.run_lease, r.kind,
       r.args, r.payload, r.created_at, r.run_at, r.claimed_at, r.finalized_at, r.deadline_at, r.heartbeat_at,
       r.progress, r.unique_key, r.unique_states, r.outcome, r.result, r.ready_slot, r.ready_generation, r.lane_seq
FROM awa.ring_jobs('running') r
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
SELECT r.job_id, r.lane_id >> 8, 'completed', (r.lane_id >> 6 & 3) + 1, r.attempt, r.max_attempts, r.run_lease, r.kind,
       r.args, r.payload, r.created_at, r.run_at, r.claimed_at, r.finalized_at, r.deadline_at, r.heartbeat_at,
       r.progress, r.unique_key, r.unique_states, r.outcome, r.result, r.ready_slot, r.ready_generation, r.lane_seq
FROM awa.ring_jobs('success') r
UNION ALL
SELECT r.job_id, r.lane_id >> 8, r.state, (r.lane_id >> 6 & 3) + 1, r.attempt, r.max_attempts, r.run_lease, r.kind,
       r.args, r.payload, r.created_at, r.run_at, r.claimed_at, r.finalized_at, r.deadline_at, r.heartbeat_at,
       r.progress, r.unique_key, r.unique_states, r.outcome, r.result, r.ready_slot, r.ready_generation, r.lane_seq
FROM awa.ring_jobs('done') r
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
       CASE WHEN j.state <> 'completed' THEN coalesce(j.progress, j.payload -> 'progress') END AS progress, j.payload #>> '{errors,-1,error}' AS last_error,
       j.unique_key
FROM awa.job_rows j
     LEFT JOIN awa.queues q ON q.queue_id = j.queue_id;
COMMENT ON VIEW awa.jobs IS
'every job that exists and was not pruned, once, in its state. Reads all evidence: for one job use load_job, for numbers
queue_counts. A statement sees what was committed when it began; in REPEATABLE READ and SERIALIZABLE, when the
transaction''s snapshot was taken. What the transaction itself claimed or completed shows in any case, so that with such
an old snapshot a job claimed from what came later can show in two states, or without its kind and arguments; and jobs
that a prune moved since can be missing.';

CREATE VIEW awa.terminal_jobs AS
SELECT j.job_id, q.queue, j.kind, j.state, j.priority, j.attempt::int AS attempt, j.max_attempts::int AS max_attempts,
       j.run_lease, j.args, coalesce(j.payload -> 'metadata', '{}') AS metadata,
       CASE WHEN j.payload ? 'tags' THEN ARRAY(SELECT jsonb_array_elements_text(j.payload -> 'tags'))
           ELSE '{}' END AS tags,
       j.created_at, j.run_at, j.claimed_at, j.finalized_at, j.deadline_at, j.heartbeat_at,
       CASE WHEN j.state <> 'completed' THEN coalesce(j.progress, j.payload -> 'progress') END AS progress, j.payload #>> '{errors,-1,error}' AS last_error,
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
    FOREACH target IN ARRAY ARRAY['ring_job_rows', 'job_rows', 'jobs', 'terminal_jobs'] LOOP
        FOR col IN
            SELECT m.name, m.meaning
            FROM (VALUES
                ('part', 'where in the rings: available, running, success (compact history) or done'),
                ('job_id', 'the job; ids are neither dense nor in the order of enqueueing'),
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
                ('progress', 'what a worker last reported; null = nothing, or the job is completed'),
                ('last_error', 'text of the last error; null = none'),
                ('unique_key', 'unique key within the queue; null = none'),
                ('unique_states', 'states in which unique_key is held, as bits'),
                ('outcome', 'how it came to its state: an outcome of an attempt, or the reason of a dead letter'),
                ('result', 'what the worker returned; null = nothing'),
                ('ready_slot', 'slot of the queue ring that keeps the history; null = kept outside the ring'),
                ('ready_generation', 'generation of that slot; null = outside the ring, or unknown after a restore'),
                ('lane_seq', 'position of the last entry on its lane; null = kept outside the ring'),
                ('lane_id', 'lane of the last entry'),
                ('shape', 'of an open attempt: compact (member of a claim batch) or row (a claim of its own)'),
                ('claim_slot', 'of an open attempt: slot of the claim ring'),
                ('batch_id', 'of an open attempt: claim batch; of a row-local claim the receipt itself'),
                ('receipt_id', 'of an open attempt: the receipt'),
                ('fence', 'of an open attempt: fence of the claim')
            ) m(name, meaning)
            WHERE EXISTS (SELECT FROM pg_attribute a
                          WHERE a.attrelid = format('awa.%I', target)::regclass AND a.attname = m.name)
        LOOP
            EXECUTE format('COMMENT ON COLUMN awa.%I.%I IS %L', target, col.name, col.meaning);
        END LOOP;
    END LOOP;
END $$;
