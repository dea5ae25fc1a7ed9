-- Heartbeats, and attempts that wait for a callback: outside the rings, ended by their token or their receipt.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
SELECT awa.create_queue('calls', max_attempts => 3, deadline => '1 h'), awa.create_queue('letters', max_attempts => 1, dead_letter => true);
CREATE TEMP TABLE held (n int PRIMARY KEY, receipt awa.receipt, attempt int, job_id bigint, token uuid, callback_result jsonb, progress jsonb);
-- jobs of these numbers, enqueued and claimed: their receipts go to held
CREATE PROCEDURE pg_temp.hold(queue text, first int, last int) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM awa.enqueue_many(queue, 'job', ARRAY(SELECT to_jsonb(n) FROM generate_series(first, last) n));
    COMMIT;
    CALL pg_temp.claim(queue);
END $$;
CREATE PROCEDURE pg_temp.claim(queue text) LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO held SELECT c.args::int, c.receipt, c.attempt, c.job_id, NULL, c.callback_result, c.progress FROM awa.claim(ARRAY[queue], 10000) c
    ON CONFLICT (n) DO UPDATE SET receipt = EXCLUDED.receipt, attempt = EXCLUDED.attempt, callback_result = EXCLUDED.callback_result, progress = EXCLUDED.progress;
    COMMIT;
END $$;
CREATE FUNCTION pg_temp.r(n int) RETURNS awa.receipt LANGUAGE sql STABLE AS 'SELECT receipt FROM held WHERE n = $1';
CREATE FUNCTION pg_temp.t(n int) RETURNS uuid LANGUAGE sql STABLE AS 'SELECT token FROM held WHERE n = $1';
CREATE PROCEDURE pg_temp.wait(first int, last int, timeout interval = '1 h') LANGUAGE sql AS
'UPDATE held SET token = awa.wait_external(receipt, timeout) WHERE n BETWEEN first AND last';
-- how jobs stand
PREPARE stand (int, int) AS
SELECT n, j.state, j.attempt, j.run_lease, j.progress, j.last_error, s.state AS receipt, s.outcome, o.shape, o.deadline_at IS NOT NULL AS deadline, o.stale_at IS NOT NULL AS stale_at
FROM held h JOIN awa.jobs j USING (job_id) CROSS JOIN LATERAL awa.receipt_state(h.receipt) s LEFT JOIN awa.open_claims o USING (job_id) WHERE n BETWEEN $1 AND $2 ORDER BY n;
-- each way of looking agrees, and the evidence is sound
PREPARE agree AS
SELECT c.*, j IS NOT DISTINCT FROM c AS jobs_agree, (SELECT count(*) FROM awa.attempt_state) AS states, (SELECT count(*) FROM awa.check()) AS violations
FROM (SELECT sum(available)::bigint AS available, sum(running)::bigint AS running, sum(waiting_external)::bigint AS waiting, sum(retryable)::bigint AS retryable, sum(completed)::bigint AS completed,
             sum(failed)::bigint AS failed, sum(dead_letter)::bigint AS dead_letter FROM unnest('{calls,letters}'::text[]) q CROSS JOIN LATERAL awa.queue_counts(q)) c,
     (SELECT count(*) FILTER (WHERE state = 'available'), count(*) FILTER (WHERE state = 'running'), count(*) FILTER (WHERE state = 'waiting_external'),
             count(*) FILTER (WHERE state = 'retryable'), count(*) FILTER (WHERE state = 'completed'), count(*) FILTER (WHERE state = 'failed'), count(*) FILTER (WHERE state = 'dead_letter') FROM awa.jobs) j;

-- heartbeats: of many, of some twice, of what is over, with and without progress
CALL pg_temp.hold('calls', 1, 6);
SELECT h.n, b.state, b.stale_at > now() + interval '80 s' AS in_time FROM awa.heartbeat(ARRAY[pg_temp.r(2), '0:1:2:3:4:5', pg_temp.r(1), pg_temp.r(2)], ARRAY['{"at": 2}', '1', NULL, '"ignored"']::jsonb[]) WITH ORDINALITY b(receipt, state, stale_at, place)
LEFT JOIN held h ON h.receipt OPERATOR(awa.=) b.receipt ORDER BY place;
SELECT * FROM awa.heartbeat(NULL);
SELECT * FROM awa.heartbeat('{}', '{}');
SELECT n, j.progress, heartbeat_at IS NOT NULL AS beat FROM awa.jobs j JOIN held USING (job_id) ORDER BY n;
SELECT state FROM awa.heartbeat(ARRAY[pg_temp.r(2)]);
SELECT state FROM awa.heartbeat(ARRAY[pg_temp.r(1)], '{"null"}');
BEGIN;
SELECT state FROM awa.heartbeat(ARRAY[pg_temp.r(3), pg_temp.r(2)], ARRAY['3', '"undone"']::jsonb[]);
ROLLBACK;
SELECT n, j.progress, heartbeat_at IS NOT NULL AS beat FROM awa.jobs j JOIN held USING (job_id) ORDER BY n;
SELECT l.progress, heartbeat_at IS NOT NULL AS beat FROM held CROSS JOIN LATERAL awa.load_job(job_id) l WHERE n = 2;
-- progress goes to the next attempt; a success forgets it
SELECT awa.fail(pg_temp.r(2), 'so far', '0'), awa.complete_one(pg_temp.r(1)), awa.promote_due();
SELECT n, b.state FROM held CROSS JOIN LATERAL awa.heartbeat(ARRAY[receipt], ARRAY['"late"']::jsonb[]) b WHERE n IN (1, 2) ORDER BY n;
CALL pg_temp.claim('calls');
SELECT n, attempt, progress FROM held WHERE n = 2;
EXECUTE stand(1, 2);
SELECT awa.complete_one(pg_temp.r(2), '"done"');
EXECUTE stand(1, 2);
EXECUTE agree;

-- a wait: nothing of the attempt stays in the rings, its body is in the lease
SELECT state FROM awa.heartbeat(ARRAY[pg_temp.r(3)], ARRAY['"before"']::jsonb[]);
CALL pg_temp.wait(3, 6);
EXECUTE stand(3, 6);
SELECT count(*) AS open_receipts FROM awa.open_receipts;
SELECT l.args, l.state, l.attempt, callback_timeout_at - now() BETWEEN '59 min' AND '1 h' AS in_an_hour FROM awa.leases l ORDER BY l.args;
SELECT state, stale_at IS NULL AS never_stale FROM awa.heartbeat(ARRAY[pg_temp.r(3)], ARRAY['"while waiting"']::jsonb[]);
-- its rings turn and are emptied while it waits; then the old receipt, and the token, are as good as before
SET awa_ring.history_retention = 0;
CALL awa.rotate('claim');
CALL awa.prune('claim');
CALL awa.rotate('queue');
CALL awa.prune('queue');
EXECUTE stand(3, 6);
EXECUTE agree;
SELECT awa.complete_one(pg_temp.r(3), '"by receipt"'), awa.complete_one(pg_temp.r(3)), awa.complete_external(pg_temp.t(3)), awa.fail_external(pg_temp.t(3), 'late');
SELECT awa.complete_external(pg_temp.t(4), '"by token"'), awa.complete_external(pg_temp.t(4)), awa.complete_one(pg_temp.r(4)), awa.fail(pg_temp.r(4), 'late'), awa.release(pg_temp.r(4));
SELECT awa.fail(pg_temp.r(5), 'by receipt', '1 h'), awa.complete_external(pg_temp.t(5)), awa.retry_external(pg_temp.t(5)), awa.extend_external(pg_temp.t(5), '1 h');
SELECT awa.fail_external(pg_temp.t(6), 'by token', true), awa.complete(ARRAY[pg_temp.r(6)]), awa.snooze(pg_temp.r(6), '1 h');
EXECUTE stand(3, 6);
SELECT args, state, outcome, result, attempt FROM awa.terminal_jobs WHERE args::int BETWEEN 3 AND 6 ORDER BY args;
SELECT n, b.state FROM held CROSS JOIN LATERAL awa.heartbeat(ARRAY[receipt]) b WHERE n BETWEEN 3 AND 6 ORDER BY n;
EXECUTE agree;
-- an old-timeline handle, the same numbers with another fence, ends nothing that lives in a lease; nor does any other part
CALL pg_temp.hold('calls', 11, 11);
CALL pg_temp.wait(11, 11);
CREATE FUNCTION pg_temp.forged(receipt awa.receipt, part int) RETURNS awa.receipt LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(CASE WHEN place <> part THEN piece WHEN piece = '9223372036854775807' THEN '1' ELSE (piece::numeric + 1)::text END, ':' ORDER BY place)::awa.receipt
    FROM string_to_table($1::text, ':') WITH ORDINALITY s(piece, place)
$$;
SELECT part, awa.complete_one(f), awa.complete(ARRAY[f, f]), awa.fail(f, 'forged'), awa.release(f), awa.snooze(f, '0'), awa.wait_external(f, '1 h'), (awa.receipt_state(f)).state, (SELECT b.state FROM awa.heartbeat(ARRAY[f]) b) AS heartbeat
FROM generate_series(1, 6) part CROSS JOIN LATERAL pg_temp.forged(pg_temp.r(11), part) f;
EXECUTE stand(11, 11);
-- waiting anew: the token stays, the timeout begins again; so does extending
SELECT awa.wait_external(pg_temp.r(11), '5 h') = pg_temp.t(11) AS same_token;
SELECT callback_timeout_at - now() BETWEEN '4 h' AND '5 h' AS in_five_hours FROM awa.leases;
SELECT awa.extend_external(pg_temp.t(11), '1 min');
SELECT callback_timeout_at - now() BETWEEN '50 s' AND '1 min' AS in_a_minute FROM awa.leases;
-- in one transaction, undone, in every isolation level
BEGIN;
SELECT awa.complete_external(pg_temp.t(11), '"undone"'), awa.complete_one(pg_temp.r(11));
ROLLBACK;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) > 0 AS snapshot FROM pg_class;
SAVEPOINT one;
SELECT awa.fail_external(pg_temp.t(11), 'undone');
ROLLBACK TO one;
SELECT awa.complete_external(pg_temp.t(11), '{"resumed": true}', resume => true), awa.complete_external(pg_temp.t(11));
COMMIT;
-- resumed: back on its lane, the attempt does not count, the result comes with the claim
EXECUTE stand(11, 11);
CALL pg_temp.claim('calls');
SELECT n, attempt, callback_result FROM held WHERE n = 11;
CALL pg_temp.wait(11, 11);
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) > 0 AS snapshot FROM pg_class;
SELECT awa.complete_external(pg_temp.t(11), resume => true);
COMMIT;
CALL pg_temp.claim('calls');
SELECT n, attempt, callback_result FROM held WHERE n = 11;
SELECT awa.complete_one(pg_temp.r(11));
-- retried: back on its lane at once, the attempt counts, and ends the job when it was the last
CALL pg_temp.hold('calls', 12, 12);
CALL pg_temp.wait(12, 12);
SELECT awa.retry_external(pg_temp.t(12)), awa.retry_external(pg_temp.t(12));
CALL pg_temp.claim('calls');
SELECT n, attempt FROM held WHERE n = 12;
CALL pg_temp.wait(12, 12);
SELECT awa.retry_external(pg_temp.t(12));
CALL pg_temp.claim('calls');
CALL pg_temp.wait(12, 12);
SELECT awa.retry_external(pg_temp.t(12));
EXECUTE stand(12, 12);
CALL pg_temp.hold('letters', 13, 15);
CALL pg_temp.wait(13, 15);
SELECT awa.retry_external(pg_temp.t(13)), awa.fail_external(pg_temp.t(14), 'from outside'), awa.release(pg_temp.r(15));
SELECT args, dlq_reason, attempt, last_error FROM awa.dead_letters ORDER BY args;
EXECUTE agree;
-- an attempt in a lease can be put off, and given back; and be among others of the rings in one call
CALL pg_temp.hold('calls', 21, 30);
CALL pg_temp.wait(21, 25);
SELECT awa.snooze(pg_temp.r(21), '1 h'), awa.release_many(ARRAY[pg_temp.r(22), pg_temp.r(30), pg_temp.r(21)]);
SELECT n, c.completed FROM awa.complete_each(ARRAY[pg_temp.r(26), pg_temp.r(23), pg_temp.r(22), pg_temp.r(27), pg_temp.r(23)], ARRAY['26', '23', '22', '27', '"second"']::jsonb[]) WITH ORDINALITY c(receipt, completed, place) JOIN held h ON h.receipt OPERATOR(awa.=) c.receipt ORDER BY place;
SELECT n, f.state FROM awa.fail_many(ARRAY[pg_temp.r(28), pg_temp.r(24), pg_temp.r(26)], '{ring,lease,over}', '{1 h,1 h,1 h}') WITH ORDINALITY f(receipt, state, place) JOIN held h ON h.receipt OPERATOR(awa.=) f.receipt ORDER BY place;
SELECT n, b.state FROM awa.heartbeat(ARRAY[pg_temp.r(25), pg_temp.r(29), pg_temp.r(28)]) WITH ORDINALITY b(receipt, state, stale_at, place) JOIN held h ON h.receipt OPERATOR(awa.=) b.receipt ORDER BY place;
SELECT awa.complete(ARRAY[pg_temp.r(25), pg_temp.r(29)], strict => true);
SELECT args, result, outcome FROM awa.terminal_jobs WHERE args::int BETWEEN 21 AND 30 ORDER BY args;
EXECUTE agree;
-- what is no token is nobody's
SELECT awa.complete_external('00000000-0000-0000-0000-000000000000'), awa.fail_external(gen_random_uuid(), 'x'), awa.retry_external(gen_random_uuid()), awa.extend_external(gen_random_uuid(), '1 h'), awa.wait_external('0:1:2:3:4:5', '1 h');
\pset format unaligned
\pset tuples_only on
SELECT awa.wait_external(pg_temp.r(30), '0');
SELECT awa.wait_external(NULL, '1 h');
SELECT awa.complete_external(NULL);
SELECT awa.complete_external('nonsense');
SELECT awa.fail_external(gen_random_uuid(), NULL);
SELECT awa.extend_external(gen_random_uuid(), '-1 s');
SELECT awa.heartbeat('{NULL}');
SELECT awa.heartbeat(ARRAY[pg_temp.r(30)], '{1,2}');
SELECT awa.heartbeat(ARRAY[pg_temp.r(30)], ARRAY[to_jsonb(repeat('x', 1048576))]);
