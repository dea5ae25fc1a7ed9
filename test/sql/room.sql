-- Making room: what is live is moved out of old slots, which are then emptied, and nothing of it is lost, doubled or out of
-- order. Slots are counted from the start, so this has a database of its own. What others do meanwhile:
-- test/specs/paused_room.spec.
\set home :DBNAME
CREATE DATABASE regress_awa_room;
\c regress_awa_room
SET client_min_messages = warning;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
SET awa_ring.history_retention = 0;
SELECT awa.create_queue('mail'), awa.create_queue('paused'), awa.create_queue('failing', max_attempts => 1),
       awa.create_queue('forgetting', max_attempts => 1, failed_retention => '1 us');
CREATE TABLE held (name text, n serial, receipt awa.receipt);
CREATE FUNCTION put(queue text, n int) RETURNS int LANGUAGE sql AS $$
    SELECT cardinality(awa.enqueue_many($1, 'job', ARRAY(SELECT to_jsonb(i) FROM generate_series(1, n) i))) $$;
CREATE FUNCTION take(name text, queue text, n int DEFAULT 10000) RETURNS int LANGUAGE sql AS $$
    WITH t AS (INSERT INTO held (name, receipt) SELECT $1, receipt FROM awa.claim(ARRAY[$2], n) RETURNING 1) SELECT count(*)::int FROM t $$;
CREATE FUNCTION held(name text) RETURNS awa.receipt[] LANGUAGE sql AS $$
    SELECT array_agg(receipt ORDER BY n) FROM held h WHERE h.name = $1 $$;
CREATE VIEW seen AS SELECT queue, state, count(*) FROM awa.jobs GROUP BY 1, 2 ORDER BY 1, 2;
CREATE VIEW rings AS SELECT ring, slot, generation, state FROM awa.ring_status WHERE state <> 'empty' ORDER BY 1, 2;

-- refused, as prune is
BEGIN;
CALL awa.evict('claim');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
CALL awa.evict('ready');
\echo :LAST_ERROR_SQLSTATE
CALL awa.evict(NULL);
\echo :LAST_ERROR_SQLSTATE
SET default_transaction_read_only = on;
CALL awa.evict('claim');
\echo :LAST_ERROR_SQLSTATE
SET default_transaction_read_only = off;
-- nothing to move: the current slot is left alone
SELECT put('mail', 2);
SELECT take('current', 'mail', 1);
CALL awa.evict('claim');
CALL awa.evict('queue');
CALL awa.evict('lease');
SELECT count(*) FROM awa.leases;
SELECT take('current', 'mail');
SELECT awa.complete(held('current'));

-- F-11: attempts that run for long, of all shapes, and one that waits, pin no ring; they complete from their old receipts
SELECT put('mail', 4), awa.enqueue('mail', 'own', deadline => '1 d') > 0 AS put, awa.enqueue('mail', 'waits') > 0 AS put;
SELECT take('long', 'mail');
SELECT awa.wait_external((held('long'))[6], '1 d') IS NOT NULL AS waits;
SELECT state, count(*) FROM awa.heartbeat(held('long'), array_fill('{"half": true}'::jsonb, ARRAY[6])) GROUP BY 1 ORDER BY 1;
CALL awa.rotate('claim');
CALL awa.rotate('queue');
CALL awa.prune('claim');
CALL awa.prune('queue');
CALL awa.evict('claim');
CALL awa.prune('claim');
CALL awa.prune('queue');
SELECT * FROM rings;
SELECT * FROM awa.check();
SELECT shape, count(*), count(heartbeat_at) AS beat, count(deadline_at) AS deadlines FROM awa.open_claims GROUP BY 1;
SELECT (s).state, count(*) FROM (SELECT awa.receipt_state(receipt) AS s FROM held WHERE name = 'long') s GROUP BY 1;
-- every ring goes round them
DO $$ DECLARE outcome text; moved int; words text[]; BEGIN
    FOR i IN 1 .. 34 LOOP
        PERFORM put('mail', 1); COMMIT;
        PERFORM awa.complete(ARRAY(SELECT receipt FROM awa.claim('{mail}'))); COMMIT;
        CALL awa.rotate('claim', outcome); CALL awa.rotate('queue', outcome); CALL awa.rotate('lease', outcome);
        CALL awa.evict('claim', moved); CALL awa.evict('queue', moved); CALL awa.evict('lease', moved);
        words := words || moved::text;
        CALL awa.prune('claim', outcome); words := words || outcome;
        CALL awa.prune('queue', outcome); words := words || outcome;
        CALL awa.prune('lease', outcome); words := words || outcome;
    END LOOP;
    RAISE WARNING '%', ARRAY(SELECT DISTINCT word FROM unnest(words) word ORDER BY 1);
END $$;
SELECT * FROM rings;
SELECT * FROM awa.check();
SELECT state, count(*), count(stale_at) AS can_be_stale FROM awa.heartbeat(held('long')) GROUP BY 1 ORDER BY 1;
SELECT kind, progress FROM awa.jobs WHERE state IN ('running', 'waiting_external') ORDER BY job_id;
SELECT awa.complete((held('long'))[1:3]), awa.complete_one((held('long'))[4], '"done"'), awa.fail((held('long'))[5], 'no'), awa.complete(held('long')), awa.complete(held('long'));
SELECT count(*) FROM awa.attempt_state;
SELECT kind, state, result FROM awa.terminal_jobs ORDER BY job_id DESC LIMIT 5;
SELECT * FROM awa.check();
DELETE FROM awa.deferred_jobs;

-- a queue that is paused with 10,000 jobs, through three wraps of the ring while others work: the ring is pruned all the
-- time, its size stays bounded, and the jobs keep their order
SELECT put('paused', 10000), awa.pause_queue('paused');
SELECT take('none', 'paused');
CREATE TABLE sizes (round int, bytes bigint);
DO $$ DECLARE outcome text; moved int; words text[]; carried bigint := 0; BEGIN
    FOR i IN 1 .. 3 * 16 LOOP
        PERFORM put('mail', 50); COMMIT;
        PERFORM awa.complete(ARRAY(SELECT receipt FROM awa.claim('{mail}', 50))); COMMIT;
        CALL awa.rotate('claim', outcome); CALL awa.rotate('queue', outcome);
        words := words || outcome;
        CALL awa.evict('queue', moved);
        carried := carried + moved;
        CALL awa.prune('claim', outcome); words := words || outcome;
        CALL awa.prune('queue', outcome); words := words || outcome;
        INSERT INTO sizes SELECT i, sum(bytes) FROM awa.ring_status;
    END LOOP;
    RAISE WARNING '%, % carried', ARRAY(SELECT DISTINCT word FROM unnest(words) word ORDER BY 1), carried;
END $$;
SELECT max(bytes) FILTER (WHERE round > 16) < 2 * max(bytes) FILTER (WHERE round <= 16) AS bounded FROM sizes;
SELECT * FROM rings;
SELECT * FROM awa.check();
SELECT * FROM seen WHERE queue = 'paused';
SELECT awa.resume_queue('paused');
SELECT count(*), min(args::int), max(args::int), bool_and(args::int = n) AS in_order
FROM (SELECT args, row_number() OVER () AS n FROM awa.claim('{paused}', 3333)) c;
SELECT count(*), min(args::int), max(args::int), bool_and(args::int = n + 3333) AS in_order
FROM (SELECT args, row_number() OVER () AS n FROM awa.claim('{paused}', 10000)) c;
SELECT take('none', 'paused');
DO $$ BEGIN PERFORM awa.complete(ARRAY(SELECT receipt FROM awa.open_claims)); END $$;
SELECT * FROM awa.check();

-- the place that an entry was carried from, and the one it was carried to, are one position: claims of a few, while the slots
-- are not emptied, stop before both or behind both
SELECT put('mail', 4);
CALL awa.rotate('queue');
CALL awa.evict('queue');
SELECT take('few', 'mail', 1), take('few', 'mail', 1);
CALL awa.rotate('queue');
CALL awa.evict('queue');
SELECT take('few', 'mail', 1), take('few', 'mail', 1), take('few', 'mail', 1);
SELECT put('mail', 7);
CALL awa.rotate('queue');
CALL awa.evict('queue');
CALL awa.rotate('queue');
CALL awa.evict('queue');
SELECT take('few', 'mail', 2), take('few', 'mail', 2), take('few', 'mail', 4);
SELECT * FROM awa.check();
SELECT awa.complete(held('few'));

-- half claimed, some cancelled, some of another lane: what waits is carried, once, and claims go on where they were
SELECT put('mail', 100), array_length(awa.enqueue_many('mail', 'urgent', ARRAY['1', '2', '3']::jsonb[], priority => 1), 1) AS urgent;
SELECT take('half', 'mail', 40);
DO $$ BEGIN PERFORM awa.cancel(job_id) FROM (SELECT job_id FROM awa.jobs WHERE queue = 'mail' AND state = 'available' ORDER BY job_id LIMIT 10) j; END $$;
CALL awa.rotate('queue');
CALL awa.evict('queue');
CALL awa.evict('queue');
CALL awa.prune('queue');
SELECT * FROM awa.check();
SELECT take('half', 'mail', 5);
SELECT put('mail', 2);
SELECT take('half', 'mail', 1000), take('half', 'mail', 1000);
SELECT count(*), count(DISTINCT split_part(receipt::text, ':', 4)) AS jobs FROM held WHERE name = 'half';
SELECT awa.complete(held('half'));
SELECT count(*) FROM awa.jobs WHERE queue = 'mail' AND state NOT IN ('completed', 'cancelled', 'failed');
SELECT * FROM awa.check();

-- carried frontiers keep their ids, and a lane that was not used since goes on where it was
CALL awa.rotate('claim');
CALL awa.prune('claim');
SELECT put('mail', 10);
SELECT take('frontier', 'mail', 4);
SELECT awa.complete(held('frontier'));
CREATE TABLE frontiers AS SELECT DISTINCT ON (lane_id) lane_id, frontier_id FROM awa.lane_frontiers ORDER BY lane_id, frontier_id DESC;
SELECT put('paused', 1);
CALL awa.rotate('claim');
CALL awa.prune('claim');
SELECT count(*) AS frontiers, bool_and(carried) AS carried, count(DISTINCT claim_slot) AS slots FROM awa.lane_frontiers;
SELECT count(*) AS kept FROM awa.lane_frontiers JOIN frontiers USING (lane_id, frontier_id);
-- an idle ring does not turn for them
CALL awa.rotate('claim');
SELECT * FROM awa.check();
-- evidence that is younger than a frontier is found by its id: had the copy a new one, these would come out twice
SELECT take('frontier', 'mail', 3);
DELETE FROM awa.lane_frontiers WHERE NOT carried;
SELECT take('frontier', 'mail', 100);
SELECT count(*), count(DISTINCT split_part(receipt::text, ':', 4)) AS jobs FROM held WHERE name = 'frontier';
SELECT awa.complete(held('frontier'));
SELECT take('paused', 'paused');
SELECT awa.complete(held('paused'));
-- many lanes: more than a transaction locks; those of dropped queues are left behind
SELECT awa.create_queue('wide', enqueue_shards => 64), awa.create_queue('gone');
SELECT put('gone', 1);
SELECT count(awa.enqueue_many('wide', 'job', array_fill('1'::jsonb, ARRAY[2]), priority => p, ordering_keys => ARRAY[k::text, k::text]))
FROM generate_series(1, 4) p, generate_series(1, 400) k;
DO $$ BEGIN
    FOR i IN 1 .. 256 LOOP PERFORM awa.complete(ARRAY(SELECT receipt FROM awa.claim('{wide}', 13))); COMMIT; END LOOP;
    PERFORM awa.complete(ARRAY(SELECT receipt FROM awa.claim('{gone}'))); COMMIT;
    PERFORM awa.drop_queue('gone');
END $$;
SELECT count(DISTINCT lane_id) AS lanes FROM awa.lane_frontiers \gset
SELECT :lanes > 200 AS many;
CALL awa.rotate('claim');
CALL awa.prune('claim');
SELECT :lanes - count(*) AS left_behind, count(*) = count(DISTINCT lane_id) AS one_each FROM awa.lane_frontiers;
SELECT * FROM awa.check();
SELECT awa.purge_queue('wide') > 0 AS purged;

-- failed jobs that are to be kept move out, each once, with their bodies; the others leave with their slot
SELECT put('failing', 3), awa.enqueue('failing', 'own', '{"a": 1}', deadline => '1 d', metadata => '{"m": 1}') > 0 AS put, put('forgetting', 2);
SELECT take('failing', 'failing'), take('forgetting', 'forgetting');
SELECT count(*) FROM awa.fail_many(held('failing') || held('forgetting'), array_fill('no'::text, ARRAY[6]));
SELECT queue, sum(jobs) FROM awa.queue_terminal_rollups JOIN awa.queues USING (queue_id) WHERE queue LIKE 'f%' GROUP BY 1;
CALL awa.rotate('queue');
CALL awa.rotate('claim');
CALL awa.prune('claim');
CALL awa.prune('queue');
SELECT * FROM rings;
SELECT queue, kind, state, args, metadata, attempt, last_error, outcome FROM awa.terminal_jobs WHERE queue LIKE 'f%' ORDER BY job_id;
SELECT queue, outcome, sum(jobs) FROM awa.queue_terminal_rollups JOIN awa.queues USING (queue_id) WHERE queue LIKE 'f%' GROUP BY 1, 2;
SELECT failed FROM awa.queue_counts('failing');
SELECT * FROM awa.check();
-- … and can be retried from there
SELECT awa.retry(job_id) FROM awa.terminal_jobs WHERE kind = 'own';
SELECT kind, args, metadata FROM awa.claim('{failing}', 5);
SELECT failed, running FROM awa.queue_counts('failing');
DO $$ BEGIN PERFORM awa.complete(ARRAY(SELECT receipt FROM awa.open_claims)); END $$;

-- F-12: any slot is pruned that can be, whatever lies in front of it; an obstinate one stops no other
SELECT put('mail', 1);
CALL awa.rotate('queue');
SELECT put('paused', 1);
SELECT take('other', 'paused');
SELECT awa.complete(held('other'));
CALL awa.rotate('queue');
CALL awa.rotate('claim');
CALL awa.prune('claim');
CALL awa.prune('queue');
SELECT ring, count(*), count(*) FILTER (WHERE state = 'sealed') AS sealed FROM rings GROUP BY 1 ORDER BY 1;
CALL awa.evict('queue');
CALL awa.prune('queue');
SELECT ring, count(*), count(*) FILTER (WHERE state = 'sealed') AS sealed FROM rings GROUP BY 1 ORDER BY 1;
SELECT take('obstinate', 'mail');
SELECT awa.complete(held('obstinate'));

SELECT awa.purge_queue('mail');

-- what was loaded past the verbs keeps everything where it is
SELECT put('mail', 1);
CALL awa.rotate('queue');
INSERT INTO awa.foreign_loads (leaf) VALUES ('by hand');
CALL awa.evict('queue');
CALL awa.prune('queue');
SELECT awa.rescue_stale(), awa.rescue_deadlines(), awa.rescue_callbacks();
CALL awa.after_restore();
CALL awa.evict('queue');
\c :home
DROP DATABASE regress_awa_room WITH (FORCE);
