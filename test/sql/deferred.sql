-- Jobs that wait for a time: run_at, promotion, and a deadline of their own.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
SELECT awa.create_queue('later'), awa.create_queue('noon', enqueue_shards => 8, deadline => '1 h');
-- makes the deferred jobs due: as if that much time had gone by
CREATE FUNCTION pg_temp.pass(span interval) RETURNS void LANGUAGE sql AS $$
    UPDATE awa.deferred_jobs SET run_at = run_at - span;
$$;

-- a job of the past, or of now, waits at once; one of the future is scheduled
SELECT awa.enqueue('later', 'past', run_at => now() - interval '1 year') > 0, awa.enqueue('later', 'now', run_at => now()) > 0, awa.enqueue('later', 'never', run_at => '-infinity') > 0;
SELECT awa.enqueue('later', 'soon', '{"n": 1}', 3, now() + interval '1 h', 7, '5 min', metadata => '{"m": 1}', tags => '{t,u}') AS soon \gset
SELECT kind, state, priority, max_attempts, run_at = created_at AS at_once, run_at > now() AS later, args, metadata, tags, attempt FROM awa.jobs WHERE queue = 'later' ORDER BY kind;
SELECT state, queue, priority, attempt, run_lease FROM awa.load_job(:soon);
SELECT scheduled, available FROM awa.queue_counts('later');
SELECT scheduled, retryable, available_estimate FROM awa.queue_stats WHERE queue = 'later';
SELECT kind FROM awa.claim('{later}', 10) ORDER BY 1;
SELECT awa.promote_due();
-- due: it is an entry with all it was given, under its id
SELECT pg_temp.pass('1 h');
SELECT awa.promote_due(), awa.promote_due();
SELECT state, run_at <= now() AS due, run_at > created_at - interval '1 min' AS kept FROM awa.load_job(:soon);
SELECT job_id = :soon AS same, kind, args, priority, attempt, max_attempts, metadata, tags, deadline_at - claimed_at AS deadline FROM awa.claim('{later}');
SELECT scheduled, available, running FROM awa.queue_counts('later');

-- in the order of due times, then priorities, then ids; some of many in one call
SELECT count(awa.enqueue('later', 'b' || n, priority => 1 + n % 2, run_at => now() + interval '1 h' + (10 - n / 2) * interval '1 s')) FROM generate_series(1, 10) n;
SELECT cardinality(awa.enqueue_many('later', 'many', array_agg(to_jsonb(n)), run_at => now() + interval '2 h')) FROM generate_series(1, 11000) n;
SELECT pg_temp.pass('1 h 10 s');
SELECT awa.promote_due();
SELECT string_agg(kind, ' ' ORDER BY place) FROM (SELECT kind, row_number() OVER () AS place FROM awa.claim('{later}', 20)) c;
SELECT pg_temp.pass('1 h');
SELECT awa.promote_due(), awa.promote_due(), awa.promote_due();
SELECT count(*), bool_and(n = place) AS in_order FROM (SELECT (args #>> '{}')::int AS n, row_number() OVER () AS place FROM awa.claim('{later}', 10000) WHERE kind = 'many') c;
SELECT count(*) FROM awa.claim('{later}', 10000);
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.open_claims));
SELECT * FROM awa.check();

-- enqueue_jobs; a mix of those that wait and those that are scheduled keeps its order
SELECT cardinality(awa.enqueue_jobs(jsonb_build_array('{"queue": "noon", "kind": "a"}'::jsonb, jsonb_build_object('queue', 'noon', 'kind', 'b', 'run_at', now() + interval '1 min', 'deadline', '90 s'),
    '{"queue": "noon", "kind": "c", "deadline": "0", "run_at": "2000-01-01 00:00+00"}'::jsonb, '{"queue": "later", "kind": "d", "deadline": "2 h"}'::jsonb)));
SELECT kind, state FROM awa.jobs WHERE state <> 'completed' ORDER BY 1;

-- undone: never deferred; undone promotion: still deferred
BEGIN;
SELECT awa.enqueue('later', 'undone', run_at => now() + interval '1 h') > 0 AS enqueued;
SAVEPOINT here;
SELECT awa.enqueue('later', 'undone', run_at => now() + interval '1 h') > 0 AS enqueued;
ROLLBACK TO here;
SELECT count(*) FROM awa.jobs WHERE kind = 'undone';
ROLLBACK;
SELECT pg_temp.pass('1 min');
BEGIN;
SELECT awa.promote_due(), awa.promote_due();
ROLLBACK;
BEGIN;
SAVEPOINT here;
SELECT awa.promote_due();
ROLLBACK TO here;
COMMIT;
SELECT awa.promote_due(), awa.promote_due();
-- its own transaction does not claim what it promoted
SELECT awa.enqueue('later', 'mine', run_at => now() + interval '1 min') > 0 AS enqueued;
SELECT pg_temp.pass('1 min');
BEGIN;
SELECT awa.promote_due();
SELECT count(*) FROM awa.claim('{later}', 10) WHERE kind = 'mine';
COMMIT;
SELECT count(*) FROM awa.claim('{later}', 10) WHERE kind = 'mine';
-- paused queues are promoted as well
SELECT awa.pause_queue('later');
SELECT awa.enqueue('later', 'paused', run_at => now() + interval '1 min') > 0 AS enqueued;
SELECT pg_temp.pass('1 min');
SELECT awa.promote_due();
SELECT awa.resume_queue('later');
SELECT kind FROM awa.claim('{later}', 10);
-- every level
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT awa.enqueue('later', 'strict', run_at => now() + interval '1 min') > 0 AS enqueued;
SELECT pg_temp.pass('1 min');
SELECT awa.promote_due();
COMMIT;
SELECT kind FROM awa.claim('{later}', 10);
BEGIN READ ONLY;
SELECT awa.promote_due();
ROLLBACK;

-- deadlines: a job's own, none, the queue's, the claim's; claims of both shapes in one call
SELECT awa.create_queue('limits', deadline => '10 min');
SELECT count(awa.enqueue('limits', kind, deadline => deadline::interval)) FROM (VALUES ('1 own', '1 h'), ('2 none', '0'), ('3 queue', NULL), ('4 own', '1 year'), ('5 queue', NULL), ('6 own', '1 microsecond')) j(kind, deadline);
SELECT kind, deadline_at - claimed_at AS deadline, receipt::text LIKE '%:%' AS receipt FROM awa.claim('{limits}', 3);
SELECT kind, deadline_at - claimed_at AS deadline FROM awa.claim('{limits}', 10, deadline => '7 s');
SELECT kind, shape, deadline_at - claimed_at AS deadline FROM awa.open_claims WHERE queue = 'limits' ORDER BY kind;
SELECT count(*) AS claims FROM awa.lease_claims WHERE lane_id >> 8 = (SELECT queue_id FROM awa.queues WHERE queue = 'limits');
SELECT (awa.receipt_state(receipt)).* FROM awa.open_claims WHERE queue = 'limits' ORDER BY kind;
SELECT j.state, j.deadline_at - j.claimed_at AS deadline FROM awa.open_claims o CROSS JOIN LATERAL awa.load_job(o.job_id) j WHERE o.queue = 'limits' ORDER BY o.kind;
-- one completion of both shapes; forged and stale handles of either
CREATE TEMP TABLE held AS SELECT kind, receipt FROM awa.open_claims WHERE queue = 'limits';
SELECT awa.complete(ARRAY(SELECT receipt FROM held WHERE kind IN ('1 own', '2 none', '3 queue')), true);
SELECT awa.complete(ARRAY(SELECT receipt FROM held WHERE kind IN ('1 own', '2 none', '3 queue')));
\set VERBOSITY sqlstate
SELECT awa.complete(ARRAY(SELECT receipt FROM held WHERE kind IN ('1 own', '4 own')), true);
\set VERBOSITY default
SELECT kind, completed FROM awa.complete_each(ARRAY(SELECT receipt FROM held ORDER BY kind), ARRAY(SELECT to_jsonb(kind) FROM held ORDER BY kind)) c JOIN held h ON h.receipt OPERATOR(awa.=) c.receipt ORDER BY kind;
SELECT kind, (awa.receipt_state(receipt)).* FROM held ORDER BY kind;
SELECT awa.complete(ARRAY(SELECT regexp_replace(receipt::text, ':\d+:(\d+:-?\d+)$', ':999:\1') FROM held)), awa.complete(ARRAY(SELECT receipt::text || '0' FROM held WHERE length(split_part(receipt::text, ':', 6)) < 18));
-- a row-local receipt under another batch, and another receipt under its batch
SELECT awa.complete(ARRAY(SELECT regexp_replace(receipt::text, '^(\d+:\d+):\d+', '\1:1') FROM held)), awa.complete(ARRAY(SELECT regexp_replace(receipt::text, '^(\d+):\d+', '\1:1') FROM held));
SELECT kind, state, result FROM awa.terminal_jobs WHERE queue = 'limits' ORDER BY kind;
SELECT completed, running FROM awa.queue_counts('limits');
-- closures have the shape of their claims
SELECT 'row' AS shape, outcome, count(*) FROM awa.lease_claim_closures WHERE job_id IN (SELECT job_id FROM awa.terminal_jobs WHERE queue = 'limits') GROUP BY 2;
SELECT * FROM awa.check();
-- and both proofs hold
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.open_claims)) >= 0 AS completed;
SET awa_ring.history_retention = 0;
CALL awa.rotate('claim');
CALL awa.prune('claim');
CALL awa.rotate('queue');
CALL awa.prune('queue');
SELECT count(*) FROM awa.lease_claims;
SELECT count(*) FROM awa.lease_claim_closures;
SELECT awa.complete(ARRAY(SELECT receipt FROM held));
SELECT * FROM awa.check();
