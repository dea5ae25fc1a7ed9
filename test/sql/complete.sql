-- Completing: complete, complete_one, complete_each, complete_and_claim, receipt_state, receipt_states. Fences are random
-- and numbers are drawn, so receipts are shown by the number of their job in this test.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
\setenv PGDATABASE :DBNAME
SELECT awa.create_queue('complete'), awa.create_queue('complete shards', enqueue_shards => 8);
CREATE TEMP TABLE held (n int, receipt awa.receipt);
-- what a statement says, or how it is refused; receipts in it are masked
CREATE FUNCTION pg_temp.said(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer text;
    message text;
    detail text;
    hint text;
BEGIN
    EXECUTE statement INTO answer;
    RETURN coalesce(answer, '(null)');
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN regexp_replace(concat_ws(' | ', SQLSTATE, message, nullif(detail, ''), nullif(hint, '')), '-?\d+(:-?\d+){5}', '<receipt>', 'g');
END $$;
-- n jobs more, running; their receipts go to held. Batches of the given size.
CREATE PROCEDURE pg_temp.hold(jobs int, batch int = 10000, queue text = 'complete') LANGUAGE plpgsql AS $$
DECLARE
    first int := (SELECT coalesce(max(n), 0) FROM held);
BEGIN
    PERFORM awa.enqueue_many(queue, 'job', ARRAY(SELECT to_jsonb(first + n) FROM generate_series(1, jobs) n));
    COMMIT;
    FOR part IN 1 .. (jobs + batch - 1) / batch LOOP
        INSERT INTO held SELECT c.args::int, c.receipt FROM awa.claim(ARRAY[queue], batch) c;
    END LOOP;
END $$;
-- receipts by number
CREATE FUNCTION pg_temp.r(VARIADIC numbers int[]) RETURNS awa.receipt[] LANGUAGE sql STABLE AS
$$ SELECT array_agg(receipt ORDER BY place) FROM unnest(numbers) WITH ORDINALITY u(m, place) JOIN held ON n = m $$;
CREATE FUNCTION pg_temp.span(first int, last int, step int) RETURNS awa.receipt[] LANGUAGE sql STABLE AS
$$ SELECT array_agg(receipt ORDER BY n) FROM held WHERE n BETWEEN $1 AND $2 AND (n - $1) % $3 = 0 $$;
-- all ways of looking agree on how many run, are completed, have a closure; and the evidence is sound
PREPARE agree AS
SELECT c.running, c.completed, ARRAY[o.open, j.running, s.open] = ARRAY[c.running, c.running, c.running] AS running_agrees,
       ARRAY[j.completed, t.completed, s.closed, stats.completed] = ARRAY[c.completed, c.completed, c.completed, c.completed] AS completed_agrees,
       (SELECT count(*) FROM awa.check()) AS violations
FROM (SELECT sum(running)::bigint AS running, sum(completed)::bigint AS completed FROM unnest('{complete,complete shards}'::text[]) q CROSS JOIN LATERAL awa.queue_counts(q)) c,
     (SELECT count(*) AS open FROM awa.open_claims WHERE queue LIKE 'complete%') o,
     (SELECT count(*) FILTER (WHERE state = 'running') AS running, count(*) FILTER (WHERE state = 'completed') AS completed FROM awa.jobs WHERE queue LIKE 'complete%') j,
     (SELECT count(*) AS completed FROM awa.terminal_jobs WHERE queue LIKE 'complete%' AND state = 'completed' AND outcome = 'completed') t,
     (SELECT count(*) FILTER (WHERE state = 'open') AS open, count(*) FILTER (WHERE state = 'closed' AND outcome = 'completed') AS closed
      FROM awa.receipt_states((SELECT array_agg(receipt) FROM held))) s,
     (SELECT sum(completed_total)::bigint AS completed FROM awa.queue_stats WHERE queue LIKE 'complete%') stats;

-- F-6: one receipt, twice, twice in one array, among others, in any order: it is closed once
CALL pg_temp.hold(10);
EXECUTE agree;
SELECT awa.complete(pg_temp.r(1)), awa.complete(pg_temp.r(1));
SELECT awa.complete(pg_temp.r(2, 2)), awa.complete(pg_temp.r(2, 2, 2));
SELECT awa.complete(pg_temp.r(4, 1, 3, 4, 2, 3));
SELECT awa.complete_one((pg_temp.r(5))[1]), awa.complete_one((pg_temp.r(5))[1]), awa.complete_one((pg_temp.r(1))[1], '"late"');
SELECT h.n, e.completed FROM awa.complete_each(pg_temp.r(7, 1, 6, 7, 7, 5)) WITH ORDINALITY e(receipt, completed, place) JOIN held h ON h.receipt OPERATOR(awa.=) e.receipt ORDER BY place;
SELECT h.n, e.completed FROM awa.complete_each(pg_temp.r(7, 6)) WITH ORDINALITY e(receipt, completed, place) JOIN held h ON h.receipt OPERATOR(awa.=) e.receipt ORDER BY place;
EXECUTE agree;
-- nothing at all
SELECT awa.complete(NULL), awa.complete('{}'), awa.complete(NULL, true);
SELECT * FROM awa.complete_each(NULL);
SELECT * FROM awa.complete_each('{}', '{}');
SELECT * FROM awa.complete_each(NULL, NULL);
SELECT * FROM awa.receipt_states(NULL);
SELECT * FROM awa.receipt_states('{}');
-- the text of a receipt will do, with and without a cast
SELECT receipt AS eight FROM held WHERE n = 8 \gset
SELECT receipt AS nine FROM held WHERE n = 9 \gset
PREPARE by_text (text[]) AS SELECT awa.complete($1);
EXECUTE by_text (ARRAY[:'eight']);
EXECUTE by_text (ARRAY[:'eight', :'nine']);
SELECT awa.complete(ARRAY[:'nine', :'eight']::text[]), awa.complete_one(:'nine'::text), (awa.receipt_state(:'nine'::text)).*;

-- forged: each part of a handle wrong, one at a time. None is completed, none is an error, none is known.
CREATE FUNCTION pg_temp.forged(receipt awa.receipt, part int, change numeric) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(CASE WHEN place <> part THEN piece WHEN change BETWEEN -9 AND 9 THEN (piece::numeric + change)::text ELSE change::text END, ':' ORDER BY place)
    FROM string_to_table($1::text, ':') WITH ORDINALITY s(piece, place)
$$;
CREATE TEMP TABLE forgeries AS
SELECT part, change, pg_temp.forged(receipt, part, change)::awa.receipt AS receipt
FROM held, unnest('{1,2,3,4,5,6}'::int[]) part, unnest(CASE part WHEN 1 THEN '{1,7,8,-1,-32768,32767,1000}' WHEN 2 THEN '{1,-1,9223372036854775807,-9223372036854775808}'
    ELSE '{1,-1,2,-2,9223372036854775807,-9223372036854775808}' END::numeric[]) change
WHERE n = 10 AND NOT (part = 6 AND change BETWEEN -9 AND 9 AND abs(split_part(receipt::text, ':', 6)::numeric) > 9223372036854775800);
SELECT part, count(*), bool_or(awa.complete_one(receipt)) AS completed, sum(awa.complete(ARRAY[receipt])) AS completed, array_agg(DISTINCT (awa.receipt_state(receipt)).state) AS states FROM forgeries GROUP BY part ORDER BY part;
SELECT awa.complete(array_agg(receipt)) FROM forgeries;
SELECT state, outcome, count(*) FROM awa.receipt_states((SELECT array_agg(receipt) FROM forgeries)) GROUP BY 1, 2;
SELECT completed, count(*) FROM awa.complete_each((SELECT array_agg(receipt) FROM forgeries)) GROUP BY 1;
SELECT awa.complete('{0:0:0:0:0:0,-1:-1:-1:-1:-1:-1,32767:9223372036854775807:9223372036854775807:9223372036854775807:9223372036854775807:9223372036854775807,-32768:-9223372036854775808:-9223372036854775808:-9223372036854775808:-9223372036854775808:-9223372036854775808}');
-- a receipt with the identity of another one of the batch
SELECT awa.complete(ARRAY[concat_ws(':', split_part(a.receipt::text, ':', 1), split_part(a.receipt::text, ':', 2), split_part(a.receipt::text, ':', 3), split_part(b.receipt::text, ':', 4), 1, split_part(a.receipt::text, ':', 6))])
FROM held a, held b WHERE a.n = 10 AND b.n = 9;
-- the true one, among all of them
SELECT awa.complete(array_agg(receipt) || pg_temp.r(10)) FROM forgeries;
EXECUTE agree;

-- strict: all or none
CALL pg_temp.hold(6);
\pset format unaligned
SELECT pg_temp.said('SELECT awa.complete(pg_temp.r(11, 12, 1), true)') AS one_stale;
SELECT pg_temp.said('SELECT awa.complete(pg_temp.r(11, 12, 1, 2, 2), strict => true)') AS two_stale;
SELECT pg_temp.said(format('SELECT awa.complete(%L, true)', ARRAY[r[1]::text, pg_temp.forged(r[2], 6, 1)])) AS forged FROM pg_temp.r(11, 12) r;
SELECT pg_temp.said('SELECT count(*) FROM awa.complete_and_claim(pg_temp.r(11, 1), ''{complete}'', 1, true)') AS cycle;
\pset format aligned
SELECT DISTINCT state FROM awa.receipt_states(pg_temp.r(11, 12, 13));
SELECT awa.complete(pg_temp.r(11, 11, 12), true);
\set VERBOSITY sqlstate
SELECT awa.complete(pg_temp.r(11, 13), true);
\set VERBOSITY default
EXECUTE agree;

-- results: none, a JSON null, values; in one list. The first place of a receipt counts.
SELECT e.completed FROM awa.complete_each(pg_temp.r(13, 14, 14, 15), '{NULL,"{\"a\": [1]}","\"second\"","null"}') e;
SELECT awa.complete_one((pg_temp.r(16))[1], 'null');
CALL pg_temp.hold(4);
SELECT awa.complete_one((pg_temp.r(17))[1], '{"deep": {"er": [null, "ü"]}}'), awa.complete_one((pg_temp.r(18))[1], NULL);
SELECT e.completed FROM awa.complete_each(pg_temp.r(19, 20), ARRAY[to_jsonb(repeat('x', 1048576 - 12)), NULL]) e;
SELECT args AS n, octet_length(result::text) AS length, result IS NULL AS none, left(result::text, 40) AS result, outcome, attempt, run_lease FROM awa.terminal_jobs WHERE queue = 'complete' AND args::int BETWEEN 13 AND 20 ORDER BY args;
SELECT args AS n, left(l.result::text, 40) AS result, l.outcome FROM awa.jobs j CROSS JOIN LATERAL (SELECT state, result, outcome FROM awa.load_job(j.job_id)) l WHERE queue = 'complete' AND args::int BETWEEN 13 AND 18 ORDER BY args;
CALL pg_temp.hold(2);
\pset format unaligned
SELECT pg_temp.said('SELECT awa.complete_one((pg_temp.r(21))[1], to_jsonb(repeat(''x'', 1048576)))') AS one;
SELECT pg_temp.said('SELECT count(*) FROM awa.complete_each(pg_temp.r(21, 22), ARRAY[NULL, to_jsonb(repeat(''x'', 1048576))])') AS each;
SELECT pg_temp.said('SELECT count(*) FROM awa.complete_each(pg_temp.r(21, 22), ''{1}'')') AS short, pg_temp.said('SELECT count(*) FROM awa.complete_each(NULL, ''{1}'')') AS no_receipts;
\pset format aligned
SELECT awa.complete(pg_temp.r(21, 22));
EXECUTE agree;

-- transactions: undone it is open again; twice in one; after a savepoint
CALL pg_temp.hold(6);
BEGIN;
SELECT awa.complete(pg_temp.r(23, 24)), awa.complete(pg_temp.r(23, 25)), (awa.receipt_state((pg_temp.r(23))[1])).*;
ROLLBACK;
SELECT state, count(*) FROM awa.receipt_states(pg_temp.r(23, 24, 25)) GROUP BY 1;
EXECUTE agree;
BEGIN;
SELECT awa.complete(pg_temp.r(23));
SAVEPOINT one;
SELECT awa.complete(pg_temp.r(23, 24)), awa.complete_one((pg_temp.r(25))[1], '"undone"');
ROLLBACK TO one;
SELECT array_agg(state) FROM awa.receipt_states(pg_temp.r(23, 24, 25));
SELECT awa.complete(pg_temp.r(24, 25), true);
SAVEPOINT two;
SELECT awa.complete(pg_temp.r(26));
RELEASE two;
COMMIT;
SELECT array_agg(state) FROM awa.receipt_states(pg_temp.r(23, 24, 25, 26));
DO $$
BEGIN
    PERFORM awa.complete(pg_temp.r(27, 28));
    PERFORM awa.complete(pg_temp.r(27), true);
EXCEPTION WHEN SQLSTATE 'AW001' THEN
    PERFORM awa.complete(pg_temp.r(28));
END $$;
SELECT array_agg(state) FROM awa.receipt_states(pg_temp.r(27, 28));
SELECT awa.complete(pg_temp.r(27));
EXECUTE agree;
-- an old snapshot does not open what others closed since
CALL pg_temp.hold(2);
SELECT receipt AS theirs FROM held WHERE n = 29 \gset
\setenv THEIRS :theirs
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM awa.open_claims WHERE queue = 'complete';
\! psql -X -q -t -c "SELECT awa.complete(ARRAY['$THEIRS'])"
SELECT awa.complete(pg_temp.r(29)), awa.complete_one((pg_temp.r(29))[1]), (awa.receipt_state((pg_temp.r(29))[1])).*;
SELECT awa.complete(pg_temp.r(29, 30));
COMMIT;
EXECUTE agree;
BEGIN READ ONLY;
SELECT pg_temp.said(call) FROM unnest(ARRAY['SELECT awa.complete(NULL)', 'SELECT awa.complete_one((pg_temp.r(1))[1])', 'SELECT count(*) FROM awa.complete_each(NULL)',
    'SELECT count(*) FROM awa.complete_and_claim(NULL, ''{complete}'')', 'SELECT state FROM awa.receipt_state((pg_temp.r(1))[1])', 'SELECT count(*) FROM awa.receipt_states(pg_temp.r(1, 2))']) call;
COMMIT;

-- many: of one batch below and above each step of the keys, then scattered over many batches
CALL pg_temp.hold(2000);
SELECT count, awa.complete(pg_temp.span(first, first + count - 1, 1)) FROM (VALUES (101, 15), (201, 16), (301, 17), (401, 64), (501, 65), (601, 256), (901, 257)) v(first, count);
SELECT awa.complete(pg_temp.span(31, 2030, 2));
SELECT awa.complete(pg_temp.span(31, 2030, 1));
EXECUTE agree;
CALL pg_temp.hold(330, 1);
SELECT (SELECT count(DISTINCT split_part(receipt::text, ':', 2)) FROM held WHERE n > 2030) AS batches;
SELECT count, awa.complete(pg_temp.span(first, first + count - 1, 1)) FROM (VALUES (2031, 20), (2051, 70), (2121, 240)) v(first, count);
CALL pg_temp.hold(1200, 3);
SELECT awa.complete(pg_temp.span(2361, 3560, 3)), awa.complete(pg_temp.span(2361, 3560, 2)), awa.complete(pg_temp.span(2361, 3560, 1)), awa.complete(pg_temp.span(2361, 3560, 1));
CALL pg_temp.hold(700, 50, 'complete shards');
SELECT count(*), count(*) FILTER (WHERE completed) FROM awa.complete_each(pg_temp.span(3561, 4260, 1) || pg_temp.span(3561, 4260, 5), ARRAY(SELECT CASE WHEN n % 7 = 0 THEN to_jsonb(n) END FROM generate_series(1, 840) n));
SELECT count(result), count(*) FROM awa.terminal_jobs WHERE queue = 'complete shards';
EXECUTE agree;

-- complete and claim in one: with nothing to complete, nothing to claim, one after the other
SELECT cardinality(awa.enqueue_many('complete', 'cycle', '{5001,5002,5003,5004}'));
WITH c AS (SELECT * FROM awa.complete_and_claim(NULL, '{complete}', 2)), kept AS (INSERT INTO held SELECT args::int, receipt FROM c) SELECT args, attempt FROM c;
WITH c AS (SELECT * FROM awa.complete_and_claim(pg_temp.r(5001), '{complete,complete shards}')), kept AS (INSERT INTO held SELECT args::int, receipt FROM c) SELECT args FROM c;
BEGIN;
SELECT args FROM awa.complete_and_claim(pg_temp.r(5002), '{complete}', 5);
ROLLBACK;
SELECT state FROM awa.receipt_states(pg_temp.r(5001, 5002, 5003));
WITH c AS (SELECT * FROM awa.complete_and_claim(pg_temp.r(5002, 5003), '{complete}', 100)), kept AS (INSERT INTO held SELECT args::int, receipt FROM c) SELECT args FROM c;
SELECT count(*) FROM awa.complete_and_claim(pg_temp.r(5004), '{complete}');
EXECUTE agree;
-- nothing to do, both ways: no transaction id, and no row
BEGIN;
SELECT count(*) FROM awa.complete_and_claim('{}', '{complete}');
SELECT awa.complete(NULL), pg_current_xact_id_if_assigned() IS NULL AS no_xid;
COMMIT;
