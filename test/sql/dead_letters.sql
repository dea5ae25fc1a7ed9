-- Dead letters: listed page by page, tried again, purged; and jobs that failed.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
SELECT awa.create_queue('letters', max_attempts => 2, dead_letter => true, enqueue_shards => 4), awa.create_queue('others', max_attempts => 1, dead_letter => true), awa.create_queue('plain', max_attempts => 1);
CREATE TEMP TABLE died (n int PRIMARY KEY, job_id bigint, receipt awa.receipt);
-- jobs of these numbers die: with progress, priority, metadata, and an error that says their number
CREATE PROCEDURE pg_temp.die(queue text, first int, last int, kind text = 'job', unique_keys text[] = NULL) LANGUAGE plpgsql AS $$
DECLARE
    rest int;
BEGIN
    PERFORM awa.enqueue_many(queue, kind, ARRAY(SELECT to_jsonb(n) FROM generate_series(first, last) n), priority => 3, metadata => '{"m": 1}', tags => '{t}', unique_keys => die.unique_keys);
    COMMIT;
    -- what else waited there is completed
    WITH c AS MATERIALIZED (SELECT * FROM awa.claim(ARRAY[queue], 10000)), mine AS (
        INSERT INTO died SELECT c.args::int, c.job_id, c.receipt FROM c WHERE c.args::int BETWEEN first AND last)
    SELECT awa.complete(array_agg(receipt)) INTO rest FROM c WHERE c.args::int NOT BETWEEN first AND last;
    COMMIT;
    PERFORM awa.heartbeat(ARRAY[receipt], ARRAY[to_jsonb(n)]), awa.fail(receipt, 'error of ' || n, terminal => true) FROM died WHERE n BETWEEN first AND last;
    COMMIT;
END $$;
PREPARE agree AS
SELECT c.*, j IS NOT DISTINCT FROM c AS jobs_agree, (SELECT count(*) FROM awa.check()) AS violations
FROM (SELECT sum(scheduled)::bigint AS scheduled, sum(available)::bigint AS available, sum(running)::bigint AS running, sum(completed)::bigint AS completed, sum(failed)::bigint AS failed,
             sum(dead_letter)::bigint AS dead_letter FROM (SELECT queue FROM awa.list_queues()) q CROSS JOIN LATERAL awa.queue_counts(q.queue)) c,
     (SELECT count(*) FILTER (WHERE state = 'scheduled'), count(*) FILTER (WHERE state = 'available'), count(*) FILTER (WHERE state = 'running'),
             count(*) FILTER (WHERE state = 'completed'), count(*) FILTER (WHERE state = 'failed'), count(*) FILTER (WHERE state = 'dead_letter') FROM awa.jobs WHERE queue IN (SELECT queue FROM awa.list_queues())) j;
CALL pg_temp.die('letters', 1, 7);
CALL pg_temp.die('others', 11, 12);
CALL pg_temp.die('others', 13, 13, 'other');
CALL pg_temp.die('plain', 21, 21);
EXECUTE agree;
-- what is known of a letter, in each way of looking
SELECT args, queue, kind, priority, attempt, max_attempts, dlq_reason, last_error, errors - 'at' #- '{0,at}' AS errors, metadata, tags, run_lease, original_run_lease FROM awa.dead_letters WHERE args = '1';
SELECT state, attempt, progress, last_error, outcome, claimed_at IS NULL AS no_claim, finalized_at IS NOT NULL AS over FROM awa.terminal_jobs WHERE args = '1';
SELECT l.state, l.progress, l.outcome, jsonb_array_length(l.errors) FROM died CROSS JOIN LATERAL awa.load_job(job_id) l WHERE n = 1;
SELECT (awa.receipt_state(receipt)).*, (SELECT b.state FROM awa.heartbeat(ARRAY[receipt]) b) AS heartbeat FROM died WHERE n = 1;
-- pages, in the order of ids, over the gaps of what went meanwhile
SELECT array_agg(args ORDER BY job_id) FROM awa.list_dead_letters();
SELECT array_agg(args ORDER BY job_id) FROM awa.list_dead_letters('others');
SELECT array_agg(args ORDER BY job_id) FROM awa.list_dead_letters('letters', max_rows => 3);
SELECT array_agg(args ORDER BY job_id) FROM awa.list_dead_letters('letters', (SELECT job_id FROM died WHERE n = 3), 3);
SELECT array_agg(args ORDER BY job_id) FROM awa.list_dead_letters('letters', (SELECT job_id FROM died WHERE n = 7), 3);
SELECT array_agg(args ORDER BY job_id) FROM awa.list_dead_letters(after => (SELECT job_id FROM died WHERE n = 6), max_rows => 2);
-- tried again: the same id, its errors, priority and run lease; attempts from zero; old receipts stay stale
SELECT awa.retry_dead_letter(job_id), awa.retry_dead_letter(job_id), awa.retry_dead_letter(-1) FROM died WHERE n = 1;
SELECT j.state, j.queue, j.priority, j.attempt, j.run_lease, j.progress, j.last_error, j.metadata, j.tags FROM died JOIN awa.jobs j USING (job_id) WHERE n = 1;
SELECT awa.complete_one(receipt), awa.fail(receipt, 'old'), (SELECT b.state FROM awa.heartbeat(ARRAY[receipt]) b) FROM died WHERE n = 1;
CREATE TEMP TABLE again AS SELECT * FROM awa.claim('{letters}', 5);
SELECT args, attempt, priority, last_error, progress, split_part(a.receipt::text, ':', 5) AS run_lease, a.job_id = d.job_id AS same_job FROM again a JOIN died d ON d.n = a.args::int;
SELECT awa.complete_one(d.receipt) AS by_old_receipt, awa.fail(a.receipt, 'once more', '0') AS by_new_one FROM again a JOIN died d ON d.n = a.args::int;
SELECT awa.promote_due();
TRUNCATE again;
INSERT INTO again SELECT * FROM awa.claim('{letters}', 5);
SELECT attempt, awa.fail(receipt, 'used up') FROM again;
SELECT args, attempt, run_lease, original_run_lease, dlq_reason, jsonb_array_length(errors) FROM awa.dead_letters WHERE args = '1';
-- later, and elsewhere
SELECT awa.retry_dead_letter(job_id, now() + interval '1 h') FROM died WHERE n = 2;
SELECT awa.retry_dead_letter(job_id, now() - interval '1 h', 'plain') FROM died WHERE n = 3;
SELECT awa.retry_dead_letter(job_id, queue => 'plain', run_at => now() + interval '2 h') FROM died WHERE n = 4;
SELECT args, queue, state, priority, attempt, run_at > now() AS later FROM awa.jobs WHERE args::int BETWEEN 2 AND 4 ORDER BY args;
EXECUTE agree;
-- many: of a queue, of a kind, of both, all; a rollback brings them back
BEGIN;
SELECT awa.retry_dead_letters(everything => true), awa.purge_dead_letters(everything => true);
ROLLBACK;
SELECT awa.retry_dead_letters('others', 'other'), awa.retry_dead_letters('others', 'other'), awa.retry_dead_letters(kind => 'nothing');
SELECT args, state, attempt FROM awa.jobs WHERE queue = 'others' ORDER BY args;
SELECT awa.purge_dead_letters('others', 'job'), awa.purge_dead_letters('others');
SELECT awa.retry_dead_letters('letters');
SELECT args, state, attempt FROM awa.jobs WHERE queue = 'letters' ORDER BY args;
EXECUTE agree;
CALL pg_temp.die('letters', 31, 33);
SELECT awa.purge_dead_letters(everything => true);
SELECT q.queue, r.priority, r.outcome, sum(r.jobs) AS jobs FROM awa.queue_terminal_rollups r JOIN awa.queues q USING (queue_id) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
EXECUTE agree;
-- more than one batch
CALL pg_temp.die('others', 1001, 3500);
BEGIN;
SELECT awa.retry_dead_letters('others');
SELECT available, dead_letter FROM awa.queue_counts('others');
ROLLBACK;
SELECT awa.purge_dead_letters('others');
EXECUTE agree;
-- a dropped queue keeps its letters readable, and they can be tried again in another
CALL pg_temp.die('plain', 41, 41);
SELECT awa.create_queue('gone', max_attempts => 1, dead_letter => true);
CALL pg_temp.die('gone', 42, 44);
SELECT awa.drop_queue('gone');
SELECT array_agg(args ORDER BY job_id) FROM awa.list_dead_letters('gone');
\pset format unaligned
\pset tuples_only on
SELECT awa.retry_dead_letter(-7);
DO $$ BEGIN PERFORM awa.retry_dead_letter(job_id) FROM died WHERE n = 42; EXCEPTION WHEN undefined_object THEN RAISE EXCEPTION '%', regexp_replace(SQLERRM, '\d+', 'N'); END $$;
SELECT awa.retry_dead_letters('gone');
SELECT awa.retry_dead_letters(everything => true);
SELECT awa.retry_dead_letter(job_id, queue => 'plain') FROM died WHERE n = 42;
SELECT awa.create_queue('gone'), array_agg(args ORDER BY job_id) FROM awa.list_dead_letters('gone');
SELECT awa.purge_dead_letters('gone'), awa.purge_dead_letters(everything => true);
-- a unique key that somebody else took meanwhile
CALL pg_temp.die('letters', 51, 52, unique_keys => '{one,two}');
SELECT awa.enqueue('letters', 'newer', '99', unique_key => 'two') > 0;
DO $$ BEGIN PERFORM awa.retry_dead_letter(job_id) FROM died WHERE n = 52; EXCEPTION WHEN unique_violation THEN RAISE EXCEPTION '%', regexp_replace(SQLERRM, '\d+', 'N'); END $$;
DO $$ BEGIN PERFORM awa.retry_dead_letters('letters'); EXCEPTION WHEN unique_violation THEN RAISE EXCEPTION '%', regexp_replace(SQLERRM, '\d+', 'N'); END $$;
SELECT awa.retry_dead_letter(job_id) FROM died WHERE n = 51;
SELECT args, state FROM awa.jobs WHERE unique_key IS NOT NULL ORDER BY args;
-- refusals
SELECT awa.retry_dead_letter(NULL);
SELECT awa.retry_dead_letter(1, run_at => 'infinity');
SELECT awa.retry_dead_letter(1, queue => 'nowhere');
SELECT awa.retry_dead_letter((SELECT job_id FROM died WHERE n = 52), queue => 'nowhere');
SELECT awa.retry_dead_letters();
SELECT awa.purge_dead_letters();
SELECT awa.purge_dead_letters(everything => NULL);
SELECT awa.retry_dead_letters('nowhere');
SELECT awa.purge_dead_letters('nowhere');
SELECT awa.list_dead_letters('nowhere');
SELECT awa.list_dead_letters(max_rows => 0);
SELECT awa.list_dead_letters(max_rows => 10001);
SELECT awa.list_dead_letters(max_rows => NULL);
BEGIN READ ONLY;
SELECT count(*) FROM awa.list_dead_letters();
SELECT awa.retry_dead_letter(1);
ROLLBACK;
SELECT count(*) FROM awa.check();
