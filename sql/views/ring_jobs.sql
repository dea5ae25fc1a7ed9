-- Jobs that are in the rings: they wait, run, or ended there.

-- The joins to entries are outer ones: a job shows even if its body were lost.
CREATE VIEW awa.ring_job_rows AS
SELECT 'available' AS part, e.job_id, e.lane_id, 'available' AS state, e.attempt, e.max_attempts, e.run_lease, e.kind,
       e.args, e.payload, e.created_at, e.run_at, NULL::timestamptz AS claimed_at, NULL::timestamptz AS finalized_at,
       NULL::timestamptz AS deadline_at, NULL::timestamptz AS heartbeat_at, NULL::jsonb AS progress, e.unique_key,
       e.unique_states, NULL::text AS outcome, NULL::jsonb AS result, e.ready_slot, NULL::bigint AS ready_generation,
       e.lane_seq, NULL::text AS shape, NULL::int AS claim_slot, NULL::bigint AS batch_id, NULL::bigint AS receipt_id,
       NULL::bigint AS fence
FROM awa.unspent_entries e
UNION ALL
SELECT 'running', r.job_id, r.lane_id, 'running', r.attempt, r.max_attempts, r.run_lease, e.kind, e.args, e.payload,
       e.created_at, e.run_at, r.claimed_at, NULL, r.deadline_at, a.heartbeat_at, a.progress, e.unique_key,
       e.unique_states, NULL, NULL, r.ready_slot, r.ready_generation, r.lane_seq, r.shape, r.claim_slot, r.batch_id,
       r.receipt_id, r.fence
FROM awa.open_receipts r
     LEFT JOIN awa.ready_entries e
         ON e.ready_slot = r.ready_slot AND e.job_id = r.job_id AND e.lane_seq = r.lane_seq AND e.lane_id = r.lane_id
     LEFT JOIN awa.attempt_state a ON a.job_id = r.job_id AND a.run_lease = r.run_lease
UNION ALL
SELECT 'success', s.job_id, s.lane_id, 'completed', s.attempt, e.max_attempts, s.run_lease, e.kind, e.args, e.payload,
       e.created_at, e.run_at, s.claimed_at, s.finalized_at, NULL, NULL, NULL, e.unique_key, e.unique_states,
       'completed', NULL, s.ready_slot, s.ready_generation, s.lane_seq, NULL, NULL, NULL, NULL, NULL
FROM awa.compact_successes s
     LEFT JOIN awa.ready_entries e
         ON e.ready_slot = s.ready_slot AND e.job_id = s.job_id AND e.lane_seq = s.lane_seq AND e.lane_id = s.lane_id
UNION ALL
SELECT 'done', d.job_id, d.lane_id, d.state, d.attempt, coalesce(d.max_attempts, e.max_attempts), d.run_lease,
       coalesce(d.kind, e.kind), coalesce(d.args, e.args), coalesce(d.payload, e.payload),
       coalesce(d.created_at, e.created_at), coalesce(d.run_at, e.run_at), d.claimed_at, d.finalized_at, NULL, NULL,
       NULL, coalesce(d.unique_key, e.unique_key), coalesce(d.unique_states, e.unique_states), d.outcome, d.result,
       d.ready_slot, s.generation, d.lane_seq, NULL, NULL, NULL, NULL, NULL
FROM awa.done_entries d
     LEFT JOIN awa.ready_entries e ON d.kind IS NULL AND e.ready_slot = d.ready_slot AND e.job_id = d.job_id
         AND e.lane_seq = d.lane_seq AND e.lane_id = d.lane_id
     LEFT JOIN awa.queue_ring_slots s ON s.slot = d.ready_slot;
COMMENT ON VIEW awa.ring_job_rows IS
    'internal: every job in the rings, with its payload as stored; read it through ring_jobs';

-- The leaves have no statistics: nobody analyses them. What the planner makes of that, above all with the filters of a
-- query mixed in, are nested loops of minutes and the compiling of expressions (JIT) for seconds. So it gets each part
-- alone and whole, and may only hash and merge. STABLE: all parts are read by the snapshot of the statement that asks.
CREATE FUNCTION awa.ring_jobs(part text) RETURNS SETOF awa.ring_job_rows
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 1000 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET jit = off SET enable_nestloop = off SET work_mem = '64MB' SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT r.* FROM awa.ring_job_rows r WHERE r.part = ring_jobs.part;
END $$;
COMMENT ON FUNCTION awa.ring_jobs(text) IS
    'internal, for jobs, terminal_jobs and open_claims: a part of ring_job_rows: available, running, success or done';
