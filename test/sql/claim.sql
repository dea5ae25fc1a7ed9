-- Claiming: claim, claim_ready_runtime. What is claimed, in which order, on which terms, in which transaction.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
\setenv PGDATABASE :DBNAME
SELECT awa.create_queue(queue) FROM unnest('{claim,claim b,claim c}'::text[]) queue;
-- jobs of a queue by name, each as its kind
CREATE FUNCTION pg_temp.put(queue text, kinds text, priority int = 2) RETURNS int LANGUAGE sql AS
$$ SELECT count(awa.enqueue($1, kind, priority => $3))::int FROM unnest(string_to_array($2, ' ')) kind $$;
PREPARE take (text, int) AS SELECT string_agg(kind, ' ') AS claimed FROM awa.claim(ARRAY[$1], $2);

-- first come, first served; by priority; a batch spans lanes
SELECT pg_temp.put('claim', 'a b'), pg_temp.put('claim', 'low', 4), pg_temp.put('claim', 'third', 3), pg_temp.put('claim', 'high', 1);
SELECT pg_temp.put('claim', 'c');
EXECUTE take ('claim', 2);
SELECT pg_temp.put('claim', 'urgent', 1);
EXECUTE take ('claim', 1);
EXECUTE take ('claim', 3);
EXECUTE take ('claim', 100);
EXECUTE take ('claim', 100);
-- all that a runtime is told agrees with itself
SELECT awa.enqueue('claim', 'runtime', '{"x": 1}', priority => 3, metadata => '{"m": 1}', tags => '{t}', max_attempts => 4) AS id \gset
SELECT receipt::text = concat_ws(':', claim_slot, claim_batch_id, receipt_id, job_id, run_lease, fence) AS receipt, job_id = :id AS job, kind, queue, args, lane_priority, priority,
       attempt, max_attempts, run_lease, run_at = created_at AS due, deadline_at, claimed_at >= created_at AS claimed, unique_key, payload,
       ready_generation % 16 = ready_slot AS slot, lane_seq = job_id AS position, enqueue_shard, receipt_id - claim_batch_id AS at, claim_batch_index
FROM awa.claim_ready_runtime('claim', 5);
-- index and receipts within a batch
SELECT pg_temp.put('claim', '0 1 2');
SELECT kind, claim_batch_index, receipt_id - claim_batch_id AS at, count(*) OVER (PARTITION BY claim_batch_id, fence, claimed_at) AS together FROM awa.claim_ready_runtime('claim', 3);

-- aging: a lane counts with the age of its first job; lane priority stays what it was
SELECT pg_temp.put('claim b', 'old4', 4), pg_temp.put('claim b', 'old3', 3), pg_temp.put('claim b', 'new2', 2), pg_temp.put('claim b', 'new1', 1);
UPDATE awa.ready_entries SET run_at = run_at - CASE kind WHEN 'old4' THEN interval '190 min' ELSE interval '70 min' END WHERE kind IN ('old4', 'old3');
BEGIN;
EXECUTE take ('claim b', 10);
ROLLBACK;
BEGIN;
SELECT kind, lane_priority, priority FROM awa.claim_ready_runtime('claim b', 10, aging_secs => 3600);
ROLLBACK;
SELECT awa.alter_queue('claim b', aging => '1 h');
BEGIN;
SELECT kind, priority FROM awa.claim('{claim b}', 10);
ROLLBACK;
BEGIN;
SELECT kind, lane_priority, priority FROM awa.claim_ready_runtime('claim b', 10, aging_secs => 0);
ROLLBACK;
-- next to nothing is not nothing: all count as urgent, the longest waiting first
SELECT kind, lane_priority, priority FROM awa.claim_ready_runtime('claim b', 10, aging_secs => 1e-9);
-- the priority a job was claimed with is not kept: its lane's is
SELECT kind, priority FROM awa.jobs WHERE queue = 'claim b' ORDER BY kind;
SELECT awa.alter_queue('claim b', aging => '0');

-- lanes whose first jobs wait equally long are begun with at any of them
SELECT awa.create_queue('claim spread', enqueue_shards => 8, aging => '1 h');
SELECT count(awa.enqueue('claim spread', 'k', ordering_key => n::text)) FROM generate_series(1, 100) n;
UPDATE awa.ready_entries SET run_at = (SELECT min(run_at) FROM awa.ready_entries) WHERE kind = 'k';
DO $$
DECLARE
    shards int[];
    shard int;
BEGIN
    FOR i IN 1..60 LOOP
        BEGIN
            SELECT enqueue_shard INTO shard FROM awa.claim_ready_runtime('claim spread', 1);
            RAISE 'not this one';
        EXCEPTION WHEN raise_exception THEN
            shards := shards || shard;
        END;
    END LOOP;
    RAISE WARNING 'more than one lane: %', (SELECT count(DISTINCT s) > 1 FROM unnest(shards) s);
END $$;
SELECT awa.purge_queue('claim spread');

-- deadline: none, the queue's, the call's; rescue without a heartbeat
SELECT awa.create_queue('claim terms', deadline => '10 min', stale_after => '42 s');
SELECT pg_temp.put('claim terms', 'a b c d e f g h');
SELECT deadline_at - claimed_at AS deadline, stale_at - claimed_at AS stale FROM awa.claim('{claim terms}');
SELECT deadline_at - claimed_at AS deadline FROM awa.claim('{claim terms}', deadline => '1 mon');
SELECT deadline_at - claimed_at AS deadline FROM awa.claim('{claim terms}', deadline => '0');
SELECT deadline_at - claimed_at AS deadline FROM awa.claim('{claim terms}', deadline => '1 microsecond');
SELECT deadline_at - claimed_at AS deadline FROM awa.claim_ready_runtime('claim terms', 1);
SELECT deadline_at - claimed_at AS deadline FROM awa.claim_ready_runtime('claim terms', 1, 0.5);
SELECT deadline_at - claimed_at AS deadline FROM awa.claim_ready_runtime('claim terms', 1, 0);
SELECT deadline_at - claimed_at AS deadline FROM awa.claim_ready_runtime('claim terms', 1, 1e-9);
SELECT kind, deadline_at - claimed_at AS deadline FROM awa.open_claims WHERE queue = 'claim terms' ORDER BY kind;

-- several queues: none starves another, whoever is looked at first; a name said twice counts once, an unknown one claims
-- nothing of the others
SELECT count(awa.enqueue(queue, 'job')) FROM unnest('{claim,claim b,claim c}'::text[]) queue, generate_series(1, 60);
SELECT awa.claim('{claim,nowhere}');
SELECT count(*), count(DISTINCT c.queue) AS queues FROM generate_series(1, 60) n CROSS JOIN LATERAL awa.claim(CASE WHEN n > 0 THEN '{claim,claim b,claim c}'::text[] END) c;
SELECT count(*) FROM awa.claim('{claim c,claim,claim c,claim b,claim c}', 60);
SELECT count(*), count(DISTINCT job_id) FROM awa.claim('{claim,claim b,claim c}', 100);

-- transactions: own jobs count after the commit
BEGIN;
SELECT pg_temp.put('claim', 'own');
EXECUTE take ('claim', 5);
SELECT awa.pause_queue('claim b');
COMMIT;
EXECUTE take ('claim', 5);
SELECT awa.resume_queue('claim b');
-- two claims in one
SELECT pg_temp.put('claim', 'a b c d e f');
BEGIN;
EXECUTE take ('claim', 2);
EXECUTE take ('claim', 2);
COMMIT;
-- a savepoint gives back what was claimed after it, in the same order; its receipts are of nothing
BEGIN;
EXECUTE take ('claim', 1);
SAVEPOINT before;
SELECT kind, receipt FROM awa.claim('{claim}', 1) \gset
ROLLBACK TO before;
SELECT :'kind' AS undone, awa.complete_one(:'receipt') AS completed, (awa.receipt_state(:'receipt')).state;
EXECUTE take ('claim', 5);
COMMIT;
SELECT pg_temp.put('claim', 'a b');
BEGIN;
EXECUTE take ('claim', 5);
ROLLBACK;
DO $$
BEGIN
    PERFORM awa.claim('{claim}', 1);
    RAISE EXCEPTION 'no';
EXCEPTION WHEN raise_exception THEN NULL;
END $$;
EXECUTE take ('claim', 5);
-- an old snapshot does not hide what was committed since
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM awa.jobs WHERE queue = 'claim' AND kind = 'later';
\! psql -X -q -t -c "SELECT awa.enqueue('claim', 'later') > 0"
SELECT count(*) FROM awa.jobs WHERE queue = 'claim' AND kind = 'later';
EXECUTE take ('claim', 5);
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM awa.jobs WHERE queue = 'claim' AND kind = 'later still';
\! psql -X -q -t -c "SELECT awa.enqueue('claim', 'later still') > 0" -c "SELECT count(*) FROM awa.claim('{claim}')" -c "SELECT awa.enqueue('claim', 'and later') > 0"
EXECUTE take ('claim', 5);
COMMIT;
-- nor does a claim read what others could write into: no predicate lock
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT pg_temp.put('claim', 'own');
EXECUTE take ('claim', 5);
SELECT count(*) FROM pg_locks JOIN pg_class c ON c.oid = relation WHERE pid = pg_backend_pid() AND mode = 'SIReadLock' AND c.relnamespace = 'awa'::regnamespace;
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
EXECUTE take ('claim', 5);
SELECT count(*) FROM pg_locks JOIN pg_class c ON c.oid = relation WHERE pid = pg_backend_pid() AND mode = 'SIReadLock' AND c.relnamespace = 'awa'::regnamespace;
COMMIT;
\set VERBOSITY sqlstate
BEGIN READ ONLY;
SELECT awa.claim('{claim}');
ROLLBACK;
BEGIN READ ONLY;
SELECT awa.claim_ready_runtime('claim', 1);
ROLLBACK;
\set VERBOSITY default

-- called in every way SQL has
SELECT pg_temp.put('claim', string_agg('j' || n, ' ' ORDER BY n)) FROM generate_series(1, 60) n;
SELECT (c).kind, (c).priority FROM (SELECT awa.claim('{claim}', 2) AS c) s;
SELECT kind FROM (SELECT (awa.claim('{claim}', 2)).*) s;
SELECT kind, n FROM generate_series(1, 2) n, LATERAL awa.claim(('{claim,' || (ARRAY['claim b', 'claim c'])[n] || '}')::text[], 2);
-- a limit does not reach into the call: all is claimed
SELECT kind FROM awa.claim('{claim}', 3) LIMIT 1;
EXECUTE take ('claim', 1);
BEGIN;
DECLARE batch CURSOR FOR SELECT kind FROM awa.claim('{claim}', 3);
FETCH 1 FROM batch;
EXECUTE take ('claim', 1);
FETCH 5 FROM batch;
CLOSE batch;
DECLARE held CURSOR WITH HOLD FOR SELECT kind FROM awa.claim('{claim}', 2);
COMMIT;
FETCH ALL FROM held;
CLOSE held;
PREPARE again AS SELECT kind FROM awa.claim('{claim}', 1);
EXECUTE again; EXECUTE again; EXECUTE again; EXECUTE again; EXECUTE again; EXECUTE again; EXECUTE again;
-- EXPLAIN claims nothing, EXPLAIN ANALYZE does
DO $$ BEGIN EXECUTE 'EXPLAIN SELECT * FROM awa.claim(''{claim}'', 2)'; EXECUTE 'EXPLAIN ANALYZE SELECT * FROM awa.claim(''{claim}'', 2)'; END $$;
EXECUTE take ('claim', 1);
CREATE FUNCTION pg_temp.work() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    job record;
    row awa.receipt;
    did text := '';
BEGIN
    FOR job IN SELECT * FROM awa.claim('{claim}', 2) LOOP
        did := did || job.kind || CASE WHEN awa.complete_one(job.receipt, to_jsonb(job.kind)) THEN '+ ' ELSE '- ' END;
    END LOOP;
    SELECT c.receipt INTO STRICT row FROM awa.claim('{claim}') c;
    RETURN did || awa.complete(ARRAY[row]);
END $$;
SELECT pg_temp.work() FROM generate_series(1, 2);
CREATE TEMP TABLE mine AS SELECT * FROM awa.claim('{claim}', 2);
INSERT INTO mine SELECT * FROM awa.claim('{claim}', 2);
SELECT kind FROM mine;
WITH c AS MATERIALIZED (SELECT * FROM awa.claim('{claim}', 2)) SELECT a.kind, b.kind FROM c a JOIN c b USING (job_id);
SELECT count(*) FROM awa.claim('{claim}', 100);

-- what was purged is passed over; so many in one call, and where it got is kept
SELECT pg_temp.put('claim', 'gone gone gone');
SELECT awa.purge_queue('claim');
SELECT pg_temp.put('claim', 'there');
EXECUTE take ('claim', 5);
SELECT cardinality(awa.enqueue_many('claim', 'gone', array_fill('1'::jsonb, ARRAY[21000])));
SELECT awa.purge_queue('claim');
SELECT pg_temp.put('claim', 'behind them');
DO $$
DECLARE
    got text[] := '{}';
BEGIN
    FOR n IN 1 .. 4 LOOP
        got := got || coalesce((SELECT string_agg(kind, ' ') FROM awa.claim('{claim}', 5)), 'nothing');
    END LOOP;
    RAISE WARNING '%', got;
END $$;
EXECUTE take ('claim', 5);

-- nothing to do: no transaction id, no row, no lock; then the same lane held by a claim that got something
SELECT count(*) AS frontiers FROM awa.lane_frontiers \gset
BEGIN;
EXECUTE take ('claim', 5);
SELECT * FROM awa.claim('{claim,claim b,claim c}', 100);
SELECT * FROM awa.claim_ready_runtime('claim', 1, aging_secs => 1);
SELECT pg_current_xact_id_if_assigned() IS NULL AS no_xid, (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') AS locks,
       (SELECT count(*) FROM awa.lane_frontiers) = :frontiers AS no_row;
COMMIT;
SELECT pg_temp.put('claim', 'one'), pg_temp.put('claim', 'two', 3);
BEGIN;
EXECUTE take ('claim', 1);
SELECT pg_current_xact_id_if_assigned() IS NULL AS no_xid, (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') AS locks,
       (SELECT count(*) FROM awa.lane_frontiers) - :frontiers AS rows;
SELECT priority, claimer_pid = pg_backend_pid() AS mine, claimer_since = now() AS since FROM awa.lane_status WHERE queue = 'claim' AND claimer_pid IS NOT NULL;
COMMIT;
SELECT count(*) AS locks FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory';
EXECUTE take ('claim', 1);

-- a lane that is held by another session: a claim waits, then returns nothing
SELECT pg_temp.put('claim', 'held after');
BEGIN;
EXECUTE take ('claim', 1);
\! psql -X -q -t -c "SET awa_ring.claim_wait = 100" -c "SELECT count(*) FROM awa.claim('{claim}', 5)" -c "SELECT count(*) FROM awa.claim('{claim b,claim}', 5)"
COMMIT;
EXECUTE take ('claim', 1);

-- all lanes of a queue, the greatest batch
SELECT awa.create_queue('claim lanes', enqueue_shards => 64);
SELECT count(awa.enqueue('claim lanes', 'job', to_jsonb(n), priority => 1 + n / 512)) FROM generate_series(0, 2047) n;
SELECT count(*), count(DISTINCT lane_priority * 64 + enqueue_shard) AS lanes, count(DISTINCT args) AS jobs, array_agg(DISTINCT lane_priority) AS priorities FROM awa.claim_ready_runtime('claim lanes', 512);
SELECT count(*), count(DISTINCT lane_priority * 64 + enqueue_shard) AS lanes, count(DISTINCT args) AS jobs FROM awa.claim_ready_runtime('claim lanes', 10000);
SELECT count(*) FROM awa.claim('{claim lanes}', 10000);
SELECT cardinality(awa.enqueue_many('claim c', 'job', ARRAY(SELECT to_jsonb(n) FROM generate_series(1, 10003) n)));
SELECT count(*), min(args::int), max(args::int), max(claim_batch_index) FROM awa.claim_ready_runtime('claim c', 10000);
SELECT count(*), min(args::int), max(args::int), max(claim_batch_index) FROM awa.claim_ready_runtime('claim c', 10000);
SELECT count(*) FROM awa.claim_ready_runtime('claim c', 1);
SELECT running, available FROM awa.queue_counts('claim c');
SELECT * FROM awa.check();

-- Rows of another cluster that came in past the marks: a session that knows the lane for the only one in use says so as well,
-- instead of finding nothing.
SELECT awa.create_queue('loaded');
SELECT awa.enqueue('loaded', 'a') > 0 AS id;
SELECT kind FROM awa.claim('{loaded}', 9);
SELECT kind FROM awa.claim('{loaded}', 9);
BEGIN;
CREATE TEMP TABLE entry ON COMMIT DROP AS
    SELECT e.* FROM awa.ready_entries e JOIN awa.open_claims c USING (job_id) WHERE c.queue = 'loaded';
CREATE TEMP TABLE frontier ON COMMIT DROP AS
    SELECT f.* FROM awa.lane_frontiers f JOIN entry e USING (lane_id) ORDER BY f.frontier_id DESC LIMIT 1;
UPDATE entry SET xid = (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 1000)::text::xid8, lane_seq = lane_seq + 1000,
    job_id = job_id + 1000;
UPDATE frontier SET frontier_id = frontier_id + 1, done_xmin = '9000000000', done_xmax = '9000000000';
ALTER TABLE awa.ready_entries DISABLE TRIGGER ALL;
INSERT INTO awa.ready_entries SELECT * FROM entry;
INSERT INTO awa.lane_frontiers SELECT * FROM frontier;
SELECT FROM awa.arm_triggers();
SELECT count(*) FROM awa.foreign_loads;
SELECT kind FROM awa.claim('{loaded}', 9);
ROLLBACK;
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.open_claims WHERE queue = 'loaded'));
