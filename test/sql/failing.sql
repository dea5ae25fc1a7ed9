-- Attempts that end without success by their workers' word: fail, fail_many, snooze, release, release_many; backoff,
-- exhaustion, errors kept. Numbers are drawn, so jobs are told by their arguments.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
SELECT awa.create_queue('failing'), awa.create_queue('short', max_attempts => 3, backoff_base => '1 us', backoff_cap => '1 us'),
       awa.create_queue('letters', max_attempts => 2, dead_letter => true);
CREATE TEMP TABLE held (n int PRIMARY KEY, receipt awa.receipt, attempt int, job_id bigint, last_error text);
-- jobs of these numbers, enqueued
CREATE PROCEDURE pg_temp.put(queue text, first int, last int, max_attempts int = NULL) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM awa.enqueue_many(queue, 'job', ARRAY(SELECT to_jsonb(n) FROM generate_series(first, last) n), max_attempts => put.max_attempts);
    COMMIT;
END $$;
-- what is there to claim, what is due included, claimed: their receipts go to held
CREATE PROCEDURE pg_temp.hold(queue text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM awa.promote_due();
    COMMIT;
    INSERT INTO held SELECT c.args::int, c.receipt, c.attempt, c.job_id, c.last_error FROM awa.claim(ARRAY[queue], 10000) c
    ON CONFLICT (n) DO UPDATE SET receipt = EXCLUDED.receipt, attempt = EXCLUDED.attempt, last_error = EXCLUDED.last_error;
    COMMIT;
END $$;
CREATE FUNCTION pg_temp.r(n int) RETURNS awa.receipt LANGUAGE sql STABLE AS 'SELECT receipt FROM held WHERE n = $1';
CREATE FUNCTION pg_temp.rs(VARIADIC n int[]) RETURNS awa.receipt[] LANGUAGE sql STABLE AS
'SELECT array_agg(receipt ORDER BY place) FROM unnest($1) WITH ORDINALITY u(m, place) JOIN held ON n = m';
-- how a job stands, and how far off it is in terms of its delay
PREPARE stand (int) AS
SELECT j.state, j.attempt, j.run_lease, j.last_error, s.state AS receipt, s.outcome, j.finalized_at IS NOT NULL AS over, j.claimed_at IS NULL AS no_claim
FROM held h JOIN awa.jobs j USING (job_id) CROSS JOIN LATERAL awa.receipt_state(h.receipt) s WHERE n = $1;
-- each way of looking agrees, and the evidence is sound
PREPARE agree AS
SELECT c.*, j IS NOT DISTINCT FROM c AS jobs_agree, (SELECT count(*) FROM awa.check()) AS violations
FROM (SELECT sum(scheduled)::bigint AS scheduled, sum(available)::bigint AS available, sum(running)::bigint AS running, sum(retryable)::bigint AS retryable,
             sum(failed)::bigint AS failed, sum(dead_letter)::bigint AS dead_letter FROM unnest('{failing,short,letters}'::text[]) q CROSS JOIN LATERAL awa.queue_counts(q)) c,
     (SELECT count(*) FILTER (WHERE state = 'scheduled'), count(*) FILTER (WHERE state = 'available'), count(*) FILTER (WHERE state = 'running'),
             count(*) FILTER (WHERE state = 'retryable'), count(*) FILTER (WHERE state = 'failed'), count(*) FILTER (WHERE state = 'dead_letter') FROM awa.jobs) j;

-- a failure: the job waits for its next attempt, and the receipt is over
CALL pg_temp.put('failing', 1, 9);
CALL pg_temp.hold('failing');
SELECT awa.fail(pg_temp.r(1), 'first'), awa.fail(pg_temp.r(1), 'second'), awa.complete_one(pg_temp.r(1)), awa.release(pg_temp.r(1)), awa.snooze(pg_temp.r(1), '1 h');
EXECUTE stand(1);
SELECT run_at - finalized_at BETWEEN '1 s' AND '1.25 s' AS within FROM awa.jobs JOIN held USING (job_id) WHERE n = 1;
-- a delay of the worker's choice, 0 included; a failure for good
SELECT awa.fail(pg_temp.r(2), '', '1 h'), awa.fail(pg_temp.r(3), 'now', '0'), awa.fail(pg_temp.r(4), 'for good', '1 h', true);
SELECT n, state, j.attempt, j.last_error, CASE WHEN state = 'retryable' THEN run_at - finalized_at END AS delay FROM awa.jobs j JOIN held USING (job_id) WHERE n BETWEEN 2 AND 4 ORDER BY n;
-- put off, given back: the attempts do not count, the leases do
SELECT awa.snooze(pg_temp.r(5), '2 h'), awa.snooze(pg_temp.r(5), '0'), awa.release(pg_temp.r(6)), awa.release(pg_temp.r(6)), awa.fail(pg_temp.r(6), 'late');
EXECUTE stand(5);
EXECUTE stand(6);
SELECT run_at - finalized_at AS delay FROM awa.jobs JOIN held USING (job_id) WHERE n = 5;
SELECT awa.release_many(NULL), awa.release_many('{}'), awa.release_many(pg_temp.rs(7, 8, 7, 6)), awa.release_many(pg_temp.rs(7, 8, 9)), awa.release_many(pg_temp.rs(9));
EXECUTE agree;
-- the delay of the first runs out
DO $$ BEGIN PERFORM pg_sleep_until(run_at + interval '10 ms') FROM awa.jobs JOIN held USING (job_id) WHERE n = 1; END $$;
-- those that are due or were given back come out again, with what was said of them
CALL pg_temp.hold('failing');
SELECT n, attempt, last_error, (awa.receipt_state(receipt)).state FROM held ORDER BY n;
SELECT awa.complete(ARRAY(SELECT receipt FROM held));
EXECUTE agree;
-- nothing of it happened if it is rolled back
CALL pg_temp.put('failing', 11, 13);
CALL pg_temp.hold('failing');
BEGIN;
SELECT awa.fail(pg_temp.r(11), 'undone'), awa.snooze(pg_temp.r(12), '0'), awa.release(pg_temp.r(13));
SELECT awa.fail(pg_temp.r(11), 'undone'), awa.snooze(pg_temp.r(12), '0'), awa.release(pg_temp.r(13));
SAVEPOINT one;
SELECT count(*) FROM awa.claim('{failing}', 10);
ROLLBACK;
SELECT n, (awa.receipt_state(receipt)).state FROM held WHERE n > 10 ORDER BY n;
BEGIN;
SAVEPOINT one;
SELECT awa.fail(pg_temp.r(11), 'undone', terminal => true), awa.release_many(pg_temp.rs(12, 13));
ROLLBACK TO one;
SELECT awa.fail(pg_temp.r(11), 'meant', '1 h');
COMMIT;
-- in every isolation level
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) > 0 AS snapshot FROM pg_class;
SELECT awa.release(pg_temp.r(12)), awa.release(pg_temp.r(12));
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) > 0 AS snapshot FROM pg_class;
SELECT awa.fail(pg_temp.r(13), 'serializable', '1 h'), awa.fail(pg_temp.r(13), 'again');
COMMIT;
EXECUTE agree;

-- many at once: each with its own error, delay and end; the first place of a receipt counts
CALL pg_temp.put('short', 21, 26);
CALL pg_temp.hold('short');
SELECT h.n, f.state FROM awa.fail_many(pg_temp.rs(21, 22, 23, 21, 1), '{a,b,c,d,e}', '{0,NULL,1 d,0,0}', '{NULL,true,false,true,true}') WITH ORDINALITY f(receipt, state, place) JOIN held h ON h.receipt OPERATOR(awa.=) f.receipt ORDER BY place;
SELECT h.n, f.state FROM awa.fail_many(pg_temp.rs(24, 25), '{a,b}') WITH ORDINALITY f(receipt, state, place) JOIN held h ON h.receipt OPERATOR(awa.=) f.receipt ORDER BY place;
SELECT * FROM awa.fail_many(NULL, NULL);
SELECT * FROM awa.fail_many('{}', '{}', '{}', '{}');
SELECT n, state, j.last_error FROM awa.jobs j JOIN held USING (job_id) WHERE n BETWEEN 21 AND 26 ORDER BY n;
EXECUTE agree;

-- max_attempts, exactly, whatever was chosen on the way; what does not count does not
CALL pg_temp.put('short', 31, 34);
CREATE PROCEDURE pg_temp.use_up(first int, last int, end_attempt text) LANGUAGE plpgsql AS $$
DECLARE
    job record;
    said text;
BEGIN
    FOR turn IN 1 .. 9 LOOP
        PERFORM pg_sleep(0.002);
        CALL pg_temp.hold('short');
        FOR job IN SELECT * FROM held h WHERE n BETWEEN first AND last AND (awa.receipt_state(h.receipt)).state = 'open' ORDER BY n LOOP
            EXECUTE end_attempt INTO said USING job.receipt, turn;
            RAISE NOTICE 'job %, turn %, attempt %: %', job.n, turn, job.attempt, said;
            COMMIT;
        END LOOP;
    END LOOP;
END $$;
SET client_min_messages = notice;
CALL pg_temp.use_up(31, 32, 'SELECT awa.fail($1, ''turn '' || $2, CASE WHEN $2 = 2 THEN ''0''::interval END)');
CALL pg_temp.use_up(33, 34, 'SELECT CASE $2 WHEN 2 THEN awa.snooze($1, ''0'')::text WHEN 4 THEN awa.release($1)::text ELSE awa.fail($1, ''turn '' || $2) END');
SET client_min_messages = warning;
SELECT n, j.state, j.attempt, j.run_lease, (SELECT string_agg((e ->> 'error') || CASE WHEN e ? 'terminal' THEN ' (terminal)' ELSE '' END || ' of ' || (e ->> 'attempt'), ', ') FROM jsonb_array_elements(j.errors) e) AS errors
FROM held CROSS JOIN LATERAL awa.load_job(job_id) j WHERE n BETWEEN 31 AND 34 ORDER BY n;
-- with a queue of dead letters: used up, for good
CALL pg_temp.put('letters', 41, 43);
CALL pg_temp.hold('letters');
SELECT awa.fail(pg_temp.r(41), 'one', '0'), awa.fail(pg_temp.r(42), 'at once', terminal => true), awa.fail(pg_temp.r(43), 'one', '0');
CALL pg_temp.hold('letters');
SELECT awa.fail(pg_temp.r(41), 'two', '1 h'), awa.release(pg_temp.r(43));
SELECT args, dlq_reason, attempt, run_lease, original_run_lease, last_error, jsonb_array_length(errors) FROM awa.dead_letters ORDER BY job_id;
EXECUTE agree;

-- F-7: the power of the 43rd attempt was out of range, and that of the 44th negative; a thousand attempts are legal
SELECT awa.create_queue('long', max_attempts => 1000, backoff_base => '1 s', backoff_cap => '24 h');
CALL pg_temp.put('long', 51, 51);
CREATE TEMP TABLE delays (attempt int, delay interval);
CREATE PROCEDURE pg_temp.fail_on() LANGUAGE plpgsql AS $$
DECLARE
    job record;
    said text;
BEGIN
    FOR turn IN 1 .. 1001 LOOP
        SELECT * INTO job FROM awa.claim('{long}');
        EXIT WHEN NOT FOUND;
        COMMIT;
        -- at some attempts the delay of the queue is looked at, and undone
        IF turn IN (1, 2, 10, 17, 18, 42, 43, 44, 63, 64, 65, 128, 512, 999) THEN
            PERFORM awa.fail(job.receipt, 'looked at');
            INSERT INTO delays SELECT turn, run_at - finalized_at FROM awa.deferred_jobs d WHERE d.job_id = job.job_id;
            UPDATE awa.deferred_jobs d SET run_at = now() WHERE d.job_id = job.job_id;
        ELSE
            said := awa.fail(job.receipt, 'failure ' || turn, '0');
        END IF;
        COMMIT;
        PERFORM awa.promote_due();
        COMMIT;
    END LOOP;
    RAISE NOTICE 'the last attempt ended %', said;
END $$;
SET client_min_messages = notice;
CALL pg_temp.fail_on();
SET client_min_messages = warning;
SELECT attempt, CASE WHEN attempt < 18 THEN delay BETWEEN (2 ^ (attempt - 1)) * interval '1 s' AND (2 ^ (attempt - 1)) * interval '1.25 s' ELSE delay BETWEEN '19.2 h' AND '24 h' END AS within FROM delays ORDER BY attempt;
SELECT state, attempt, run_lease, last_error, jsonb_array_length(l.errors) AS errors, l.errors -> 0 ->> 'attempt' AS oldest FROM awa.jobs j CROSS JOIN LATERAL (SELECT errors FROM awa.load_job(j.job_id)) l WHERE queue = 'long';
-- of a long error the beginning is kept, whole characters
CALL pg_temp.put('short', 61, 61);
CALL pg_temp.hold('short');
SELECT awa.fail(pg_temp.r(61), repeat('ü', 100000), '1 h');
SELECT octet_length(j.last_error), length(j.last_error) FROM awa.jobs j JOIN held USING (job_id) WHERE n = 61;

-- F-5: what an aged job was claimed with is no key: it fails, is put off, given back and waits on its own lane
SELECT awa.create_queue('aging', aging => '1 us', dead_letter => true);
SELECT awa.enqueue('aging', 'old', '{"is": "old"}', priority => 4), awa.enqueue('aging', 'young', '{"is": "young"}', priority => 1) \g /dev/null
SELECT pg_sleep(0.01) \g /dev/null
CREATE TEMP TABLE aged AS SELECT * FROM awa.claim('{aging}', 2);
SELECT kind, priority FROM aged ORDER BY kind;
SELECT awa.fail(receipt, 'aged', '0') FROM aged WHERE kind = 'old';
SELECT kind, state, priority, args FROM awa.jobs WHERE queue = 'aging' ORDER BY kind;
SELECT awa.promote_due();
TRUNCATE aged;
INSERT INTO aged SELECT * FROM awa.claim('{aging}', 2);
SELECT kind, priority, awa.release(receipt) FROM aged;
TRUNCATE aged;
INSERT INTO aged SELECT * FROM awa.claim('{aging}', 2);
SELECT awa.wait_external(receipt, '1 h') IS NOT NULL AS waits FROM aged;
SELECT kind, state, priority, args FROM awa.jobs WHERE queue = 'aging' ORDER BY kind;
SELECT awa.fail(receipt, 'aged and waiting', terminal => true) FROM aged;
SELECT kind, state, priority, args FROM awa.jobs WHERE queue = 'aging' ORDER BY kind;
SELECT kind, priority, args FROM awa.dead_letters WHERE queue = 'aging';
-- F-9: ages of more than 32767 periods, and of 30 years, broke the ranking of lanes
SELECT awa.enqueue('aging', 'older', priority => 3) \g /dev/null
UPDATE awa.ready_entries SET run_at = now() - interval '30 years' WHERE kind = 'older';
TRUNCATE aged;
INSERT INTO aged SELECT * FROM awa.claim('{aging}');
SELECT kind, priority, awa.fail(receipt, 'ancient', '0') FROM aged;
SELECT count(*) AS violations FROM awa.check();

-- refusals are as everywhere, one of each kind (arguments.sql has them all); a stranger's receipt is stale, not an error
\pset format unaligned
\pset tuples_only on
SELECT awa.fail('0:1:2:3:4:5', 'x'), awa.snooze('0:1:2:3:4:5', '1 s'), awa.release('0:1:2:3:4:5'), awa.release_many('{0:1:2:3:4:5}');
SELECT awa.fail(pg_temp.r(26), NULL);
SELECT awa.fail(pg_temp.r(26), 'x', '-1 s');
SELECT awa.fail_many(pg_temp.rs(26), '{a,b}');
SELECT awa.fail_many(pg_temp.rs(26), '{NULL}');
SELECT awa.fail_many(pg_temp.rs(26), '{a}', '{-1 s}');
SELECT awa.snooze(pg_temp.r(26), '101 years');
BEGIN READ ONLY;
SELECT awa.fail('0:1:2:3:4:5', 'x');
ROLLBACK;
SELECT (awa.receipt_state(pg_temp.r(26))).state;
