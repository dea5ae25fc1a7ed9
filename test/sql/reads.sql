-- Looking at jobs, queues, lanes and rings, on a life story that reaches every state there is so far; and who may do what.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
SELECT awa.create_queue('reads', deadline => '1 h', max_attempts => 9);
SELECT awa.create_queue('reads empty'), awa.create_queue('reads lanes', enqueue_shards => 4);
CREATE TEMP TABLE held (n int, receipt awa.receipt, job_id bigint);
PREPARE counts AS SELECT *, scheduled + available + running + waiting_external + retryable + completed + failed + cancelled + dead_letter AS sum FROM awa.queue_counts('reads');
EXECUTE counts;
SELECT * FROM awa.queue_stats WHERE queue = 'reads';
SELECT * FROM awa.lane_status WHERE queue = 'reads';

-- twelve jobs wait
SELECT count(awa.enqueue('reads', 'kind ' || n, to_jsonb(n), priority => 2 + n / 10, metadata => jsonb_build_object('n', n), tags => CASE WHEN n % 2 = 0 THEN '{even}' ELSE '{}' END::text[])) FROM generate_series(1, 12) n;
EXECUTE counts;
-- five run
INSERT INTO held SELECT args::int, receipt, job_id FROM awa.claim('{reads}', 5);
EXECUTE counts;
-- two complete, one with a result, one in a transaction that is undone
SELECT awa.complete(array_agg(receipt)) FROM held WHERE n IN (1, 2);
SELECT awa.complete_one(receipt, '{"ok": true}') FROM held WHERE n = 3;
BEGIN;
SELECT awa.complete_one(receipt) FROM held WHERE n = 4;
EXECUTE counts;
ROLLBACK;
EXECUTE counts;
-- seven are purged, three more come
SELECT awa.purge_queue('reads');
SELECT cardinality(awa.enqueue_many('reads', 'late', '{13,14,15}', priority => 4));
EXECUTE counts;
BEGIN;
SELECT awa.enqueue('reads', 'own') > 0 AS enqueued;
EXECUTE counts;
SELECT kind, state FROM awa.jobs WHERE queue = 'reads' AND kind = 'own';
ROLLBACK;

-- each job, once
SELECT args AS n, kind, state, priority, attempt, max_attempts AS max, run_lease AS lease, metadata, tags, created_at = run_at AS due, claimed_at >= created_at AS claimed, finalized_at >= created_at AS ended,
       deadline_at - claimed_at AS deadline, heartbeat_at AS heartbeat, progress, last_error, unique_key
FROM awa.jobs WHERE queue = 'reads' ORDER BY args;
SELECT count(*), count(DISTINCT job_id) FROM awa.jobs WHERE queue = 'reads';
SELECT args AS n, kind, state, attempt, outcome, result, ready_slot = ready_generation % 16 AS slot, lane_seq = job_id AS position FROM awa.terminal_jobs WHERE queue = 'reads' ORDER BY args;
SELECT h.n, o.kind, o.shape, o.run_lease, o.receipt::text = h.receipt::text AS receipt, o.deadline_at - o.claimed_at AS deadline, o.heartbeat_at, o.claim_slot = split_part(h.receipt::text, ':', 1)::int AS slot
FROM awa.open_claims o JOIN held h USING (job_id) WHERE queue = 'reads' ORDER BY h.n;
SELECT h.n, s.state, s.outcome FROM held h, awa.receipt_state(h.receipt) s ORDER BY n;
-- one job, as the view shows it, with errors, result and outcome
SELECT j.args AS n, l.state, l.errors, l.result, l.outcome,
       (l.job_id, l.queue, l.kind, l.state, l.priority, l.attempt, l.max_attempts, l.run_lease, l.args, l.metadata, l.tags, l.created_at, l.run_at) = (j.job_id, j.queue, j.kind, j.state, j.priority, j.attempt, j.max_attempts, j.run_lease, j.args, j.metadata, j.tags, j.created_at, j.run_at)
       AND (l.claimed_at, l.finalized_at, l.deadline_at, l.heartbeat_at, l.progress, l.last_error, l.unique_key) IS NOT DISTINCT FROM (j.claimed_at, j.finalized_at, j.deadline_at, j.heartbeat_at, j.progress, j.last_error, j.unique_key) AS same
FROM awa.jobs j CROSS JOIN LATERAL awa.load_job(j.job_id) l WHERE j.queue = 'reads' ORDER BY j.args;
SELECT count(*) FROM awa.load_job(0);
-- states of the view, counts and evidence agree
SELECT state, count(*) FROM awa.jobs WHERE queue = 'reads' GROUP BY 1 ORDER BY 1;
SELECT queue, paused, available_estimate, scheduled, retryable, dead_letters, oldest_available = (SELECT min(run_at) FROM awa.jobs WHERE queue = 'reads' AND state = 'available') AS oldest, claimed_total, completed_total
FROM awa.queue_stats WHERE queue LIKE 'reads%' ORDER BY queue;
SELECT priority, shard, backlog_estimate, window_opened_at IS NULL AS closed, claimer_pid, claimer_since FROM awa.lane_status WHERE queue = 'reads' ORDER BY 1, 2;
SELECT count(*) FROM awa.dead_letters WHERE queue LIKE 'reads%';
SELECT * FROM awa.check();
-- lanes: who holds one
SELECT count(awa.enqueue('reads lanes', 'job', priority => 1 + n % 2)) FROM generate_series(0, 15) n;
BEGIN;
SELECT count(*) FROM awa.claim('{reads lanes}', 12);
SELECT priority, count(*) AS lanes, sum(backlog_estimate) AS waiting, count(*) FILTER (WHERE claimer_pid = pg_backend_pid() AND claimer_since = now()) AS mine FROM awa.lane_status WHERE queue = 'reads lanes' GROUP BY 1 ORDER BY 1;
ROLLBACK;
SELECT priority, count(*) AS lanes, sum(backlog_estimate) AS waiting, count(claimer_pid) AS held FROM awa.lane_status WHERE queue = 'reads lanes' GROUP BY 1 ORDER BY 1;
-- rings: a current slot each, and rows in it
SELECT ring, count(*) AS slots, count(*) FILTER (WHERE state = 'current') AS current, bool_and(generation % (SELECT count(*) FROM awa.ring_status s WHERE s.ring = r.ring) = slot) AS generations,
       bool_or(state = 'current' AND bytes > 0) AS used, count(*) FILTER (WHERE state NOT IN ('current', 'sealed', 'open', 'empty')) AS strange
FROM awa.ring_status r GROUP BY ring ORDER BY ring;
SELECT count(*) >= 0 AS duties FROM awa.duty_status;
-- in a read-only transaction, and by an old snapshot
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
EXECUTE counts;
SELECT count(*) AS jobs, (SELECT count(*) FROM awa.open_claims WHERE queue = 'reads') AS open FROM awa.jobs WHERE queue = 'reads';
SELECT * FROM awa.check();
ROLLBACK;

-- who may do what
DROP ROLE IF EXISTS regress_awa_none, regress_awa_producer, regress_awa_worker, regress_awa_reader, regress_awa_admin, regress_awa_member, regress_awa_revoked, "regress_awa ""Odd"" näme";
CREATE ROLE regress_awa_none;
CREATE ROLE regress_awa_producer;
CREATE ROLE regress_awa_worker;
CREATE ROLE regress_awa_reader;
CREATE ROLE regress_awa_admin;
CREATE ROLE regress_awa_revoked;
CREATE ROLE regress_awa_member IN ROLE regress_awa_producer, regress_awa_worker;
CREATE ROLE "regress_awa ""Odd"" näme";
SELECT awa.grant_producer('regress_awa_producer'), awa.grant_worker('regress_awa_worker'), awa.grant_reader('regress_awa_reader'), awa.grant_admin('regress_awa_admin');
SELECT awa.grant_producer('regress_awa_producer');
SELECT awa.grant_producer('regress_awa_revoked'), awa.grant_reader('regress_awa_revoked'), awa.grant_admin('regress_awa_revoked'), awa.revoke_all('regress_awa_revoked'), awa.revoke_all('regress_awa_revoked');
SELECT awa.grant_worker('"regress_awa ""Odd"" näme"');
SELECT has_function_privilege('regress_awa "Odd" näme', 'awa.claim(text[], int, interval)', 'EXECUTE') AS may_claim, has_function_privilege('regress_awa "Odd" näme', 'awa.enqueue_jobs(jsonb)', 'EXECUTE') AS may_enqueue;
SELECT awa.revoke_all('"regress_awa ""Odd"" näme"');
DROP ROLE "regress_awa ""Odd"" näme", regress_awa_revoked;
CREATE ROLE regress_awa_revoked;
SELECT awa.grant_admin('regress_awa_revoked'), awa.revoke_all('regress_awa_revoked');
-- a statement as a role: ok, or how it is refused
CREATE FUNCTION pg_temp.may(role text, statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    BEGIN
        PERFORM set_config('role', 'regress_awa_' || role, true);
        EXECUTE statement;
        RAISE EXCEPTION USING ERRCODE = 'ZZ000';
    EXCEPTION
        WHEN SQLSTATE 'ZZ000' THEN RETURN 'ok';
        WHEN OTHERS THEN RETURN SQLSTATE;
    END;
END $$;
\pset null -
SELECT statement, r.*
FROM unnest(ARRAY['awa.create_queue(''reads x'')', 'awa.alter_queue(''reads'')', 'awa.pause_queue(''reads'')', 'awa.resume_queue(''reads'')', 'awa.purge_queue(''reads'')', 'awa.drop_queue(''reads empty'')', 'awa.channel(''reads'')',
    'awa.enqueue(''reads'', ''k'')', 'awa.enqueue_many(''reads'', ''k'', ''{1}'')', 'awa.enqueue_jobs(''[{"queue": "reads", "kind": "k"}]'')', 'awa.claim(''{reads}'')', 'awa.claim_ready_runtime(''reads'', 1)',
    'awa.complete(''{0:0:0:0:0:0}'')', 'awa.complete(''{0:0:0:0:0:0}''::text[])', 'awa.complete_one(''0:0:0:0:0:0'')', 'awa.complete_each(''{0:0:0:0:0:0}'')', 'awa.complete_and_claim(''{0:0:0:0:0:0}'', ''{reads}'')',
    'awa.receipt_state(''0:0:0:0:0:0'')', 'awa.receipt_states(''{0:0:0:0:0:0}'')', '''0:0:0:0:0:0''::awa.receipt', '''0:0:0:0:0:0''::text::awa.receipt OPERATOR(awa.=) ''0:0:0:0:0:1''',
    'awa.list_queues()', 'awa.queue_counts(''reads'')', 'awa.load_job(1)', 'awa.check()', '* FROM awa.jobs LIMIT 0', '* FROM awa.terminal_jobs LIMIT 0', '* FROM awa.dead_letters LIMIT 0', '* FROM awa.open_claims LIMIT 0', '* FROM awa.queue_stats LIMIT 0',
    '* FROM awa.lane_status LIMIT 0', '* FROM awa.ring_status LIMIT 0', '* FROM awa.duty_status LIMIT 0', 'awa.grant_producer(''regress_awa_none'')', 'awa.grant_admin(''regress_awa_none'')', 'awa.revoke_all(''regress_awa_none'')',
    'awa.grant_part(''admin'', ''regress_awa_none'')', 'awa.lock_for_reading()', 'awa.routines_of(''admin'')', '* FROM awa.queues LIMIT 0', '* FROM awa.ready_entries LIMIT 0', '* FROM awa.ready_entries_0 LIMIT 0', '* FROM awa.lease_claim_batches LIMIT 0', '* FROM awa.job_rows LIMIT 0',
    '* FROM awa.claim_violations LIMIT 0', 'nextval(''awa.entry_seq'')', '* FROM awa.entry_seq LIMIT 0']) WITH ORDINALITY s(statement, place)
     CROSS JOIN LATERAL (SELECT pg_temp.may('none', 'SELECT ' || statement) AS "none", pg_temp.may('producer', 'SELECT ' || statement) AS producer, pg_temp.may('worker', 'SELECT ' || statement) AS worker,
        pg_temp.may('member', 'SELECT ' || statement) AS member, pg_temp.may('reader', 'SELECT ' || statement) AS reader, pg_temp.may('admin', 'SELECT ' || statement) AS admin, pg_temp.may('revoked', 'SELECT ' || statement) AS revoked) r
ORDER BY place;
SELECT statement, r.*
FROM unnest(ARRAY['INSERT INTO awa.queues (queue_id, queue) VALUES (1000, ''x'')', 'UPDATE awa.queues SET notify = true', 'DELETE FROM awa.queues', 'TRUNCATE awa.ready_entries', 'INSERT INTO awa.jobs (kind) VALUES (''x'')',
    'LOCK TABLE awa.ready_entries IN ACCESS SHARE MODE', 'CREATE TABLE awa.mine (i int)', 'CREATE FUNCTION awa.mine() RETURNS int LANGUAGE sql AS ''SELECT 1''', 'CREATE TEMP TABLE mine (receipt awa.receipt PRIMARY KEY)',
    'SELECT set_config(''awa_ring.claim_wait'', ''1'', true)', 'SELECT set_config(''awa_ring.max_payload_bytes'', ''2048'', true)', 'DROP EXTENSION awa_ring', 'ALTER FUNCTION awa.check() OWNER TO CURRENT_USER']) WITH ORDINALITY s(statement, place)
     CROSS JOIN LATERAL (SELECT pg_temp.may('none', statement) AS "none", pg_temp.may('producer', statement) AS producer, pg_temp.may('worker', statement) AS worker, pg_temp.may('reader', statement) AS reader, pg_temp.may('admin', statement) AS admin) r
ORDER BY place;
-- what is granted beside EXECUTE: reading the views, and never more
SELECT a.grantee::regrole AS role, c.relkind, a.privilege_type, a.is_grantable, string_agg(c.relname, ' ' ORDER BY c.relname COLLATE "C") AS objects
FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a WHERE c.relnamespace = 'awa'::regnamespace AND a.grantee::regrole::text LIKE '%regress_awa%' GROUP BY 1, 2, 3, 4 ORDER BY a.grantee::regrole::text;
SELECT a.grantee::regrole AS role, n.nspname, a.privilege_type, a.is_grantable FROM pg_namespace n CROSS JOIN LATERAL aclexplode(n.nspacl) a WHERE a.grantee::regrole::text LIKE '%regress_awa%' ORDER BY a.grantee::regrole::text;
-- revoke_all takes what was granted otherwise as well: columns, and with the right to grant on; never does it leave a right
-- and say nothing
GRANT SELECT (kind), UPDATE (kind) ON awa.jobs TO regress_awa_revoked;
SELECT awa.revoke_all('regress_awa_revoked');
DROP ROLE regress_awa_revoked;
CREATE ROLE regress_awa_revoked;
GRANT USAGE ON SCHEMA awa TO regress_awa_revoked WITH GRANT OPTION;
GRANT EXECUTE ON FUNCTION awa.list_queues() TO regress_awa_revoked WITH GRANT OPTION;
SET ROLE regress_awa_revoked;
GRANT USAGE ON SCHEMA awa TO regress_awa_none;
GRANT EXECUTE ON FUNCTION awa.list_queues() TO regress_awa_none;
RESET ROLE;
DO $$
BEGIN
    PERFORM awa.revoke_all('regress_awa_none');
    RAISE WARNING 'still there without a word: %', has_function_privilege('regress_awa_none', 'awa.list_queues()', 'EXECUTE');
EXCEPTION WHEN OTHERS THEN RAISE WARNING 'still there without a word: f';
END $$;
SELECT awa.revoke_all('regress_awa_revoked');
SELECT count(*) AS kept FROM pg_proc p CROSS JOIN LATERAL aclexplode(p.proacl) a WHERE p.pronamespace = 'awa'::regnamespace AND a.grantee IN ('regress_awa_none'::regrole, 'regress_awa_revoked'::regrole);
DROP OWNED BY regress_awa_none, regress_awa_revoked CASCADE;
-- a whole life, each part by whom it is for
SET ROLE regress_awa_admin;
SELECT awa.create_queue('reads roles'), awa.grant_producer('regress_awa_none');
SET ROLE regress_awa_none;
SELECT awa.enqueue('reads roles', 'job', '{"by": "none"}') > 0 AS enqueued;
SELECT awa.claim('{reads roles}');
SET ROLE regress_awa_worker;
SELECT receipt, args FROM awa.claim('{reads roles}') \gset
SELECT awa.complete(ARRAY[:'receipt']), :'args' AS args;
SELECT state FROM awa.jobs WHERE queue = 'reads roles';
SET ROLE regress_awa_reader;
SELECT kind, state, args FROM awa.jobs WHERE queue = 'reads roles';
SELECT completed FROM awa.queue_counts('reads roles');
SELECT awa.purge_queue('reads roles');
SET ROLE regress_awa_admin;
SELECT awa.revoke_all('regress_awa_none'), awa.drop_queue('reads roles');
RESET ROLE;
SELECT awa.revoke_all(r::regrole) FROM unnest('{regress_awa_none,regress_awa_producer,regress_awa_worker,regress_awa_reader,regress_awa_admin,regress_awa_revoked}'::text[]) r;
DROP ROLE regress_awa_none, regress_awa_producer, regress_awa_worker, regress_awa_reader, regress_awa_admin, regress_awa_member, regress_awa_revoked;
EXECUTE counts;

-- nobody analyses the tables: where a right plan takes a second at most, a wrong one takes minutes
SELECT cardinality(awa.enqueue_many('reads lanes', 'job', array_fill('0'::jsonb, ARRAY[60000])));
SELECT cardinality(awa.enqueue_many('reads empty', 'job', ARRAY(SELECT to_jsonb(n) FROM generate_series(1, 30000) n)));
SELECT count(*) FROM awa.claim('{reads empty}', 10000);
SELECT completed, count(*) FROM awa.complete_each(ARRAY(SELECT receipt FROM awa.open_claims WHERE kind = 'job' LIMIT 5000), ARRAY(SELECT CASE WHEN n % 2 = 0 THEN to_jsonb(n) END FROM generate_series(1, 5000) n)) GROUP BY 1;
SELECT awa.purge_queue('reads empty');
SET statement_timeout = '20 s';
SELECT state, count(*) FROM awa.terminal_jobs WHERE queue = 'reads empty' GROUP BY 1 ORDER BY 1;
SELECT state, count(*), count(DISTINCT args) FROM awa.jobs WHERE queue = 'reads empty' GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM awa.jobs WHERE state = 'cancelled';
SELECT count(*), count(DISTINCT kind) FROM awa.open_claims WHERE queue = 'reads empty';
SELECT available, running, completed, cancelled FROM awa.queue_counts('reads empty');
SELECT count(*) FROM awa.check();
RESET statement_timeout;
