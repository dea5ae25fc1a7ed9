-- Unique keys: who holds them, in which states, and what becomes of a second job.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
SELECT awa.create_queue('one'), awa.create_queue('two');
CREATE FUNCTION pg_temp.pass(span interval) RETURNS void LANGUAGE sql AS $$
    UPDATE awa.deferred_jobs SET run_at = run_at - span;
$$;
-- puts a job with a key and tells which job that is now: a new one, or one that was put before
CREATE TABLE names (name text PRIMARY KEY, job_id bigint);
CREATE FUNCTION put(name text, key text, mode text DEFAULT 'raise', run_at timestamptz DEFAULT NULL, states text[] DEFAULT '{scheduled,available,running,waiting_external,retryable}', queue text DEFAULT 'one')
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    id bigint;
BEGIN
    id := awa.enqueue(queue, name, to_jsonb(name), run_at => put.run_at, unique_key => key, unique_while => states, on_conflict => mode);
    INSERT INTO names VALUES (put.name, id);
    RETURN coalesce((SELECT string_agg('as ' || n.name, ', ') FROM names n WHERE n.job_id = id AND n.name <> put.name), 'new');
EXCEPTION WHEN unique_violation THEN
    RETURN SQLSTATE || ' ' || regexp_replace(SQLERRM, '\d+$', (SELECT n.name FROM names n WHERE n.job_id = substring(SQLERRM FROM '(\d+)$')::bigint ORDER BY n.name LIMIT 1));
END $$;
CREATE VIEW keys AS SELECT q.queue, u.unique_key, n.name FROM awa.job_unique_claims u JOIN awa.queues q USING (queue_id) LEFT JOIN LATERAL
    (SELECT min(name) AS name FROM names n WHERE n.job_id = u.job_id) n ON true ORDER BY 1, 2;

-- raise, ignore; a key is unique within its queue, and no key is no key
SELECT put('a', 'k'), put('b', 'k'), put('c', 'k', 'ignore'), put('d', 'k', queue => 'two'), put('e', 'K'), put('f', 'l', 'ignore'), put('g', NULL), put('h', NULL);
SELECT * FROM keys;
SELECT kind, state, unique_key FROM awa.jobs ORDER BY kind;
-- the error in full
SELECT awa.enqueue('one', 'x', unique_key => repeat('long ', 60)) > 0 AS enqueued;
DO $$ BEGIN PERFORM awa.enqueue('one', 'x', unique_key => repeat('long ', 60)); EXCEPTION WHEN unique_violation THEN RAISE WARNING '%', regexp_replace(SQLERRM, '\d+$', '…'); END $$;
-- it is held while the job runs, and free when it has ended: completed, with a result, cancelled, deleted, purged
SELECT count(*) FROM awa.claim_ready_runtime('one', 1);
SELECT put('i', 'k');
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.open_claims WHERE kind = 'a'));
SELECT put('j', 'k');
SELECT count(*) FROM awa.claim('{one}', 100);
SELECT awa.complete_one(receipt, '1') FROM awa.open_claims WHERE kind = 'j';
SELECT put('k', 'k');
SELECT awa.cancel(job_id) FROM names WHERE name = 'k';
SELECT put('l', 'k');
SELECT awa.delete_job(job_id) FROM names WHERE name = 'l';
SELECT put('m', 'k');
SELECT awa.purge_queue('one');
SELECT put('n', 'k');
SELECT count(*) FROM awa.claim('{one}');
SELECT awa.cancel(job_id, 'away') FROM names WHERE name = 'n';
SELECT put('o', 'k');
SELECT count(*) FROM awa.claim('{one}');
SELECT awa.fail(receipt, 'no', terminal => true) FROM awa.open_claims WHERE kind = 'o';
SELECT put('p', 'k');
SELECT * FROM awa.check();
-- one completion of many: each gives up its own
SELECT cardinality(awa.enqueue_many('one', 'many', array_agg('1'::jsonb), unique_keys => array_agg(CASE WHEN n % 3 = 0 THEN 'many ' || n END), deadline => CASE WHEN max(n) > 50 THEN '1 h'::interval END)) FROM generate_series(1, 100) n;
SELECT cardinality(awa.enqueue_many('one', 'many', array_agg('1'::jsonb), unique_keys => array_agg(CASE WHEN n % 3 = 0 THEN 'more ' || n END))) FROM generate_series(1, 100) n;
SELECT count(*) FROM awa.job_unique_claims WHERE unique_key LIKE 'm%';
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.claim('{one}', 150)));
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.open_claims WHERE kind = 'many'));
SELECT count(*) FROM awa.job_unique_claims WHERE unique_key LIKE 'm%';
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.claim('{one}', 150)));
SELECT * FROM awa.check();

-- replace: the content of the new one, the id of the old
SELECT count(awa.complete(ARRAY[receipt])) FROM awa.open_claims;
SELECT put('q', 'r'), put('r', 'r', 'replace'), put('s', 'r', 'replace', now() + interval '1 h'), put('t', 'r', 'replace', now() + interval '2 h'), put('u', 'r', 'replace');
SELECT kind, args, state, attempt, job_id = (SELECT job_id FROM names WHERE name = 'q') AS same FROM awa.jobs WHERE unique_key = 'r';
SELECT * FROM awa.check();
-- of what runs there is nothing to replace
SELECT count(*) FROM awa.claim('{one}');
SELECT put('v', 'r', 'replace');
-- one that waits for another attempt begins anew, its lease goes on
SELECT awa.fail(receipt, 'not yet', retry_after => '1 h') FROM awa.open_claims WHERE kind = 'u';
SELECT state, attempt, run_lease, last_error FROM awa.jobs WHERE unique_key = 'r';
SELECT put('w', 'r', 'replace');
SELECT kind, state, attempt, run_lease, last_error FROM awa.jobs WHERE unique_key = 'r';
SELECT kind, attempt, receipt::text ~ ':2:-?\d+$' AS second_lease FROM awa.claim('{one}');
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.open_claims));
SELECT put('x', 'r', 'replace');
-- priority, deadline and mask are the new one's as well
SELECT awa.enqueue('one', 'prior', priority => 1, deadline => '1 min', unique_key => 'r', unique_while => '{available}', on_conflict => 'replace') = (SELECT job_id FROM names WHERE name = 'x') AS same;
SELECT kind, priority, deadline_at - claimed_at AS deadline FROM awa.claim('{one}');
SELECT put('y', 'r');
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.open_claims));
SELECT awa.purge_queue('one');
SELECT * FROM awa.check();

-- several in one call: nothing, the earlier, the later
SELECT awa.enqueue_many('one', 'none', '{1,2,3}', unique_keys => '{a,b,a}');
SELECT count(*) FROM awa.jobs WHERE kind = 'none';
SELECT (ids[1] = ids[3]) AS merged, ids[1] <> ids[2] AS other FROM awa.enqueue_many('one', 'first', '{1,2,3}', unique_keys => '{a,b,a}', on_conflict => 'ignore') ids;
SELECT (ids[1] = ids[3]) AS merged, ids[2] = ids[4] AS other FROM awa.enqueue_many('one', 'last', '{4,5,6,7}', unique_keys => '{a,c,a,c}', on_conflict => 'replace') ids;
SELECT kind, args, unique_key FROM awa.jobs WHERE unique_key IN ('a', 'b', 'c') AND state = 'available' ORDER BY 3;
SELECT ids[2] = ids[3] AS merged FROM awa.enqueue_many('one', 'held', '{8,9,10}', unique_keys => '{d,b,b}', on_conflict => 'ignore') ids;
SELECT awa.enqueue_many('one', 'held', '{8,9}', unique_keys => '{e,b}') IS NULL;
SELECT kind, args, unique_key FROM awa.jobs WHERE unique_key IN ('a', 'b', 'c', 'd', 'e') AND state = 'available' ORDER BY 3;
SELECT cardinality(awa.enqueue_jobs('[{"queue": "one", "kind": "j", "unique_key": "j"}, {"queue": "two", "kind": "j", "unique_key": "j"}, {"queue": "one", "kind": "j2", "args": 2, "unique_key": "j", "on_conflict": "replace"},
    {"queue": "one", "kind": "j3", "unique_key": "j", "unique_while": ["retryable"]}]'));
SELECT queue, kind, args FROM awa.jobs WHERE unique_key = 'j' ORDER BY 1, 2;
SELECT awa.enqueue_jobs('[{"queue": "one", "kind": "j4", "unique_key": "jj"}, {"queue": "one", "kind": "j5", "unique_key": "jj"}]');
SELECT * FROM awa.check();
SELECT awa.purge_queue('one'), awa.purge_queue('two');

-- undone in whole or in part
BEGIN;
SELECT put('u1', 'undone');
SAVEPOINT here;
SELECT put('u2', 'undone too'), put('u3', 'undone', 'replace');
ROLLBACK TO here;
SELECT put('u4', 'undone', 'ignore'), put('u5', 'undone too');
COMMIT;
SELECT kind, unique_key FROM awa.jobs WHERE unique_key LIKE 'undone%' ORDER BY 1;
SELECT awa.purge_queue('one');
-- every level
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT put('rr1', 'level'), put('rr2', 'level'), put('rr3', 'level', 'ignore'), put('rr4', 'level', 'replace');
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT put('s1', 'level 2'), put('s2', 'level'), put('s3', 'level', 'ignore'), put('s4', 'level', 'replace');
COMMIT;
SELECT kind, unique_key FROM awa.jobs WHERE unique_key LIKE 'level%' ORDER BY 1;
SELECT awa.purge_queue('one');

-- masks: without running, the key is free while the job runs
SELECT put('m1', 'mask', states => '{scheduled,available,retryable}');
SELECT count(*) FROM awa.claim('{one}');
SELECT * FROM keys WHERE unique_key = 'mask';
SELECT put('m2', 'mask', states => '{scheduled,available,retryable}'), put('m3', 'mask', 'ignore', states => '{scheduled,available,retryable}');
-- … and the first one does not get it back: whoever has it wins
SELECT awa.fail(receipt, 'broken', retry_after => '1 h') FROM awa.open_claims WHERE kind = 'm1';
SELECT kind, state, last_error ~ 'held by job' AS with_reason FROM awa.jobs WHERE unique_key = 'mask' ORDER BY kind;
-- snoozed and released while nobody has it
SELECT count(*) FROM awa.claim('{one}');
SELECT awa.release(receipt) FROM awa.open_claims WHERE kind = 'm2';
SELECT * FROM keys WHERE unique_key = 'mask';
SELECT count(*) FROM awa.claim('{one}');
SELECT awa.snooze(receipt, '1 h') FROM awa.open_claims WHERE kind = 'm2';
SELECT * FROM keys WHERE unique_key = 'mask';
SELECT * FROM awa.check();
SELECT awa.purge_queue('one');
-- only while it waits to be claimed: scheduled ones have no key, and of those that become due together one runs
SELECT put('w' || n, 'due', run_at => now() + n * interval '1 min', states => '{available,running}') FROM generate_series(1, 3) n;
SELECT put('w4', 'due', states => '{available,running}');
SELECT pg_temp.pass('2 min');
SELECT awa.promote_due();
SELECT kind, state, last_error ~ ('held by job ' || (SELECT job_id FROM names WHERE name = 'w4')) AS with_reason FROM awa.jobs WHERE unique_key = 'due' ORDER BY kind;
SELECT awa.cancel(job_id) FROM names WHERE name = 'w4';
SELECT put('w5', 'due', run_at => now() + interval '1 min', states => '{available,running}');
SELECT pg_temp.pass('1 min');
SELECT awa.promote_due();
SELECT kind, state, outcome, last_error IS NOT NULL AS with_reason FROM awa.load_job((SELECT job_id FROM names WHERE name = 'w3')) UNION ALL SELECT kind, state, outcome, last_error IS NOT NULL FROM awa.load_job((SELECT job_id FROM names WHERE name = 'w5'));
SELECT * FROM keys WHERE unique_key = 'due';
-- only while scheduled: promotion gives it up
SELECT put('z1', 'sched', run_at => now() + interval '1 min', states => '{scheduled}'), put('z2', 'sched', states => '{scheduled}'), put('z3', 'sched', run_at => now() + interval '1 h', states => '{scheduled}');
SELECT pg_temp.pass('1 min');
SELECT awa.promote_due();
SELECT * FROM keys WHERE unique_key = 'sched';
SELECT put('z4', 'sched', run_at => now() + interval '1 h', states => '{scheduled}');
SELECT * FROM awa.check();
SELECT awa.purge_queue('one');

-- moved jobs take their keys along
SELECT put('v1', 'move'), put('v2', 'move', queue => 'two'), put('v3', 'move 2', run_at => now() + interval '1 h');
SELECT awa.move((SELECT job_id FROM names WHERE name = 'v1'), 'two') IS NULL;
SELECT awa.cancel(job_id) FROM names WHERE name = 'v2';
SELECT awa.move(job_id, 'two') FROM names WHERE name IN ('v1', 'v3');
SELECT * FROM keys WHERE unique_key LIKE 'move%';
SELECT put('v4', 'move'), put('v5', 'move', queue => 'two');
-- retried ones want theirs again
SELECT awa.retry(job_id) FROM names WHERE name = 'v2';
SELECT awa.cancel(job_id) FROM names WHERE name = 'v1';
SELECT awa.retry(job_id) FROM names WHERE name = 'v2';
SELECT * FROM keys WHERE unique_key LIKE 'move%';
SELECT * FROM awa.check();
DROP VIEW keys;
DROP FUNCTION put;
DROP TABLE names;
