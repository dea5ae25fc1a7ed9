-- Maintenance as a whole: duties that are due run once, each by itself; an error stops none of the others; retention keeps
-- what it says and loses no count. Slots are counted from the start, so this has a database of its own. What others do
-- meanwhile: test/specs/maintain.spec, paused_maintain.spec; standby and restore: test/t/standby, test/t/restore.
\set home :DBNAME
CREATE DATABASE regress_awa_maintain;
\c regress_awa_maintain
SET client_min_messages = warning;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
SELECT awa.create_queue('mail'), awa.create_queue('failing', max_attempts => 1),
       awa.create_queue('letters', max_attempts => 1, dead_letter => true);
CREATE TABLE tally (queue text, jobs int);
CREATE FUNCTION put(queue text, n int) RETURNS int LANGUAGE sql AS $$
    INSERT INTO tally VALUES ($1, n);
    SELECT cardinality(awa.enqueue_many($1, 'job', ARRAY(SELECT to_jsonb(i) FROM generate_series(1, n) i))) $$;
CREATE FUNCTION put_one(queue text, kind text, delay interval DEFAULT NULL, priority int DEFAULT 2) RETURNS boolean LANGUAGE sql AS $$
    INSERT INTO tally VALUES ($1, 1);
    SELECT awa.enqueue($1, $2, run_at => clock_timestamp() + $3, priority => $4) > 0 $$;
CREATE FUNCTION work(queue text, n int) RETURNS int LANGUAGE sql AS $$
    SELECT awa.complete(ARRAY(SELECT receipt FROM awa.claim(ARRAY[$1], $2))) $$;
CREATE FUNCTION spoil(queue text, n int) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM (SELECT array_agg(receipt) AS r FROM awa.claim(ARRAY[$1], $2)) c,
        awa.fail_many(c.r, array_fill('no'::text, ARRAY[cardinality(c.r)])) $$;
-- every job that ever was is somewhere, once, or was counted when it went
CREATE VIEW lost AS
SELECT t.queue, t.jobs AS ever, coalesce(j.seen, 0) AS seen, coalesce(j.twice, 0) AS twice, coalesce(r.gone, 0) AS gone
FROM (SELECT queue, sum(jobs) AS jobs FROM tally GROUP BY 1) t
     LEFT JOIN (SELECT queue, sum(n) AS seen, sum(n - 1) AS twice FROM (SELECT queue, count(*) AS n FROM awa.jobs GROUP BY queue, job_id) x GROUP BY 1) j USING (queue)
     LEFT JOIN (SELECT q.queue, sum(r.jobs) AS gone FROM awa.queue_terminal_rollups r JOIN awa.queues q USING (queue_id) GROUP BY 1) r USING (queue)
WHERE t.jobs IS DISTINCT FROM coalesce(j.seen, 0) + coalesce(r.gone, 0) OR j.twice > 0;
CREATE VIEW rings AS SELECT ring, slot, generation, state FROM awa.ring_status WHERE state <> 'empty' ORDER BY 1, 2;
-- all that a session knows is gone with it, and a new one writes down at once what it did
CREATE VIEW duties AS
SELECT duty, last_outcome, affected_total, failures, left(last_error, 60) AS last_error, paused FROM awa.duty_status
WHERE last_run IS NOT NULL OR paused;
-- what took longer than this did not go well
ALTER DATABASE regress_awa_maintain SET awa_ring.duty_interval = '10 ms';
\c
SET client_min_messages = warning;

-- where it is refused
SELECT duty, last_run IS NULL AS never, last_outcome, affected_total, failures, last_error, next_due, paused FROM awa.duty_status;
BEGIN;
CALL awa.maintain();
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
BEGIN;
CALL awa.apply_retention();
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
CREATE FUNCTION in_a_function() RETURNS text LANGUAGE plpgsql AS $$
DECLARE outcome text;
BEGIN CALL awa.maintain(outcome); RETURN outcome; END $$;
SELECT in_a_function();
\echo :LAST_ERROR_SQLSTATE
DO $$ DECLARE outcome text; BEGIN
    BEGIN CALL awa.maintain(outcome); EXCEPTION WHEN active_sql_transaction THEN RAISE WARNING 'in a subtransaction: %', SQLSTATE; END;
END $$;
DO $$ DECLARE outcome text; BEGIN PERFORM put('mail', 1); CALL awa.maintain(outcome); END $$;
\echo :LAST_ERROR_SQLSTATE
SET default_transaction_read_only = on;
CALL awa.maintain();
\echo :LAST_ERROR_SQLSTATE
CALL awa.apply_retention();
\echo :LAST_ERROR_SQLSTATE
SELECT awa.pause_maintenance();
\echo :LAST_ERROR_SQLSTATE
SET default_transaction_read_only = off;
CREATE ROLE regress_awa_nobody;
SET ROLE regress_awa_nobody;
CALL awa.maintain();
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
-- who is granted it needs no right on a table
SELECT awa.grant_admin('regress_awa_nobody');
SET ROLE regress_awa_nobody;
CALL awa.maintain();
SELECT count(*), count(last_run) FROM awa.duty_status;
RESET ROLE;
SELECT awa.revoke_all('regress_awa_nobody');
DROP ROLE regress_awa_nobody;
-- a block outside of a transaction may
DO $$ DECLARE outcome text; BEGIN CALL awa.maintain(outcome); RAISE WARNING '%', outcome; END $$;

-- nothing is there: nothing turns, nothing is emptied, nothing is written but once a minute
SELECT max(xmin::text::bigint) AS newest FROM awa.maintenance_state \gset before_
DO $$ DECLARE outcome text; BEGIN
    FOR i IN 1 .. 30 LOOP CALL awa.maintain(outcome); IF outcome <> 'none' THEN RAISE WARNING '%', outcome; END IF; PERFORM pg_sleep(0.011); END LOOP;
END $$;
SELECT max(xmin::text::bigint) = :before_newest AS nothing_was_written FROM awa.maintenance_state;
SELECT * FROM rings;
SELECT * FROM duties;
-- an empty round assigns no transaction id
SELECT pg_current_xact_id()::text::bigint AS xid \gset
CALL awa.maintain();
SELECT pg_current_xact_id()::text::bigint - :xid < 5 AS few;

-- what is due is done, once: promotion, the three rescues
SELECT put_one('mail', 'soon', '300 ms'), put_one('mail', 'later', '1 d');
SELECT awa.create_queue('slow', stale_after => '40 ms', backoff_base => '1 h'), put('slow', 2);
SELECT count(*) FROM awa.claim('{slow}', 1);
SELECT count(*) FROM awa.claim('{slow}', 1, '40 ms');
SELECT awa.create_queue('waits', backoff_base => '1 h'), put('waits', 1);
SELECT awa.wait_external(receipt, '40 ms') IS NOT NULL AS waits FROM awa.claim('{waits}');
SELECT pg_sleep(0.4);
\c
SET client_min_messages = warning;
CALL awa.maintain();
SELECT * FROM duties;
SELECT kind, queue, state, last_error FROM awa.jobs WHERE state <> 'completed' ORDER BY job_id;
SELECT pg_sleep(0.02);
CALL awa.maintain();
SELECT awa.purge_queue('slow'), awa.purge_queue('waits'), awa.purge_queue('mail');

-- rings turn when they are to: by claims, by size, by age
SET awa_ring.claim_turn_claims = 3;
SELECT put('mail', 10);
SELECT work('mail', 1), work('mail', 1);
SELECT pg_sleep(0.02);
CALL awa.maintain();
SELECT * FROM rings;
SELECT work('mail', 1), work('mail', 1);
SELECT pg_sleep(0.02);
CALL awa.maintain();
SELECT * FROM rings;
SET awa_ring.claim_turn_claims = 0;
SET awa_ring.claim_turn_age = 1;
SELECT work('mail', 1);
SELECT pg_sleep(1.1);
CALL awa.maintain();
SELECT * FROM rings;
RESET awa_ring.claim_turn_age;
RESET awa_ring.claim_turn_claims;
SET awa_ring.queue_turn_size = '16 MB';
SELECT pg_sleep(0.02);
CALL awa.maintain();
SELECT count(*) FROM rings WHERE ring = 'queue';
SET awa_ring.queue_turn_size = '200 kB';
SELECT put('mail', 1000);
SELECT pg_sleep(0.02);
CALL awa.maintain();
SELECT * FROM rings WHERE ring = 'queue';
RESET awa_ring.queue_turn_size;
SET awa_ring.queue_turn_age = 1;
SELECT put('mail', 1);
SELECT pg_sleep(1.1);
CALL awa.maintain();
SELECT * FROM rings WHERE ring = 'queue';
-- an idle ring does not turn, however old its slot is
SELECT pg_sleep(1.1);
CALL awa.maintain();
SELECT count(*) FROM rings WHERE ring = 'queue';
RESET awa_ring.queue_turn_age;
-- history_retention makes the age when nobody does
SET awa_ring.history_retention = '12 s';
SELECT put('mail', 1);
SELECT pg_sleep(1.1);
CALL awa.maintain();
SELECT count(*) FROM rings WHERE ring = 'queue';
SELECT pg_sleep(0.4);

-- no slot is emptied while three are empty; then as many as can be, and no more is moved than is needed
SET awa_ring.history_retention = 0;
SELECT work('mail', 10000);
CALL awa.rotate('claim');
SELECT pg_sleep(0.02);
CALL awa.maintain();
SELECT ring, count(*) FROM rings GROUP BY 1 ORDER BY 1;
-- two more jobs than slots: the rings are full, but for what is kept empty
DO $$ DECLARE outcome text; BEGIN
    PERFORM put('mail', 3); COMMIT;  -- waits, in the first slot
    FOR i IN 1 .. 40 LOOP
        PERFORM awa.complete(ARRAY(SELECT receipt FROM awa.claim('{failing}'))); COMMIT;
        PERFORM put('failing', 1), put('slow', 1); COMMIT;
        PERFORM work('slow', 1); COMMIT;
        CALL awa.rotate('claim', outcome); CALL awa.rotate('queue', outcome);
        IF outcome <> 'rotated' THEN RAISE WARNING '%', outcome; END IF;
        PERFORM pg_sleep(0.011);
        CALL awa.maintain(outcome);
    END LOOP;
END $$;
SELECT ring, count(*) <= CASE ring WHEN 'queue' THEN 13 ELSE 5 END AS room FROM rings GROUP BY 1 ORDER BY 1;
SELECT available, running FROM awa.queue_counts('mail');
SELECT kind, args FROM awa.claim('{mail}', 10);
DO $$ BEGIN PERFORM awa.complete(ARRAY(SELECT receipt FROM awa.open_claims)); END $$;
SELECT work('failing', 10);
SELECT * FROM awa.check();

-- history_retention: what ended is readable for that long at least, though there be no room
SET awa_ring.history_retention = '1 h';
SELECT put('mail', 5);
SELECT work('mail', 5);
DO $$ DECLARE outcome text; BEGIN
    FOR i IN 1 .. 20 LOOP
        PERFORM put('mail', 1); COMMIT; PERFORM work('mail', 1); COMMIT;
        CALL awa.rotate('claim', outcome); CALL awa.rotate('queue', outcome);
        PERFORM pg_sleep(0.011); CALL awa.maintain(outcome);
    END LOOP;
    RAISE WARNING '%', outcome;
END $$;
SELECT count(*) FILTER (WHERE state = 'empty') AS empty FROM awa.ring_status WHERE ring = 'queue';
SELECT completed >= 25 AS all_of_them FROM awa.queue_counts('mail');
CALL awa.rotate('queue');
\c
SET client_min_messages = warning;
SELECT pg_sleep(0.4);
SET awa_ring.history_retention = 0;
CALL awa.maintain();
SELECT last_outcome FROM awa.duty_status WHERE duty = 'make_room_queue';
SELECT count(*) FILTER (WHERE state = 'empty') AS empty FROM awa.ring_status WHERE ring = 'queue';
SELECT * FROM awa.check();

-- retention of failed jobs and dead letters: kept for as long as their queue says now, then gone, and counted
SELECT put('failing', 3), put('letters', 2), put_one('failing', 'other', priority => 1);
SELECT spoil('failing', 10), spoil('letters', 10);
CALL awa.rotate('claim');
CALL awa.rotate('queue');
CALL awa.prune('claim');
CALL awa.prune('queue');
SELECT queue, state, count(*) FROM awa.terminal_jobs WHERE queue IN ('failing', 'letters') AND state <> 'completed' GROUP BY 1, 2 ORDER BY 1;
SELECT count(*) FROM awa.failed_history;
SELECT * FROM lost;
CALL awa.apply_retention();
-- some are older than others
UPDATE awa.failed_history SET finalized_at = finalized_at - interval '3 d' WHERE priority = 1;
UPDATE awa.dlq_entries SET dlq_at = dlq_at - interval '29 d';
CALL awa.apply_retention();
SELECT queue, outcome, sum(jobs) FROM awa.queue_terminal_rollups JOIN awa.queues USING (queue_id) WHERE queue IN ('failing', 'letters') AND outcome <> 'completed' GROUP BY 1, 2;
CALL awa.apply_retention();
SELECT awa.alter_queue('letters', dead_letter_retention => '28 d');
CALL awa.apply_retention();
SELECT awa.alter_queue('failing', failed_retention => '1 us');
-- also of a queue that is no more
SELECT awa.drop_queue('failing');
\c
SET client_min_messages = warning;
UPDATE awa.maintenance_state SET last_run = last_run - interval '1 h', next_due = next_due - interval '1 h';
CALL awa.maintain();
SELECT * FROM duties WHERE duty = 'apply_retention';
SELECT queue, outcome, sum(jobs) FROM awa.queue_terminal_rollups JOIN awa.queues USING (queue_id) WHERE queue IN ('failing', 'letters') AND outcome <> 'completed' GROUP BY 1, 2 ORDER BY 1;
SELECT count(*) FROM awa.failed_history;
SELECT count(*) FROM awa.dlq_entries;
-- a failed job that is still in its slot goes with the slot; then it was not kept apart
SELECT awa.create_queue('brief', max_attempts => 1, failed_retention => '1 us'), put('brief', 2);
SELECT spoil('brief', 10);
CALL awa.apply_retention();
SELECT failed FROM awa.queue_counts('brief');
SET awa_ring.history_retention = 0;
CALL awa.rotate('claim');
CALL awa.rotate('queue');
CALL awa.prune('claim');
CALL awa.prune('queue');
SELECT * FROM lost;
-- many are removed in batches
SELECT awa.create_queue('many', max_attempts => 1), put('many', 2500);
SELECT spoil('many', 2500);
CALL awa.rotate('queue');
CALL awa.rotate('claim');
CALL awa.prune('claim');
CALL awa.prune('queue');
SELECT count(*) FROM awa.failed_history;
SELECT awa.alter_queue('many', failed_retention => '1 us');
CALL awa.apply_retention();
SELECT * FROM lost;
SELECT * FROM awa.check();

-- an error in one duty stops no other, and it alone is tried later and later
ALTER TABLE awa.deferred_jobs RENAME TO lost_jobs;
SELECT put('mail', 1);
SELECT work('mail', 1);
\c
SET client_min_messages = warning;
SELECT pg_sleep(0.02);
SET awa_ring.claim_turn_claims = 1;
CALL awa.maintain();
SELECT * FROM duties WHERE duty IN ('promote_due', 'rotate_claim');
SELECT next_due - last_run BETWEEN '1 s' AND '1.3 s' AS backs_off FROM awa.duty_status WHERE duty = 'promote_due';
SELECT pg_sleep(0.05);
CALL awa.maintain();
-- another session goes by it
\c
SET client_min_messages = warning;
CALL awa.maintain();
SELECT failures FROM duties WHERE duty = 'promote_due';
SELECT pg_sleep(1.3);
CALL awa.maintain();
SELECT failures FROM duties WHERE duty = 'promote_due';
SELECT next_due - last_run BETWEEN '2 s' AND '2.6 s' AS backs_off FROM awa.duty_status WHERE duty = 'promote_due';
-- by hand it is done when it is asked for
SELECT awa.promote_due();
ALTER TABLE awa.lost_jobs RENAME TO deferred_jobs;
SELECT awa.promote_due();
SELECT pg_sleep(2.6);
CALL awa.maintain();
SELECT duty, last_outcome, failures, last_error IS NOT NULL AS remembers FROM awa.duty_status WHERE duty = 'promote_due';
-- a cancel is no failure: it ends the call
SET statement_timeout = '300 ms';
DO $$ DECLARE outcome text; BEGIN LOOP CALL awa.maintain(outcome); END LOOP; END $$;
\echo :LAST_ERROR_SQLSTATE
RESET statement_timeout;
SELECT sum(failures) AS failures FROM awa.duty_status;
CALL awa.maintain();

-- held, and let go
SELECT awa.pause_maintenance(), awa.pause_maintenance();
SELECT put_one('mail', 'soon', '300 ms');
SELECT pg_sleep(0.4);
CALL awa.maintain();
SELECT count(*) FILTER (WHERE paused) AS paused, count(next_due) AS due FROM awa.duty_status;
SELECT available, scheduled FROM awa.queue_counts('mail');
SELECT awa.promote_due();
SELECT awa.resume_maintenance(), awa.resume_maintenance();
SELECT put_one('mail', 'soon', '300 ms');
SELECT pg_sleep(0.4);
CALL awa.maintain();
SELECT available, scheduled FROM awa.queue_counts('mail');
-- one duty alone; a duty that this version does not know
INSERT INTO awa.maintenance_state (duty, paused) VALUES ('promote_due', true), ('of_another_version', false)
ON CONFLICT (duty) DO UPDATE SET paused = true;
SELECT put_one('mail', 'soon', '300 ms');
SELECT pg_sleep(0.4);
CALL awa.maintain();
SELECT available, scheduled FROM awa.queue_counts('mail');
SELECT count(*) FROM awa.duty_status WHERE duty = 'of_another_version';
SELECT awa.resume_maintenance();

-- a restore under way stops it all
INSERT INTO awa.foreign_loads (leaf) VALUES ('by hand');
SELECT pg_sleep(0.02);
CALL awa.maintain();
CALL awa.apply_retention();
SELECT available, scheduled FROM awa.queue_counts('mail');
CALL awa.after_restore();
CALL awa.maintain();
SELECT available, scheduled FROM awa.queue_counts('mail');
SELECT * FROM lost;
SELECT * FROM awa.check();

-- the extension is created anew: nothing of the old is remembered
SELECT awa.pause_maintenance();
DROP EXTENSION awa_ring CASCADE;
CREATE EXTENSION awa_ring;
CALL awa.maintain();
SELECT count(last_run), count(*) FILTER (WHERE paused) AS paused FROM awa.duty_status;
\c :home
DROP DATABASE regress_awa_maintain WITH (FORCE);
