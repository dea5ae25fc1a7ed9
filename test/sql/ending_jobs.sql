-- Jobs ended from outside while they are attempted: cancel, delete_job, drop_queue by force; and what workers hear of it.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
SELECT awa.create_queue('ended', max_attempts => 3), awa.create_queue('once', max_attempts => 1), awa.create_queue('letters', max_attempts => 1, dead_letter => true);
CREATE TEMP TABLE held (n int PRIMARY KEY, job_id bigint, receipt awa.receipt, token uuid);
CREATE PROCEDURE pg_temp.hold(queue text, first int, last int, deadline interval = NULL) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM awa.enqueue_many(queue, 'job', ARRAY(SELECT to_jsonb(n) FROM generate_series(first, last) n), deadline => hold.deadline);
    COMMIT;
    INSERT INTO held SELECT c.args::int, c.job_id, c.receipt FROM awa.claim(ARRAY[queue], 10000) c;
    COMMIT;
END $$;
CREATE FUNCTION pg_temp.r(n int) RETURNS awa.receipt LANGUAGE sql STABLE AS 'SELECT receipt FROM held WHERE n = $1';
CREATE FUNCTION pg_temp.j(n int) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT job_id FROM held WHERE n = $1';
PREPARE stand (int, int) AS
SELECT n, j.state, j.attempt, j.last_error, j.progress, s.state AS receipt, s.outcome, b.state AS heartbeat
FROM held h CROSS JOIN LATERAL awa.receipt_state(h.receipt) s CROSS JOIN LATERAL awa.heartbeat(ARRAY[h.receipt]) b LEFT JOIN awa.jobs j ON j.job_id = h.job_id WHERE n BETWEEN $1 AND $2 ORDER BY n;
PREPARE agree AS
SELECT c.*, j IS NOT DISTINCT FROM c AS jobs_agree, (SELECT count(*) FROM awa.attempt_state) AS states, (SELECT count(*) FROM awa.leases) AS leases, (SELECT count(*) FROM awa.check()) AS violations
FROM (SELECT sum(available)::bigint AS available, sum(running)::bigint AS running, sum(waiting_external)::bigint AS waiting, sum(completed)::bigint AS completed, sum(failed)::bigint AS failed,
             sum(cancelled)::bigint AS cancelled, sum(dead_letter)::bigint AS dead_letter FROM (SELECT queue FROM awa.list_queues()) q CROSS JOIN LATERAL awa.queue_counts(q.queue)) c,
     (SELECT count(*) FILTER (WHERE state = 'available'), count(*) FILTER (WHERE state = 'running'), count(*) FILTER (WHERE state = 'waiting_external'), count(*) FILTER (WHERE state = 'completed'),
             count(*) FILTER (WHERE state = 'failed'), count(*) FILTER (WHERE state = 'cancelled'), count(*) FILTER (WHERE state = 'dead_letter') FROM awa.jobs WHERE queue IN (SELECT queue FROM awa.list_queues())) j;
-- a running job of each shape, and a waiting one, are cancelled: key, closure, and their workers hear of it
CALL pg_temp.hold('ended', 1, 3);
CALL pg_temp.hold('ended', 4, 4, '1 h');
CALL pg_temp.hold('ended', 5, 6);
UPDATE held SET token = awa.wait_external(receipt, '1 h') WHERE n IN (5, 6);
SELECT state FROM awa.heartbeat(ARRAY[pg_temp.r(2)], ARRAY['"half"']::jsonb[]);
SELECT n, awa.cancel(job_id, 'no more wanted'), awa.cancel(job_id, 'again') FROM held WHERE n IN (2, 4, 5) ORDER BY n;
EXECUTE stand(1, 6);
SELECT awa.complete_one(pg_temp.r(2)), awa.fail(pg_temp.r(4), 'late'), awa.complete_external((SELECT token FROM held WHERE n = 5)), awa.release(pg_temp.r(5)), awa.wait_external(pg_temp.r(2), '1 h');
SELECT args, state, outcome, attempt, claimed_at IS NOT NULL AS claimed FROM awa.terminal_jobs WHERE state = 'cancelled' ORDER BY args;
EXECUTE agree;
-- several in one call: waiting, running, in a lease, over, of nothing known
SELECT awa.enqueue('ended', 'job', '7') \gset
SELECT awa.cancel_many(ARRAY[:enqueue, pg_temp.j(1), pg_temp.j(6), pg_temp.j(2), -1, :enqueue], 'all of them');
EXECUTE stand(1, 6);
EXECUTE agree;
-- cancelled and undone
BEGIN;
SELECT awa.cancel(pg_temp.j(3));
ROLLBACK;
SELECT awa.complete_one(pg_temp.r(3));
-- in every isolation level
CALL pg_temp.hold('ended', 11, 12);
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) > 0 AS snapshot FROM pg_class;
SELECT awa.cancel(pg_temp.j(11)), awa.cancel(pg_temp.j(11));
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) > 0 AS snapshot FROM pg_class;
SELECT awa.cancel(pg_temp.j(12)), awa.complete_one(pg_temp.r(12));
COMMIT;
EXECUTE agree;

-- F-13: a running job is deleted for real, its receipt with it; so is a job in any other state, and only a count stays
CALL pg_temp.hold('ended', 21, 22);
CALL pg_temp.hold('ended', 23, 23, '1 h');
CALL pg_temp.hold('ended', 24, 28);
CALL pg_temp.hold('once', 29, 29);
CALL pg_temp.hold('letters', 30, 30);
SELECT awa.wait_external(pg_temp.r(24), '1 h') IS NOT NULL AS waits, awa.complete_one(pg_temp.r(25)), awa.complete_one(pg_temp.r(26), '"kept"'), awa.fail(pg_temp.r(27), 'later', '1 h'), awa.cancel(pg_temp.j(28)), awa.fail(pg_temp.r(29), 'ended'), awa.fail(pg_temp.r(30), 'died');
EXECUTE agree;
SELECT n, awa.delete_job(job_id), awa.delete_job(job_id), awa.cancel(job_id) FROM held WHERE n BETWEEN 22 AND 30 ORDER BY n;
EXECUTE stand(21, 30);
SELECT awa.complete(ARRAY(SELECT receipt FROM held WHERE n BETWEEN 21 AND 30));
SELECT q.queue, r.outcome, sum(r.jobs) AS jobs FROM awa.queue_terminal_rollups r JOIN awa.queues q USING (queue_id) GROUP BY 1, 2 ORDER BY 1, 2;
EXECUTE agree;
-- nothing of them holds up a ring
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.open_claims)) >= 0 AS rest;
SET awa_ring.history_retention = 0;
CALL awa.rotate('claim');
CALL awa.prune('claim');
CALL awa.rotate('queue');
CALL awa.prune('queue');
EXECUTE agree;

-- a job comes back to a state that needs its unique key, and finds it taken: it ends cancelled, with a reason
SELECT awa.enqueue('ended', 'older', '41', unique_key => 'u', unique_while => '{available,retryable,scheduled}') > 0 AS older;
INSERT INTO held SELECT 41, c.job_id, c.receipt FROM awa.claim('{ended}') c;
SELECT awa.enqueue('ended', 'newer', '42', unique_key => 'u') > 0 AS newer;
SELECT awa.fail(pg_temp.r(41), 'comes back');
SELECT args, state, outcome, regexp_replace(last_error, '\d+', 'N') AS last_error FROM awa.terminal_jobs WHERE args = '41';
SELECT l.state, jsonb_array_length(l.errors) AS errors FROM awa.load_job(pg_temp.j(41)) l;
SELECT awa.enqueue('once', 'older', '43', unique_key => 'u', unique_while => '{available}') > 0 AS older;
INSERT INTO held SELECT 43, c.job_id, c.receipt FROM awa.claim('{once}') c;
SELECT awa.enqueue('once', 'newer', '44', unique_key => 'u') > 0 AS newer;
BEGIN;
SELECT awa.release(pg_temp.r(43)), (awa.receipt_state(pg_temp.r(43))).*;
ROLLBACK;
SELECT awa.fail(pg_temp.r(43), 'for good needs no key');
EXECUTE agree;

-- a queue is dropped by force, with jobs in every state
CALL pg_temp.hold('ended', 51, 56);
SELECT awa.wait_external(pg_temp.r(51), '1 h') IS NOT NULL AS waits, awa.fail(pg_temp.r(52), 'later', '1 h'), awa.complete_one(pg_temp.r(53)), awa.snooze(pg_temp.r(54), '1 h'), awa.release(pg_temp.r(55));
\pset format unaligned
SELECT awa.drop_queue('ended');
\pset format aligned
SELECT awa.drop_queue('ended', force => true);
SELECT args, state, last_error FROM awa.jobs WHERE args::int BETWEEN 51 AND 56 ORDER BY args;
SELECT b.state, count(*) FROM held CROSS JOIN LATERAL awa.heartbeat(ARRAY[receipt]) b WHERE n BETWEEN 51 AND 56 GROUP BY 1 ORDER BY 1;
EXECUTE agree;
SELECT awa.complete(ARRAY(SELECT receipt FROM held)), awa.create_queue('ended'), (SELECT count(*) FROM awa.claim('{ended}', 9));
-- a transaction that was told may not be prepared: it sent a NOTIFY
CALL pg_temp.hold('once', 61, 61);
SELECT pg_temp.j(61) AS told \gset
BEGIN;
SELECT awa.cancel(:told);
PREPARE TRANSACTION 'told';
\pset format unaligned
\pset tuples_only on
SELECT awa.cancel(NULL);
SELECT awa.cancel_many('{NULL}');
SELECT awa.delete_job(NULL);
SELECT awa.drop_queue('once', NULL);
SELECT (awa.receipt_state(pg_temp.r(61))).state;
