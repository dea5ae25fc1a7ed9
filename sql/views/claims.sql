-- Attempts that are open: their receipts, as the workers that run them hold them.

CREATE VIEW awa.open_claims AS
SELECT r.job_id, r.run_lease,
       awa.receipt(concat_ws(':', r.claim_slot, r.batch_id, r.receipt_id, r.job_id, r.run_lease, r.fence)) AS receipt,
       q.queue, r.kind, r.shape, r.claimed_at, r.heartbeat_at, r.deadline_at, r.claim_slot, r.attempt::int AS attempt,
       r.max_attempts::int AS max_attempts, greatest(r.claimed_at, r.heartbeat_at) + q.stale_after AS stale_at
FROM awa.ring_jobs('running') r
     LEFT JOIN awa.queues q ON q.queue_id = r.lane_id >> 8
UNION ALL
SELECT l.job_id, l.run_lease,
       awa.receipt(concat_ws(':', l.claim_slot, l.batch_id, l.receipt_id, l.job_id, l.run_lease, l.fence)),
       q.queue, l.kind, 'lease', l.claimed_at, greatest(l.heartbeat_at, a.heartbeat_at), l.deadline_at,
       l.claim_slot, l.attempt, l.max_attempts,
       CASE WHEN l.state = 'running' THEN greatest(l.claimed_at, l.heartbeat_at, a.heartbeat_at) + q.stale_after END
FROM awa.leases l
     LEFT JOIN awa.queues q ON q.queue_id = l.lane_id >> 8
     LEFT JOIN awa.attempt_state a ON a.job_id = l.job_id AND a.run_lease = l.run_lease;
COMMENT ON VIEW awa.open_claims IS 'attempts that are open: running, or waiting for a callback';
COMMENT ON COLUMN awa.open_claims.job_id IS 'the job';
COMMENT ON COLUMN awa.open_claims.run_lease IS 'run lease of the attempt';
COMMENT ON COLUMN awa.open_claims.receipt IS
    'receipt of the attempt: whoever may complete and has it can end the attempt';
COMMENT ON COLUMN awa.open_claims.queue IS 'queue of the job';
COMMENT ON COLUMN awa.open_claims.kind IS 'what the job is';
COMMENT ON COLUMN awa.open_claims.shape IS
    'where the claim is kept: compact (claim batch), row (a row of its own) or lease (outside the rings)';
COMMENT ON COLUMN awa.open_claims.claimed_at IS 'when the attempt was claimed';
COMMENT ON COLUMN awa.open_claims.heartbeat_at IS 'last heartbeat; null = none since the claim';
COMMENT ON COLUMN awa.open_claims.deadline_at IS 'when the attempt is rescued; null = no deadline';
COMMENT ON COLUMN awa.open_claims.claim_slot IS
    'slot of the claim ring the claim was made in; a lease does not hold it up';
COMMENT ON COLUMN awa.open_claims.attempt IS 'number of the attempt, 1 = first';
COMMENT ON COLUMN awa.open_claims.max_attempts IS 'attempts allowed';
COMMENT ON COLUMN awa.open_claims.stale_at IS
    'when the attempt is rescued unless a heartbeat comes before; null = it waits for a callback';
