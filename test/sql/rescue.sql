-- Attempts whose worker is gone or late: what ends, what goes on, and how a sweep comes to all of it. A sweep is of all queues,
-- so this has a database of its own. Claims and heartbeats are made older by hand: nothing here waits for time to pass. What
-- others do meanwhile: test/specs/paused_rescue.spec, rescue_busy.spec.
\set home :DBNAME
CREATE DATABASE regress_awa_rescue;
\c regress_awa_rescue
SET client_min_messages = warning;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
SELECT awa.create_queue('mail', backoff_base => '1 h'), awa.create_queue('dead', max_attempts => 2, dead_letter => true, backoff_base => '1 h'),
       awa.create_queue('once', max_attempts => 1), awa.create_queue('late', deadline => '1 h');
CREATE TABLE held (name text, n serial, receipt awa.receipt);
CREATE FUNCTION put(queue text, n int) RETURNS int LANGUAGE sql AS $$
    SELECT cardinality(awa.enqueue_many($1, 'job', array_fill('1'::jsonb, ARRAY[n]))) $$;
CREATE FUNCTION take(name text, queue text, n int DEFAULT 100) RETURNS int LANGUAGE sql AS $$
    WITH t AS (INSERT INTO held (name, receipt) SELECT $1, receipt FROM awa.claim(ARRAY[$2], n) RETURNING 1) SELECT count(*)::int FROM t $$;
CREATE FUNCTION held(name text) RETURNS awa.receipt[] LANGUAGE sql AS $$
    SELECT array_agg(receipt ORDER BY n) FROM held h WHERE h.name = $1 $$;
CREATE FUNCTION beat(name text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(DISTINCT state, ', ' ORDER BY state) FROM awa.heartbeat(held($1)) $$;
-- as if all that is claimed by now had been claimed, had beaten and begun to wait so much earlier
CREATE PROCEDURE pass(span interval) LANGUAGE sql AS $$
    UPDATE awa.lease_claim_batches SET claimed_at = claimed_at - span, deadline_at = deadline_at - span;
    UPDATE awa.lease_claims SET claimed_at = claimed_at - span, deadline_at = deadline_at - span;
    UPDATE awa.ready_claim_attempt_batches SET claimed_at = claimed_at - span;
    UPDATE awa.leases SET claimed_at = claimed_at - span, deadline_at = deadline_at - span, callback_timeout_at = callback_timeout_at - span;
    UPDATE awa.attempt_state SET heartbeat_at = heartbeat_at - span;
$$;
CREATE VIEW seen AS
SELECT queue, state, attempt, last_error, count(*) FROM awa.jobs GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;

-- refused
SET default_transaction_read_only = on;
SELECT awa.rescue_stale();
\echo :LAST_ERROR_SQLSTATE
SELECT awa.rescue_deadlines();
\echo :LAST_ERROR_SQLSTATE
SELECT awa.rescue_callbacks();
\echo :LAST_ERROR_SQLSTATE
SET default_transaction_read_only = off;
CREATE ROLE regress_awa_rescue_worker;
SELECT awa.grant_worker('regress_awa_rescue_worker');
SET ROLE regress_awa_rescue_worker;
SELECT awa.rescue_stale();
\echo :LAST_ERROR_SQLSTATE
SET awa_ring.rescue_limit = 7;
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
SELECT awa.revoke_all('regress_awa_rescue_worker');
DROP ROLE regress_awa_rescue_worker;
-- nothing to do: nothing is written
SELECT awa.rescue_stale(), awa.rescue_deadlines(), awa.rescue_callbacks(), pg_current_xact_id_if_assigned();

-- stale claims: of several jobs, of one, and of one with a deadline of its own
SELECT put('mail', 3);
SELECT take('three', 'mail'), put('mail', 1);
SELECT take('one', 'mail');
SELECT awa.enqueue('mail', 'own', deadline => '1 d') > 0 AS put;
SELECT take('own', 'mail');
SELECT put('mail', 2);
SELECT take('fresh', 'mail');
SELECT awa.rescue_stale();
CALL pass('80 s');
SELECT awa.rescue_stale();
SELECT beat('fresh');
SELECT awa.complete(ARRAY[(held('three'))[2]]);
CALL pass('10 s');
SELECT awa.rescue_stale();
SELECT awa.rescue_stale();
SELECT * FROM seen;
SELECT h.name, s.state, s.outcome FROM held h, awa.receipt_state(h.receipt) s ORDER BY h.n;
-- the worker hears of it, and can do nothing with its receipt
SELECT beat('one'), beat('own'), beat('fresh'), awa.complete(held('one') || held('own')), awa.fail((held('one'))[1], 'late');
SELECT run_at - finalized_at BETWEEN '1 h' AND '75 min' AS backs_off FROM awa.deferred_jobs;
SELECT * FROM awa.check();
-- … of those that beat, the heartbeat counts, not the claim
CALL pass('80 s');
SELECT awa.rescue_stale();
CALL pass('10 s');
SELECT awa.rescue_stale(), awa.rescue_deadlines(), awa.rescue_callbacks();
SELECT * FROM seen;
SELECT count(*) FROM awa.attempt_state;
-- staleness is the queue's
SELECT awa.alter_queue('mail', stale_after => '1 d'), put('mail', 1);
SELECT take('patient', 'mail');
CALL pass('1 h');
SELECT awa.rescue_stale();
SELECT awa.alter_queue('mail', stale_after => '90 s'), awa.rescue_stale();
DELETE FROM awa.deferred_jobs;

-- an attempt that was rescued counts: a worker that always crashes comes to an end
SELECT put('dead', 1), put('once', 1);
SELECT take('crash', 'dead'), take('crash', 'once');
CALL pass('1 h');
SELECT awa.rescue_stale();
UPDATE awa.deferred_jobs SET run_at = now();
SELECT awa.promote_due();
SELECT take('crash', 'dead');
CALL pass('1 h');
SELECT awa.rescue_stale(), awa.rescue_stale();
SELECT * FROM seen WHERE queue IN ('dead', 'once');
SELECT queue, dlq_reason, jsonb_array_length(errors) AS errors, errors -> 1 -> 'terminal' AS terminal FROM awa.dead_letters;
SELECT queue, outcome, attempt FROM awa.terminal_jobs WHERE state = 'failed';
SELECT * FROM awa.check();

-- deadlines, in all shapes: of a claim, of a job, of an attempt outside the rings. A heartbeat does not help.
SELECT put('late', 2);
SELECT take('late', 'late');
SELECT awa.enqueue('mail', 'own', deadline => '2 h') > 0 AS put;
SELECT take('own deadline', 'mail');
SELECT awa.enqueue('late', 'none', deadline => '0') > 0 AS put;
SELECT take('no deadline', 'late');
SELECT put('late', 1);
SELECT take('outside', 'late');
UPDATE awa.queues SET stale_after = '1 year';
CALL pass('59 min');
SELECT awa.rescue_deadlines();
SELECT beat('late'), beat('own deadline'), awa.complete(ARRAY[(held('late'))[1]]);
CALL pass('1 min');
SELECT awa.rescue_deadlines(), awa.rescue_deadlines();
CALL pass('1 h');
SELECT awa.rescue_deadlines(), awa.rescue_deadlines();
SELECT * FROM seen WHERE state <> 'completed' AND last_error LIKE 'deadline%';
SELECT h.name, s.state, s.outcome FROM held h, awa.receipt_state(h.receipt) s WHERE h.name ~ 'deadline|late|outside' ORDER BY h.n;
-- … who waits for a callback has no deadline but that of the wait
SELECT awa.complete(held('no deadline'));
SELECT put('late', 2);
SELECT take('waits', 'late');
SELECT awa.wait_external((held('waits'))[1], '2 h') IS NOT NULL AS waits, awa.wait_external((held('waits'))[2], '1 d') IS NOT NULL AS waits;
CALL pass('119 min');
SELECT awa.rescue_deadlines(), awa.rescue_callbacks(), awa.rescue_stale();
CALL pass('1 min');
SELECT awa.rescue_deadlines(), awa.rescue_stale(), awa.rescue_callbacks(), awa.rescue_callbacks();
SELECT * FROM seen WHERE queue = 'late';
SELECT beat('waits');
SELECT put('dead', 1);
SELECT take('waits twice', 'dead');
SELECT awa.wait_external((held('waits twice'))[1], '1 h') IS NOT NULL AS waits;
CALL pass('1 h');
UPDATE awa.leases SET attempt = max_attempts WHERE callback_timeout_at < now();
SELECT awa.rescue_callbacks();
SELECT dlq_reason, last_error FROM awa.dead_letters ORDER BY dlq_at DESC LIMIT 1;
SELECT * FROM awa.check();
DELETE FROM awa.deferred_jobs;
UPDATE awa.queues SET stale_after = '90 s';

-- an attempt outside the rings that runs is rescued like any other; one that waits is never stale
UPDATE awa.leases SET state = 'running', callback_id = NULL, callback_timeout_at = NULL;
SELECT beat('waits');
SELECT awa.rescue_stale();
CALL pass('91 s');
SELECT awa.rescue_stale();
SELECT count(*) FROM awa.leases;
SELECT * FROM awa.check();
DELETE FROM awa.deferred_jobs;

-- a call ends no more than it may
SET awa_ring.rescue_limit = 3;
SELECT put('mail', 10);
SELECT take('many', 'mail');
CALL pass('1 h');
SELECT awa.rescue_stale(), awa.rescue_stale(), awa.rescue_stale(), awa.rescue_stale(), awa.rescue_stale();
RESET awa_ring.rescue_limit;
DELETE FROM awa.deferred_jobs;

-- F-10, and what lies in front: 50 claims that beat, then one that is stale; a sweep visits 20 of them at most
CALL awa.rotate('claim');
CALL awa.prune('claim');
SET awa_ring.rescue_scan_limit = 20;
SELECT put('mail', 51);
SELECT sum(take('beats', 'mail', 1)) FROM generate_series(1, 50);
SELECT take('silent', 'mail');
CALL pass('1 h');
SELECT beat('beats');
SELECT awa.rescue_stale(), awa.rescue_stale(), awa.rescue_stale();
SELECT state, count(*) FROM awa.jobs WHERE queue = 'mail' AND state IN ('running', 'retryable') GROUP BY 1 ORDER BY 1;
-- round and round, whoever looks on: the cursor is where the last sweep left it
SELECT awa.complete((held('beats'))[1:30]);
SELECT awa.rescue_stale(), awa.rescue_stale();
CALL pass('1 h');
SELECT awa.rescue_stale() + awa.rescue_stale() + awa.rescue_stale() AS rescued;
SELECT count(*) FROM awa.open_claims;
-- where a sweep sees all there is, the cursor stays: an idle system writes nothing
RESET awa_ring.rescue_scan_limit;
BEGIN;
SELECT awa.rescue_stale(), awa.rescue_deadlines(), awa.rescue_callbacks();
SELECT pg_current_xact_id_if_assigned();
COMMIT;
DELETE FROM awa.deferred_jobs;
-- what a sweep reads does not grow with the history of the slot
CREATE FUNCTION blocks_read(verb text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan json; BEGIN
    EXECUTE format('EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT awa.%I()', verb) INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::bigint + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::bigint;
END $$;
CREATE PROCEDURE work(n int) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. n LOOP
        PERFORM put('late', 1); COMMIT;
        PERFORM awa.complete(ARRAY(SELECT receipt FROM awa.claim('{late}'))); COMMIT;
    END LOOP;
END $$;
SET awa_ring.rescue_scan_limit = 100;
CREATE PROCEDURE fill(n int) LANGUAGE plpgsql AS $$
DECLARE outcome text; BEGIN
    CALL awa.rotate('claim', outcome);
    CALL awa.prune('claim', outcome);
    CALL work(n);
    CALL pass('2 h');
    PERFORM blocks_read('rescue_stale'), blocks_read('rescue_deadlines');
END $$;
CALL fill(150);
SELECT blocks_read('rescue_stale') AS stale, blocks_read('rescue_deadlines') AS deadlines \gset short_
CALL fill(3000);
SELECT blocks_read('rescue_stale') AS stale, blocks_read('rescue_deadlines') AS deadlines \gset long_
SELECT :long_stale < :short_stale * 2 AS stale, :long_deadlines < :short_deadlines * 2 AS deadlines;
RESET awa_ring.rescue_scan_limit;

-- one bad row does not stop the others, nor the next sweep
SELECT put('mail', 3);
SELECT take('bad', 'mail');
CREATE TABLE lost AS SELECT * FROM awa.ready_entries WHERE job_id = split_part((held('bad'))[2]::text, ':', 4)::bigint;
DELETE FROM awa.ready_entries e USING lost l WHERE e.job_id = l.job_id;
CALL pass('1 h');
\set VERBOSITY sqlstate
SELECT awa.rescue_stale();
\set VERBOSITY default
SELECT awa.rescue_stale();
SELECT count(*) FROM awa.open_claims;
DELETE FROM awa.deferred_jobs;
INSERT INTO awa.ready_entries SELECT * FROM lost;
UPDATE awa.ready_entries e SET xid = l.xid FROM lost l WHERE e.job_id = l.job_id;
SELECT awa.rescue_stale() AS left_alone_for_a_minute;
\c
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SELECT awa.rescue_stale();
SELECT * FROM awa.check();
DELETE FROM awa.deferred_jobs;

-- a job that needs its unique key again and finds it held ends cancelled
SELECT awa.enqueue('mail', 'unique', unique_key => 'k', unique_while => '{available,retryable}') > 0 AS put;
SELECT take('unique', 'mail');
SELECT awa.enqueue('mail', 'newer', unique_key => 'k', unique_while => '{available,retryable}') > 0 AS put;
CALL pass('1 h');
SELECT awa.rescue_stale();
SELECT kind, state, regexp_replace(last_error, '\d+', '#') AS last_error FROM awa.jobs WHERE unique_key = 'k' ORDER BY kind;
SELECT take('newer', 'mail');
CALL pass('1 h');
SELECT awa.rescue_stale();
SELECT kind, state FROM awa.jobs WHERE unique_key = 'k' ORDER BY kind;
SELECT * FROM awa.check();

-- in every isolation level, and undone by a rollback
SELECT put('mail', 3);
SELECT take('levels', 'mail');
CALL pass('1 h');
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT awa.rescue_stale();
ROLLBACK;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM awa.queues;
SAVEPOINT one;
SELECT awa.rescue_stale();
ROLLBACK TO one;
SELECT awa.rescue_stale();
COMMIT;
SELECT awa.rescue_stale();
-- … the place where it came to as well, which a session knows better than the table when it sweeps often
SELECT put('mail', 30);
CALL awa.rotate('claim');
SELECT count(take('many', 'mail', 1)) FROM generate_series(1, 30);
CALL pass('1 h');
SET awa_ring.rescue_scan_limit = 20;
DO $$ DECLARE n int; first int; BEGIN
  FOR i IN 1 .. 5 LOOP
    BEGIN
      n := awa.rescue_stale();
      first := coalesce(first, n);
      IF n <> first THEN RAISE 'sweep % of those rolled back began elsewhere', i; END IF;
      RAISE division_by_zero;
    EXCEPTION WHEN division_by_zero THEN
    END;
  END LOOP;
END $$;
BEGIN;
SELECT awa.rescue_stale();
ROLLBACK;
SELECT awa.rescue_stale();
SELECT awa.rescue_stale();
RESET awa_ring.rescue_scan_limit;
SELECT * FROM awa.check();
\c :home
DROP DATABASE regress_awa_rescue WITH (FORCE);
