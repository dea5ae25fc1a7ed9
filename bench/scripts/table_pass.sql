-- The same as awa_pass.
INSERT INTO bench.jobs (queue, kind, args) SELECT '@QUEUE@', 'bench', :one::jsonb FROM generate_series(1, @BATCH@);
WITH claimed AS (
    UPDATE bench.jobs SET state = 'running', attempt = attempt + 1, claimed_at = now()
    WHERE id = ANY (ARRAY(SELECT id FROM bench.jobs WHERE queue = '@QUEUE@' AND state = 'available' AND run_at <= now() ORDER BY priority, run_at, id LIMIT @BATCH@ FOR UPDATE SKIP LOCKED))
    RETURNING id, kind, args)
SELECT coalesce(array_agg(id), '{}') AS ids, array_agg(kind) AS kinds, array_agg(args) AS args FROM claimed \gset
WITH ended AS (DELETE FROM bench.jobs WHERE id = ANY (:ids::bigint[]) AND state = 'running' RETURNING *)
INSERT INTO bench.history SELECT id, queue, priority, 'completed', kind, args, attempt, max_attempts, run_at, created_at, claimed_at, now() FROM ended;
