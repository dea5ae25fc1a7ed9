-- Managing single jobs: cancel, retry, set_priority, move, delete; wherever they are.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
SELECT awa.create_queue('manage', enqueue_shards => 4), awa.create_queue('other', enqueue_shards => 2);
-- the job of a kind, and where it is
CREATE FUNCTION pg_temp.job(kind text) RETURNS bigint LANGUAGE sql AS $$ SELECT j.job_id FROM awa.jobs j WHERE j.kind = job.kind $$;
CREATE FUNCTION pg_temp.said(kinds text[]) RETURNS TABLE (kind text, queue text, state text, priority int, attempt int, run_lease bigint, outcome text, last_error text) LANGUAGE sql AS $$
    SELECT l.kind, l.queue, l.state, l.priority, l.attempt, l.run_lease, l.outcome, l.last_error
    FROM awa.jobs j CROSS JOIN LATERAL awa.load_job(j.job_id) l WHERE j.kind = ANY (kinds) ORDER BY 1
$$;

-- cancel: ready, scheduled, retryable, running, waiting for a callback, done, failed, cancelled, dead
SELECT awa.alter_queue('other', dead_letter => true);
SELECT count(awa.enqueue('manage', kind, deadline => CASE kind WHEN 'run2' THEN '1 h'::interval END)) FROM unnest('{retry,run1,run2,wait,done,fail}'::text[]) kind;
SELECT awa.enqueue('other', 'dead', max_attempts => 1) > 0 AS enqueued;
SELECT count(*) FROM awa.claim('{manage,other}', 10);
CREATE TEMP TABLE held AS SELECT kind, receipt FROM awa.open_claims;
SELECT awa.fail(receipt, 'again', retry_after => '1 h') FROM held WHERE kind = 'retry';
SELECT awa.wait_external(receipt, '1 h') IS NOT NULL AS token FROM held WHERE kind = 'wait';
SELECT awa.complete(ARRAY[receipt]) FROM held WHERE kind = 'done';
SELECT awa.fail(receipt, 'broken', terminal => true) FROM held WHERE kind IN ('fail', 'dead') ORDER BY kind;
SELECT awa.enqueue('manage', 'ready', priority => 4) > 0 AS a, awa.enqueue('manage', 'later', run_at => now() + interval '1 h') > 0 AS b;
SELECT kind, awa.cancel(job_id, 'reason ' || kind), awa.cancel(job_id) AS again FROM awa.jobs ORDER BY kind;
SELECT awa.cancel(0), awa.cancel(-1), awa.cancel(9223372036854775807);
SELECT * FROM pg_temp.said('{retry,run1,run2,wait,done,fail,dead,ready,later}');
SELECT kind, (awa.receipt_state(receipt)).* FROM held ORDER BY kind;
SELECT awa.complete(ARRAY(SELECT receipt FROM held));
SELECT * FROM awa.check();
-- a reason that is long is cut, an empty one is none
SELECT awa.enqueue('manage', 'long') > 0 AS a, awa.enqueue('manage', 'empty', metadata => '{"m": 1}') > 0 AS b;
SELECT awa.cancel(pg_temp.job('long'), repeat('日', 5000)), awa.cancel(pg_temp.job('empty'), '');
SELECT kind, octet_length(last_error) <= 8000 AS cut, errors, metadata FROM awa.load_job(pg_temp.job('empty')) UNION ALL SELECT kind, octet_length(last_error) <= 8000, NULL, metadata FROM awa.load_job(pg_temp.job('long'));

-- cancel_many: of all kinds at once, each once, over lanes and queues
SELECT cardinality(awa.enqueue_many('manage', 'many', array_agg(to_jsonb(n)))) FROM generate_series(1, 40) n;
SELECT cardinality(awa.enqueue_many('other', 'many', array_agg(to_jsonb(n)), priority => 3)) FROM generate_series(1, 10) n;
SELECT cardinality(awa.enqueue_many('other', 'many', array_agg(to_jsonb(n)), run_at => now() + interval '1 h')) FROM generate_series(1, 10) n;
SELECT count(*) FROM awa.claim('{manage}', 20);
SELECT awa.cancel_many(array_agg(job_id) || array_agg(job_id) || 17::bigint, 'all') FROM awa.jobs WHERE kind = 'many' AND (args #>> '{}')::int % 2 = 0;
SELECT queue, state, count(*), min(last_error) FROM awa.jobs WHERE kind = 'many' GROUP BY 1, 2 ORDER BY 1, 2;
SELECT count(*) FROM awa.claim('{manage,other}', 100);
SELECT * FROM awa.check();
BEGIN;
SELECT awa.cancel_many(array_agg(job_id)) FROM awa.jobs WHERE kind = 'many';
ROLLBACK;
SELECT awa.cancel_many(array_agg(job_id)) FROM awa.jobs WHERE kind = 'many';
SELECT state, count(*) FROM awa.jobs WHERE kind = 'many' GROUP BY 1;
SELECT awa.cancel_many(NULL), awa.cancel_many('{}');

-- retry: failed and cancelled ones begin anew under their ids; others do not
SELECT kind, awa.retry(job_id), awa.retry(job_id) AS again FROM awa.jobs WHERE kind <> 'many' ORDER BY kind;
SELECT * FROM pg_temp.said('{retry,run1,run2,wait,done,fail,dead,ready,later}');
SELECT kind, attempt, receipt::text ~ ':2:-?\d+$' AS second_lease, deadline_at - claimed_at AS deadline, metadata FROM awa.claim('{manage}', 100) ORDER BY kind;
SELECT awa.complete(ARRAY(SELECT receipt FROM held)), awa.complete(ARRAY(SELECT receipt FROM awa.open_claims));
SELECT * FROM awa.check();
-- cancelled and retried time and again, also without an attempt in between
SELECT awa.enqueue('manage', 'again') AS again \gset
SELECT awa.cancel(:again), awa.retry(:again), awa.cancel(:again), awa.retry(:again), awa.cancel(:again, 'last');
SELECT * FROM pg_temp.said('{again}');
SELECT awa.retry(:again);
SELECT kind FROM awa.claim('{manage}');
SELECT awa.cancel(:again), awa.retry(:again), awa.delete_job(:again), awa.retry(:again), awa.delete_job(:again);
SELECT count(*) FROM awa.load_job(:again);
SELECT * FROM awa.check();
BEGIN;
SELECT awa.enqueue('manage', 'own') AS own \gset
SELECT awa.cancel(:own), awa.retry(:own);
SAVEPOINT here;
SELECT awa.cancel(:own);
ROLLBACK TO here;
SELECT awa.set_priority(:own, 1);
COMMIT;
SELECT * FROM pg_temp.said('{own}');
SELECT kind FROM awa.claim('{manage}', 100);
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.open_claims));
-- history that is gone is gone
SET awa_ring.history_retention = 0;
SELECT awa.enqueue('manage', 'gone') AS gone \gset
SELECT awa.cancel(:gone);
CALL awa.rotate('queue');
CALL awa.prune('queue');
SELECT awa.retry(:gone);
RESET awa_ring.history_retention;
-- a dropped queue takes nothing back
SELECT awa.create_queue('dropped');
SELECT awa.enqueue('dropped', 'lost') AS lost \gset
SELECT awa.cancel(:lost), awa.drop_queue('dropped');
SELECT awa.retry(:lost);
SELECT awa.create_queue('dropped');
SELECT awa.retry(:lost);

-- set_priority and move: ready, scheduled and retryable ones; to the end of the lane
SELECT count(awa.enqueue('manage', kind, ordering_key => 'o')) FROM unnest('{p1,p2,p3,p4}'::text[]) kind;
SELECT awa.set_priority(pg_temp.job('p2'), 2), awa.set_priority(pg_temp.job('p1'), 3), awa.set_priority(pg_temp.job('p3'), 3), awa.set_priority(pg_temp.job('p1'), 2), awa.set_priority(pg_temp.job('p4'), 1);
SELECT kind, priority FROM awa.claim('{manage}', 10);
SELECT awa.set_priority(pg_temp.job('p4'), 2) AS running, awa.move(pg_temp.job('p4'), 'other') AS running;
SELECT awa.fail(receipt, 'again', retry_after => '1 h') FROM awa.open_claims WHERE kind = 'p4';
SELECT awa.set_priority(pg_temp.job('p4'), 4), awa.move(pg_temp.job('p4'), 'other'), awa.move(pg_temp.job('p4'), 'other') AS same, awa.set_priority(pg_temp.job('p4'), 4) AS same;
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.open_claims));
SELECT awa.set_priority(pg_temp.job('p1'), 1) AS done, awa.move(pg_temp.job('p1'), 'other') AS done;
SELECT * FROM pg_temp.said('{p1,p4}');
SELECT awa.enqueue('manage', 'moving', '[1]', 1, NULL, 3, '1 h', metadata => '{"m": 1}', tags => '{t}') AS moving \gset
SELECT awa.move(:moving, 'other');
SELECT job_id = :moving AS same, queue, kind, args, priority, attempt, max_attempts, deadline_at - claimed_at AS deadline, metadata, tags FROM awa.claim('{manage,other}', 10) WHERE kind = 'moving';
SELECT awa.move(:moving, 'nowhere');
SELECT * FROM awa.check();
-- what is moved away is no more in the old queue, and the other way round
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.open_claims));
SELECT awa.enqueue('manage', 'last') AS last \gset
SELECT awa.move(:last, 'other'), awa.move(:last, 'manage'), awa.set_priority(:last, 4), awa.move(:last, 'other');
SELECT count(*) FROM awa.claim('{manage}', 10);
SELECT kind, priority FROM awa.claim('{other}', 10);
SELECT available FROM awa.queue_counts('manage') UNION ALL SELECT available FROM awa.queue_counts('other');
-- delete: ready, scheduled, running; not what has ended
SELECT awa.delete_job(:last), awa.delete_job(:last), awa.delete_job(pg_temp.job('p4')), awa.delete_job(pg_temp.job('p1'));
SELECT * FROM pg_temp.said('{last,p4,p1}');
SELECT * FROM awa.check();
-- purge: all that waits, for whatever
SELECT awa.purge_queue('other') >= 0 AS purged, awa.purge_queue('manage') >= 0 AS purged;
SELECT count(awa.enqueue('manage', 'heap', priority => 1 + n % 4, run_at => CASE WHEN n > 20 THEN now() + interval '1 h' END, unique_key => 'heap ' || n)) FROM generate_series(1, 6000) n;
SELECT awa.purge_queue('manage');
SELECT scheduled, available FROM awa.queue_counts('manage');
SELECT count(*) FROM awa.job_unique_claims WHERE unique_key LIKE 'heap%';
SELECT awa.drop_queue('manage');
SELECT * FROM awa.check();
