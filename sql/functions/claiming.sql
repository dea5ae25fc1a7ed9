-- Claiming. Rows are returned when the claim is done; it counts when the transaction commits.

CREATE TYPE awa.claimed_job AS (
    receipt awa.receipt, job_id bigint, queue text, kind text, args jsonb, priority int, attempt int, max_attempts int,
    run_at timestamptz, created_at timestamptz, claimed_at timestamptz, deadline_at timestamptz, stale_at timestamptz,
    metadata jsonb, tags text[], progress jsonb, last_error text, callback_result jsonb
);
COMMENT ON TYPE awa.claimed_job IS 'a job that was handed out, and the receipt that ends the attempt';
COMMENT ON COLUMN awa.claimed_job.receipt IS 'what ends the attempt';
COMMENT ON COLUMN awa.claimed_job.job_id IS 'the job';
COMMENT ON COLUMN awa.claimed_job.queue IS 'its queue';
COMMENT ON COLUMN awa.claimed_job.kind IS 'what it is';
COMMENT ON COLUMN awa.claimed_job.args IS 'arguments for the worker';
COMMENT ON COLUMN awa.claimed_job.priority IS 'the effective one, 1 = first: aging raises it';
COMMENT ON COLUMN awa.claimed_job.attempt IS 'number of the attempt, 1 = first';
COMMENT ON COLUMN awa.claimed_job.max_attempts IS 'attempts allowed';
COMMENT ON COLUMN awa.claimed_job.run_at IS 'when it became due';
COMMENT ON COLUMN awa.claimed_job.created_at IS 'when it was first enqueued';
COMMENT ON COLUMN awa.claimed_job.claimed_at IS 'when it was handed out';
COMMENT ON COLUMN awa.claimed_job.deadline_at IS 'when the attempt is rescued; null = no deadline';
COMMENT ON COLUMN awa.claimed_job.stale_at IS 'when the attempt is rescued unless a heartbeat comes';
COMMENT ON COLUMN awa.claimed_job.metadata IS 'as it was enqueued';
COMMENT ON COLUMN awa.claimed_job.tags IS 'as it was enqueued';
COMMENT ON COLUMN awa.claimed_job.progress IS 'what an earlier attempt left';
COMMENT ON COLUMN awa.claimed_job.last_error IS 'how the attempt before failed';
COMMENT ON COLUMN awa.claimed_job.callback_result IS 'what an outside party answered to an earlier attempt';

CREATE FUNCTION awa.claim(queues text[], max_batch int = 1, deadline interval = NULL)
RETURNS SETOF awa.claimed_job
    LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 100
    AS 'MODULE_PATHNAME', 'awa_claim';
COMMENT ON FUNCTION awa.claim(text[], int, interval) IS
$$Claims up to max_batch jobs of the queues and returns one row a job, with the receipt that ends the attempt.
Claim in a transaction of its own and commit it before working: until then the lane stays locked to other claims.
Call it in FROM: (awa.claim(...)).* in a select list claims anew for each column. Fetching only some of the rows (LIMIT,
a cursor) still claims all of them: ask for no more than you take. Jobs that the same transaction enqueued are not
claimed. queues: 1 to 1000 names; the one looked at first rotates from call to call; one that does not exist, or was
dropped, fails the whole call. max_batch 1..10000. deadline: null = the queue's, 0 = none. priority is the effective one
(aging raises it). stale_at: rescue without a heartbeat by then.
No row: nothing to do, paused, or the lanes were busy for awa_ring.claim_wait.
Errors: 42704 unknown queue, 22004, 22023, 25006 on a standby or in a read-only transaction.$$;

CREATE FUNCTION awa.claim_ready_runtime(
    queue text, max_batch int, deadline_secs double precision = NULL, aging_secs double precision = NULL)
RETURNS TABLE (
    receipt awa.receipt, job_id bigint, kind text, queue text, args jsonb, lane_priority int, priority int, attempt int,
    max_attempts int, run_lease bigint, run_at timestamptz, deadline_at timestamptz, claimed_at timestamptz,
    created_at timestamptz, unique_key text, payload jsonb, ready_slot int, ready_generation bigint, lane_seq bigint,
    enqueue_shard int, claim_slot int, receipt_id bigint, claim_batch_id bigint, claim_batch_index int, fence bigint
)
    LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 100
    AS 'MODULE_PATHNAME', 'awa_claim_ready_runtime';
COMMENT ON FUNCTION awa.claim_ready_runtime(text, int, double precision, double precision) IS
$$Claims as claim does, from one queue, and returns all that a runtime wants to know of the claim.
deadline_secs, aging_secs: null = the queue's setting, 0 = none, else seconds. lane_priority is the priority the job was
enqueued with, priority the effective one. Errors: as claim.$$;

CREATE PROCEDURE awa.wait_for_jobs(queues text[], timeout interval, INOUT ready boolean = NULL)
    LANGUAGE c AS 'MODULE_PATHNAME', 'awa_wait_for_jobs';
COMMENT ON PROCEDURE awa.wait_for_jobs(text[], interval, boolean) IS
$$Waits until a claim of the queues may find something. ready: true, or false when the timeout has passed; a timeout of
0 only looks. What it says is a hint: others may be quicker, so claim, and wait again. While it waits it has neither a
snapshot nor a transaction id. Where the library is preloaded it is woken by the commit that brings a job, and looks
again each second in any case. Elsewhere it looks after 10 ms, 20, 40, up to every 250 ms. Queues that are paused have
nothing. Errors: 25001 in a transaction block, 22004 null, 22023 no queue or a negative timeout, 42704 no such queue,
55000 as claim, 25006 on a standby or in a read-only transaction.$$;
