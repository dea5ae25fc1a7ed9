-- Turning and emptying the rings: what is refused, what is proven, what a stale handle can do. Generations count from the
-- start, so this has a database of its own. What others do meanwhile: test/t/rings, test/stress/rings.
\set home :DBNAME
CREATE DATABASE regress_awa_rings;
\c regress_awa_rings
SET client_min_messages = warning;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
SELECT awa.create_queue('mail');
SET awa_ring.history_retention = 0;
CREATE VIEW rings AS
SELECT ring, slot, generation, state FROM awa.ring_status WHERE ring <> 'lease' AND state <> 'empty' ORDER BY 1, 2;
-- n jobs in one call; n receipts, kept under a name
CREATE FUNCTION put(n int) RETURNS int LANGUAGE sql AS $$
    SELECT cardinality(awa.enqueue_many('mail', 'job', array_fill('1'::jsonb, ARRAY[n]))) $$;
CREATE TABLE held (name text, receipt awa.receipt);
CREATE FUNCTION take(name text, n int) RETURNS int LANGUAGE sql AS $$
    WITH t AS (INSERT INTO held SELECT $1, receipt FROM awa.claim('{mail}', n) RETURNING 1) SELECT count(*)::int FROM t $$;
CREATE FUNCTION done(name text, n int DEFAULT NULL) RETURNS int LANGUAGE sql AS $$
    SELECT awa.complete(ARRAY(SELECT receipt FROM held h WHERE h.name = $1 ORDER BY receipt LIMIT n)) $$;

-- refused: inside a transaction, in a function, after something was written, what is no ring
BEGIN;
CALL awa.rotate('queue');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
BEGIN;
CALL awa.prune('claim');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
BEGIN;
SELECT put(1);
CALL awa.prune('queue');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
BEGIN;
CALL awa.after_restore();
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
CREATE FUNCTION in_a_function() RETURNS text LANGUAGE plpgsql AS $$
DECLARE outcome text;
BEGIN CALL awa.rotate('queue', outcome); RETURN outcome; END $$;
SELECT in_a_function();
\echo :LAST_ERROR_SQLSTATE
-- a block outside of a transaction may commit, so it may do it, but not after it wrote
DO $$ DECLARE outcome text; BEGIN CALL awa.rotate('queue', outcome); RAISE WARNING '%', outcome; END $$;
DO $$ DECLARE outcome text; BEGIN PERFORM put(1); CALL awa.prune('queue', outcome); END $$;
\echo :LAST_ERROR_SQLSTATE
DO $$ DECLARE outcome text; BEGIN PERFORM put(1); CALL awa.rotate('queue', outcome); END $$;
\echo :LAST_ERROR_SQLSTATE
DO $$ DECLARE outcome text; BEGIN
    PERFORM put(1); COMMIT; CALL awa.rotate('queue', outcome); RAISE WARNING '%', outcome;
    CALL awa.prune('queue', outcome); RAISE WARNING '%', outcome;
END $$;
DO $$ DECLARE outcome text; BEGIN
    BEGIN CALL awa.prune('queue', outcome); EXCEPTION WHEN active_sql_transaction THEN RAISE WARNING 'in a subtransaction: %', SQLSTATE; END;
END $$;
CALL awa.rotate('ready');
\echo :LAST_ERROR_SQLSTATE
CALL awa.rotate(NULL);
\echo :LAST_ERROR_SQLSTATE
CALL awa.prune('');
\echo :LAST_ERROR_SQLSTATE
SET default_transaction_read_only = on;
CALL awa.rotate('claim');
\echo :LAST_ERROR_SQLSTATE
CALL awa.prune('claim');
\echo :LAST_ERROR_SQLSTATE
CALL awa.after_restore();
\echo :LAST_ERROR_SQLSTATE
SET default_transaction_read_only = off;
SELECT * FROM rings;
SELECT take('first', 10), done('first');

-- an idle ring does not turn; it turns to a slot that is empty; what holds no live thing is emptied
CALL awa.rotate('claim');
CALL awa.rotate('claim');
CALL awa.rotate('lease');
CALL awa.prune('lease');
CALL awa.rotate('queue');
SELECT * FROM rings;
CALL awa.prune('queue');
CALL awa.prune('claim');
CALL awa.prune('claim');
SELECT * FROM rings;
SELECT outcome, jobs FROM awa.queue_terminal_rollups;

-- history is kept for its time
SELECT put(5);
SELECT take('kept', 5);
SELECT done('kept');
CALL awa.rotate('queue');
SET awa_ring.history_retention = '1h';
CALL awa.prune('queue');
SELECT completed FROM awa.queue_counts('mail');
SET awa_ring.history_retention = 0;
CALL awa.prune('queue');
SELECT completed FROM awa.queue_counts('mail');
SELECT completed_total FROM awa.queue_stats;
CALL awa.rotate('claim');
CALL awa.prune('claim');

-- one open receipt among 10,000 closed
SELECT put(10000);
SELECT take('many', 10000);
SELECT done('many', 9999);
CALL awa.rotate('claim');
CALL awa.rotate('queue');
CALL awa.prune('claim');
CALL awa.prune('queue');
SELECT running, completed FROM awa.queue_counts('mail');
SELECT * FROM awa.check();
-- the same after a closure that was done twice, by hand: as many closed as claimed, but not the same
SELECT claim_slot, receipt::text FROM awa.open_claims \gset open_
INSERT INTO awa.lease_claim_closure_batches
SELECT claim_slot, ready_slot, batch_id + 1, claim_batch_id, ready_generation, closed_at, 1,
       int8multirange(int8range(lower(receipt_ranges), lower(receipt_ranges), '[]')), outcome
FROM awa.lease_claim_closure_batches ORDER BY batch_id LIMIT 1;
SELECT sum(claimed_count) = (SELECT sum(closed_count) FROM awa.lease_claim_closure_batches) AS sums_agree FROM awa.lease_claim_batches;
CALL awa.prune('claim');
CALL awa.prune('queue');
SELECT count(*) FROM awa.open_claims;
SELECT invariant, regexp_replace(object, '\d{5,}', '#', 'g') AS object, regexp_replace(detail, '\d{5,}', '#', 'g') AS detail FROM awa.check();
-- closing the open one does not make it whole: sums differ now
SELECT awa.complete(ARRAY[:'open_receipt'::awa.receipt]);
CALL awa.prune('claim');
SELECT count(*) FROM awa.check();
DELETE FROM awa.lease_claim_closure_batches x WHERE closed_count = 1 AND EXISTS (
    SELECT FROM awa.lease_claim_closure_batches y WHERE y.batch_id <> x.batch_id AND y.receipt_ranges && x.receipt_ranges);
-- (the delete above went past the verbs, but only inserts are loads)
CALL awa.prune('claim');
CALL awa.prune('queue');
SELECT * FROM awa.check();
SELECT completed_total FROM awa.queue_stats;
SELECT * FROM rings;

-- a row-local claim keeps its claim slot and its ready slot until its closure
SELECT put(1);
SELECT take('own', 1);
SELECT count(*) FROM awa.open_claims WHERE shape = 'row';
SELECT * FROM awa.check();
CALL awa.rotate('claim');
CALL awa.rotate('queue');
CALL awa.prune('claim');
CALL awa.prune('queue');
INSERT INTO awa.lease_claim_closures SELECT claim_slot, ready_slot, receipt_id, job_id, run_lease, now(), 'released' FROM awa.lease_claims;
CALL awa.prune('claim');
CALL awa.prune('queue');
SELECT * FROM awa.check();

-- an entry that waits keeps its slot; deleted and purged ones do not
SELECT put(3);
CALL awa.rotate('queue');
CALL awa.prune('queue');
SELECT min(job_id) AS job FROM awa.jobs \gset
SELECT awa.delete_job(:job), awa.delete_job(:job), awa.delete_job(-1);
SELECT awa.delete_job(NULL);
\echo :LAST_ERROR_SQLSTATE
SELECT available FROM awa.queue_counts('mail');
SELECT take('one', 1);
SELECT awa.purge_queue('mail');
CALL awa.prune('queue');
SELECT awa.delete_job((SELECT job_id FROM awa.jobs WHERE state = 'running')) AS running_deleted;
SELECT done('one');
CALL awa.rotate('claim');
CALL awa.prune('claim');
CALL awa.prune('queue');
SELECT outcome, jobs FROM awa.queue_terminal_rollups ORDER BY 1;
SELECT * FROM awa.check();

-- a slot that has blocks but no rows is emptied like any other
SELECT put(2);
BEGIN;
SELECT put(2);
SELECT take('undone', 4);
ROLLBACK;
SELECT awa.purge_queue('mail');
SELECT * FROM rings;
CALL awa.rotate('queue');
CALL awa.rotate('claim');
CALL awa.prune('queue');
CALL awa.prune('claim');
SELECT * FROM rings;

-- a ring without an empty slot does not turn, and goes on taking jobs
DO $$ DECLARE outcome text; words text[]; BEGIN
    FOR i IN 1 .. 17 LOOP
        PERFORM put(1); COMMIT;
        CALL awa.rotate('queue', outcome);
        words := words || outcome;
    END LOOP;
    RAISE WARNING '%', words;
END $$;
SELECT state, count(*) FROM awa.ring_status WHERE ring = 'queue' GROUP BY 1 ORDER BY 1;
SELECT take('full', 100), done('full');
CALL awa.prune('queue');
CALL awa.rotate('claim');
CALL awa.prune('claim');
CALL awa.rotate('queue');
SELECT state, count(*) FROM awa.ring_status WHERE ring = 'queue' GROUP BY 1 ORDER BY 1;
CALL awa.prune('queue');
SELECT * FROM awa.check();

-- a handle whose slot was used again, and one of another timeline, complete nothing
SELECT put(20);
SELECT take('stale', 1), done('stale');
DO $$ DECLARE outcome text; slot int; BEGIN
    SELECT claim_slot INTO slot FROM awa.lease_claims;
    FOR i IN 1 .. 8 LOOP
        PERFORM take('wrap', 1); PERFORM done('wrap'); COMMIT;
        CALL awa.rotate('claim', outcome);
        CALL awa.prune('claim', outcome);
    END LOOP;
    PERFORM take('same slot', 5);
    RAISE WARNING 'same slot: %', slot = (SELECT claim_slot FROM awa.lease_claim_batches);
END $$;
SELECT done('stale');
SELECT count(*), min(state) FROM held, awa.receipt_states(ARRAY[held.receipt]) WHERE name = 'stale';
\set VERBOSITY sqlstate
SELECT awa.complete_and_claim(ARRAY(SELECT receipt FROM held WHERE name = 'stale'), '{mail}', 1, strict => true);
\set VERBOSITY default
-- what a restored backup makes of it: the same numbers, another fence; and the old fence with new numbers
CREATE FUNCTION forged(r awa.receipt, field int, value text) RETURNS awa.receipt LANGUAGE sql AS $$
    SELECT string_agg(CASE WHEN n = field THEN value ELSE f END, ':' ORDER BY n)::awa.receipt FROM unnest(string_to_array(r::text, ':')) WITH ORDINALITY u(f, n) $$;
SELECT awa.complete(ARRAY(SELECT forged(receipt, 6, '12345') FROM held WHERE name = 'same slot')) AS other_fence,
       awa.complete(ARRAY(SELECT forged(h.receipt, 6, split_part(s.receipt::text, ':', 6)) FROM held h, held s WHERE h.name = 'same slot' AND s.name = 'stale')) AS fence_of_old,
       awa.complete(ARRAY(SELECT forged(receipt, 5, '7') FROM held WHERE name = 'same slot')) AS other_lease,
       awa.complete(ARRAY(SELECT forged(receipt, 1, ((split_part(receipt::text, ':', 1)::int + 1) % 8)::text) FROM held WHERE name = 'same slot')) AS other_slot;
SELECT count(*) AS open FROM awa.open_claims;
SELECT done('same slot');
SELECT completed_total, available_estimate FROM awa.queue_stats;

-- frontiers are hints: without them, or with an old one, a claim goes on where it was
SELECT put(100);
SELECT take('a', 10), take('a', 10);
SELECT awa.reset_frontiers() > 0 AS dropped, awa.reset_frontiers();
SELECT * FROM awa.check();
SELECT take('b', 10), take('b', 10);
CALL awa.rotate('claim');
SELECT take('b', 10);
DELETE FROM awa.lane_frontiers f WHERE claim_slot = (SELECT last_value % 8 FROM awa.claim_ring_generation);
SELECT * FROM awa.check();
SELECT take('b', 10);
DELETE FROM awa.lane_frontiers f WHERE frontier_id <> (SELECT min(frontier_id) FROM awa.lane_frontiers);
SELECT * FROM awa.check();
SELECT take('c', 1000);
SELECT count(*), count(DISTINCT split_part(receipt::text, ':', 4)) AS jobs FROM held WHERE name IN ('a', 'b', 'c');
SELECT done('a') + done('b') + done('c') AS completed;
SELECT * FROM awa.check();

-- a rotation that died behind its new generation left no seal: the slot is read until the next rotation seals it
SELECT put(5);
SELECT setval('awa.queue_ring_generation', last_value + 1) - last_value AS turned, last_value % 16 AS old FROM awa.queue_ring_generation \gset
SELECT put(6);
SELECT sealed_xid FROM awa.queue_ring_slots WHERE slot = :old;
CALL awa.prune('queue');
SELECT take('unsealed', 7);
CALL awa.rotate('queue');
SELECT sealed_xid IS NOT NULL AS sealed FROM awa.queue_ring_slots WHERE slot = :old;
SELECT count(*) FROM awa.queue_ring_slots WHERE sealed_xid IS NOT NULL;
SELECT take('unsealed', 100), done('unsealed');
SELECT setval('awa.claim_ring_generation', last_value + 1) - last_value AS turned FROM awa.claim_ring_generation;
SELECT put(2);
SELECT take('after', 5), done('after');
CALL awa.prune('queue');
CALL awa.rotate('claim');
CALL awa.prune('claim');
CALL awa.prune('queue');
SELECT * FROM awa.check();
SELECT available, running, completed FROM awa.queue_counts('mail');
SELECT completed_total + 1 = (SELECT count(DISTINCT split_part(receipt::text, ':', 4)) FROM held WHERE name <> 'own') AS complete_but_the_deleted FROM awa.queue_stats;
\c :home
DROP DATABASE regress_awa_rings WITH (FORCE);
