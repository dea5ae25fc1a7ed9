-- Looking: one job, exact numbers, queues. Exact means: first the leaves are locked against prune, then a fresh
-- snapshot is taken, and one statement reads everything; so nothing is met twice or missed while it moves.

CREATE FUNCTION awa.lock_for_reading() RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    LOCK TABLE awa.ready_entries, awa.ready_tombstones, awa.ready_claim_attempt_batches, awa.receipt_completion_batches,
        awa.receipt_completion_tombstones, awa.done_entries, awa.lease_claim_batches, awa.lease_claims,
        awa.lease_claim_closures, awa.lease_claim_closure_batches, awa.lane_frontiers, awa.leases, awa.attempt_state,
        awa.deferred_jobs, awa.job_unique_claims, awa.dlq_entries, awa.failed_history IN ACCESS SHARE MODE;
END $$;
COMMENT ON FUNCTION awa.lock_for_reading() IS
'internal: keeps every leaf from being emptied until the transaction ends. Whoever wants exact rows calls it in one
statement and reads in a later one, which in READ COMMITTED has a fresh snapshot.';

CREATE TYPE awa.job AS (
    job_id bigint, queue text, kind text, state text, priority int, attempt int, max_attempts int, run_lease bigint,
    args jsonb, metadata jsonb, tags text[], created_at timestamptz, run_at timestamptz, claimed_at timestamptz,
    finalized_at timestamptz, deadline_at timestamptz, heartbeat_at timestamptz, progress jsonb, last_error text,
    unique_key text, errors jsonb, result jsonb, outcome text
);
COMMENT ON TYPE awa.job IS
    'a job as load_job returns it: the columns of the view jobs, then errors (array, oldest first), result and outcome';

-- The branches are tried in turn and the first that yields a row ends the query; the costly ones come last.
CREATE FUNCTION awa.load_job(job_id bigint) RETURNS SETOF awa.job
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 1 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    IF load_job.job_id IS NULL THEN
        RAISE EXCEPTION 'job_id must not be null' USING ERRCODE = '22004', HINT = 'Give the id that enqueue returned.';
    END IF;
    PERFORM awa.lock_for_reading();
    RETURN QUERY
    WITH entries AS MATERIALIZED (
        SELECT e.* FROM awa.ready_entries e WHERE e.job_id = load_job.job_id
    ), emitted AS MATERIALIZED (
        SELECT e.ready_slot, e.lane_seq, a.batch_id, a.claim_slot, a.claimed_count
        FROM entries e
             JOIN awa.ready_claim_attempt_batches a ON a.ready_slot = e.ready_slot AND a.lane_id = e.lane_id
                 AND e.lane_seq BETWEEN a.first_seq AND a.last_seq AND a.lane_ranges @> e.lane_seq
    ), found AS (
        SELECT d.queue_id, d.state, d.priority, d.attempt, d.max_attempts, d.run_lease, d.kind, d.args, d.payload,
               d.created_at, d.run_at, NULL::timestamptz AS claimed_at, d.finalized_at,
               NULL::timestamptz AS deadline_at, NULL::timestamptz AS heartbeat_at, d.unique_key,
               NULL::text AS outcome, NULL::jsonb AS result
        FROM awa.deferred_jobs d WHERE d.job_id = load_job.job_id
        UNION ALL
        SELECT d.queue_id, 'dead_letter', d.priority, d.attempt, d.max_attempts, d.run_lease, d.kind, d.args, d.payload,
               d.created_at, d.run_at, NULL, d.dlq_at, NULL, NULL, d.unique_key, d.dlq_reason, NULL
        FROM awa.dlq_entries d WHERE d.job_id = load_job.job_id
        UNION ALL
        SELECT f.queue_id, 'failed', f.priority, f.attempt, f.max_attempts, f.run_lease, f.kind, f.args, f.payload,
               f.created_at, f.run_at, NULL, f.finalized_at, NULL, NULL, f.unique_key, f.outcome, NULL
        FROM awa.failed_history f WHERE f.job_id = load_job.job_id
        UNION ALL
        SELECT l.lane_id >> 8, l.state, (l.lane_id >> 6 & 3) + 1, l.attempt, l.max_attempts, l.run_lease, l.kind,
               l.args, l.payload, l.created_at, l.run_at, l.claimed_at, NULL, l.deadline_at, l.heartbeat_at,
               l.unique_key, NULL, NULL
        FROM generate_series(0, 7) s(slot)
             JOIN awa.leases l ON l.lease_slot = s.slot AND l.job_id = load_job.job_id
        UNION ALL
        SELECT d.lane_id >> 8, d.state, (d.lane_id >> 6 & 3) + 1, d.attempt, coalesce(d.max_attempts, e.max_attempts),
               d.run_lease, coalesce(d.kind, e.kind), coalesce(d.args, e.args), coalesce(d.payload, e.payload),
               coalesce(d.created_at, e.created_at), coalesce(d.run_at, e.run_at), d.claimed_at, d.finalized_at, NULL,
               NULL, coalesce(d.unique_key, e.unique_key), d.outcome, d.result
        FROM generate_series(0, 15) s(slot)
             JOIN awa.done_entries d ON d.ready_slot = s.slot AND d.job_id = load_job.job_id
             LEFT JOIN entries e ON d.kind IS NULL AND e.ready_slot = d.ready_slot AND e.lane_seq = d.lane_seq
        UNION ALL
        SELECT e.lane_id >> 8, 'available', (e.lane_id >> 6 & 3) + 1, e.attempt, e.max_attempts, e.run_lease, e.kind,
               e.args, e.payload, e.created_at, e.run_at, NULL, NULL, NULL, NULL, e.unique_key, NULL, NULL
        FROM entries e
        WHERE NOT EXISTS (SELECT FROM emitted m WHERE m.ready_slot = e.ready_slot AND m.lane_seq = e.lane_seq)
          AND NOT EXISTS (SELECT FROM awa.ready_tombstones t
                          WHERE t.ready_slot = e.ready_slot AND t.lane_id = e.lane_id AND t.lane_seq = e.lane_seq)
        UNION ALL
        SELECT e.lane_id >> 8, 'running', (e.lane_id >> 6 & 3) + 1, b.attempts[p.place], e.max_attempts,
               b.run_leases[p.place], e.kind, e.args, e.payload, e.created_at, e.run_at, b.claimed_at, NULL,
                   b.deadline_at, NULL, e.unique_key, NULL, NULL
        FROM emitted m
             JOIN entries e ON e.ready_slot = m.ready_slot AND e.lane_seq = m.lane_seq
             JOIN awa.lease_claim_batches b ON b.claim_slot = m.claim_slot AND b.batch_id = m.batch_id
             CROSS JOIN LATERAL array_position(b.job_ids, load_job.job_id) AS p(place)
        WHERE b.lane_seqs[p.place] = m.lane_seq
          AND NOT EXISTS (SELECT FROM awa.lease_claim_closure_batches x
                          WHERE x.claim_slot = b.claim_slot AND x.batch_id = b.batch_id + p.place - 1)
          AND NOT EXISTS (SELECT FROM awa.lease_claim_closure_batches x
                          WHERE x.claim_slot = b.claim_slot AND x.claim_batch_id = b.batch_id AND x.closed_count > 1
                            AND x.receipt_ranges @> (b.batch_id + p.place - 1))
        UNION ALL
        SELECT e.lane_id >> 8, 'running', (e.lane_id >> 6 & 3) + 1, c.attempt, e.max_attempts, c.run_lease, e.kind,
               e.args, e.payload, e.created_at, e.run_at, c.claimed_at, NULL, c.deadline_at, NULL, e.unique_key, NULL,
                   NULL
        FROM emitted m
             JOIN entries e ON e.ready_slot = m.ready_slot AND e.lane_seq = m.lane_seq
             JOIN awa.lease_claims c ON c.claim_slot = m.claim_slot AND c.receipt_id >= m.batch_id
                 AND c.receipt_id < m.batch_id + m.claimed_count
                 AND c.job_id = load_job.job_id AND c.lane_seq = m.lane_seq
        WHERE NOT EXISTS (SELECT FROM awa.lease_claim_closures x
                          WHERE x.claim_slot = c.claim_slot AND x.receipt_id = c.receipt_id)
        UNION ALL
        SELECT e.lane_id >> 8, 'completed', (e.lane_id >> 6 & 3) + 1, b.attempts[p.place], e.max_attempts,
               b.run_leases[p.place], e.kind, e.args, e.payload, e.created_at, e.run_at, b.claimed_at[p.place],
               b.finalized_at, NULL, NULL, e.unique_key, 'completed', NULL
        FROM emitted m
             JOIN entries e ON e.ready_slot = m.ready_slot AND e.lane_seq = m.lane_seq
             JOIN awa.receipt_completion_batches b ON b.ready_slot = e.ready_slot AND b.lane_id = e.lane_id
             CROSS JOIN LATERAL array_position(b.lane_seqs, m.lane_seq) AS p(place)
        WHERE b.job_ids[p.place] = load_job.job_id
          AND NOT EXISTS (SELECT FROM awa.receipt_completion_tombstones t
                          WHERE t.ready_slot = b.ready_slot AND t.job_id = load_job.job_id
                            AND t.run_lease = b.run_leases[p.place])
        LIMIT 1
    )
    SELECT load_job.job_id, q.queue, f.kind, f.state, f.priority, f.attempt::int, f.max_attempts::int, f.run_lease,
           f.args, coalesce(f.payload -> 'metadata', '{}'),
           CASE WHEN f.payload ? 'tags' THEN ARRAY(SELECT jsonb_array_elements_text(f.payload -> 'tags')) ELSE '{}' END,
           f.created_at, f.run_at, f.claimed_at, f.finalized_at, f.deadline_at,
           greatest(f.heartbeat_at, a.heartbeat_at),
           CASE WHEN f.state <> 'completed' THEN coalesce(a.progress, f.payload -> 'progress') END,
           f.payload #>> '{errors,-1,error}', f.unique_key, coalesce(f.payload -> 'errors', '[]'), f.result, f.outcome
    FROM found f
         LEFT JOIN awa.queues q ON q.queue_id = f.queue_id
         LEFT JOIN awa.attempt_state a ON a.job_id = load_job.job_id AND a.run_lease = f.run_lease
             AND f.state IN ('running', 'waiting_external');
END $$;
COMMENT ON FUNCTION awa.load_job(bigint) IS
$$The job, as one row: the columns of the view jobs, its errors (array, oldest first), result and outcome. No row:
there never was such a job, or it was pruned or deleted. In READ COMMITTED the row is current and exact. In REPEATABLE
READ and SERIALIZABLE it is as old as the transaction's snapshot, but for what the transaction itself claimed or
completed: of a job claimed from what came after the snapshot there is no row, or one from its past.
Errors: 22004 null job_id.$$;

CREATE FUNCTION awa.queue_counts(
    queue text, OUT scheduled int, OUT available int, OUT running int, OUT waiting_external int, OUT retryable int,
    OUT completed int, OUT failed int, OUT cancelled int, OUT dead_letter int)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    id    int;
    first int;
    last  int;
BEGIN
    IF queue_counts.queue IS NULL THEN
        RAISE EXCEPTION 'queue must not be null' USING ERRCODE = '22004', HINT = 'Give the name of a queue.';
    END IF;
    SELECT q.queue_id, q.queue_id * 256, q.queue_id * 256 + 255 INTO id, first, last
    FROM awa.queues q WHERE q.queue = queue_counts.queue AND q.dropped_at IS NULL;
    IF id IS NULL THEN
        RAISE EXCEPTION 'queue "%" does not exist', queue_counts.queue USING ERRCODE = '42704',
            HINT = 'Create it with awa.create_queue().';
    END IF;
    PERFORM awa.lock_for_reading();
    SELECT d.scheduled, a.jobs, coalesce(c.jobs, 0) + r.jobs + l.running, l.waiting, d.retryable,
           coalesce(s.jobs, 0) - t.jobs + e.completed, e.failed + f.jobs, e.cancelled, x.jobs
    INTO scheduled, available, running, waiting_external, retryable, completed, failed, cancelled, dead_letter
    FROM (SELECT count(*) FILTER (WHERE state = 'scheduled') AS scheduled,
                 count(*) FILTER (WHERE state = 'retryable') AS retryable
          FROM awa.deferred_jobs WHERE queue_id = id) d,
         (SELECT count(*) AS jobs
          FROM awa.ready_entries e
               LEFT JOIN (SELECT p.ready_slot, p.lane_id, range_agg(p.positions) AS positions
                          FROM (SELECT ready_slot, lane_id, lane_ranges AS positions
                                FROM awa.ready_claim_attempt_batches WHERE lane_id BETWEEN first AND last
                                UNION ALL
                                SELECT ready_slot, lane_id, int8multirange(int8range(lane_seq, lane_seq, '[]'))
                                FROM awa.ready_tombstones WHERE lane_id BETWEEN first AND last) p
                          GROUP BY p.ready_slot, p.lane_id) s ON s.ready_slot = e.ready_slot AND s.lane_id = e.lane_id
          WHERE e.lane_id BETWEEN first AND last AND (s.positions IS NULL OR NOT s.positions @> e.lane_seq)) a,
         (SELECT sum((SELECT sum(upper(r) - lower(r))
                      FROM unnest(b.receipt_ranges - coalesce(x.receipts, '{}')) r)) AS jobs
          FROM awa.lease_claim_batches b
               LEFT JOIN awa.closed_receipts x ON x.claim_slot = b.claim_slot AND x.claim_batch_id = b.batch_id
          WHERE b.lane_id BETWEEN first AND last) c,
         (SELECT count(*) AS jobs FROM awa.lease_claims c
          WHERE c.lane_id BETWEEN first AND last
            AND NOT EXISTS (SELECT FROM awa.lease_claim_closures x
                            WHERE x.claim_slot = c.claim_slot AND x.receipt_id = c.receipt_id)) r,
         (SELECT count(*) FILTER (WHERE state = 'running') AS running,
                 count(*) FILTER (WHERE state = 'waiting_external') AS waiting
          FROM awa.leases WHERE lane_id BETWEEN first AND last) l,
         (SELECT sum(completed_count) AS jobs
          FROM awa.receipt_completion_batches WHERE lane_id BETWEEN first AND last) s,
         (SELECT count(*) AS jobs
          FROM awa.receipt_completion_tombstones t
               JOIN awa.receipt_completion_batches b ON b.ready_slot = t.ready_slot AND b.lane_id = t.lane_id
                   AND t.lane_seq = ANY (b.lane_seqs)
          WHERE t.lane_id BETWEEN first AND last) t,
         (SELECT count(*) FILTER (WHERE state = 'completed') AS completed,
                 count(*) FILTER (WHERE state = 'failed') AS failed,
                 count(*) FILTER (WHERE state = 'cancelled') AS cancelled
          FROM awa.done_entries WHERE lane_id BETWEEN first AND last) e,
         (SELECT count(*) AS jobs FROM awa.failed_history WHERE queue_id = id) f,
         (SELECT count(*) AS jobs FROM awa.dlq_entries WHERE queue_id = id) x;
END $$;
COMMENT ON FUNCTION awa.queue_counts(text) IS
$$How many jobs of a queue are in each state, exactly and at one moment, as one row; history that was pruned does not
count. It reads the evidence of the whole queue: for dashboards use queue_stats. In READ COMMITTED the numbers are
current. In REPEATABLE READ and SERIALIZABLE they are as old as the transaction's snapshot, but for what the transaction
itself claimed or completed: a job it claimed from what came after the snapshot can count twice or not at all, and jobs
that a prune moved since may be missing. Errors: 22004 null, 42704 unknown queue.$$;

CREATE FUNCTION awa.list_queues()
RETURNS TABLE (
    queue text, enqueue_shards int, max_attempts int, deadline interval, stale_after interval, aging interval,
    backoff_base interval, backoff_cap interval, dead_letter boolean, notify boolean, failed_retention interval,
    dead_letter_retention interval, paused_at timestamptz, created_at timestamptz, shards_used int, channel text
)
    LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT q.queue, q.enqueue_shards, q.max_attempts, q.deadline, q.stale_after, q.aging, q.backoff_base, q.backoff_cap,
           q.dead_letter, q.notify, q.failed_retention, q.dead_letter_retention, q.paused_at, q.created_at,
           q.shards_used, 'awa:' || q.queue_id
    FROM awa.queues q WHERE q.dropped_at IS NULL ORDER BY q.queue
$$;
COMMENT ON FUNCTION awa.list_queues() IS
$$The queues in use, by name, with their settings (see create_queue). deadline, aging: null = none. paused_at: null =
not paused. shards_used: the greatest enqueue_shards it ever had: so many lanes a priority are looked at by claims.
channel: the name to LISTEN on, see the function channel.$$;

CREATE FUNCTION awa.lane_claimers() RETURNS TABLE (lane_id int, pid int, since timestamptz)
    LANGUAGE sql VOLATILE PARALLEL RESTRICTED ROWS 10 SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT k.objid::int, k.pid, a.xact_start
    FROM pg_locks k
         LEFT JOIN pg_stat_activity a ON a.pid = k.pid
    WHERE k.locktype = 'advisory' AND k.objsubid = 101 AND k.classid = 0 AND k.granted AND k.mode = 'ExclusiveLock'
      AND k.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
$$;
COMMENT ON FUNCTION awa.lane_claimers() IS
'internal, for lane_status: who holds a lane, and since when its transaction runs; pg_stat_activity shows that to few';
