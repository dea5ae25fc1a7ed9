-- Names of queues: any text of 1 to 200 bytes, kept as written; each is a queue of its own.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
-- what a statement says, or how it is refused: SQLSTATE | message | detail | hint
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
    RETURN concat_ws(' | ', SQLSTATE, message, nullif(detail, ''), nullif(hint, ''));
END $$;

-- Neighbours differ in one byte, in case, in what an identifier of 63 bytes would cut off, or only in how they are composed.
CREATE TEMP TABLE names (n int PRIMARY KEY, name text COLLATE "C" UNIQUE, shown text);
INSERT INTO names SELECT row_number() OVER (), name, CASE WHEN octet_length(name) > 40 THEN left(name, 12) || '... of ' || octet_length(name) ELSE name END
FROM unnest(ARRAY[
    'x', 'y', ' ', '  ', repeat('a', 57), repeat('a', 58), repeat('a', 62), repeat('a', 63), repeat('a', 64), repeat('a', 63) || 'b',
    repeat('a', 199), repeat('a', 200), repeat('a', 199) || 'b', repeat('ü', 100), repeat('💥', 50), repeat('ü', 31) || 'x',
    'foo', 'Foo', 'FOO', ' foo', 'foo ', '"foo"', 'fo"o', '''foo''', 'fo''o', 'foo''); DROP TABLE awa.queues; --', '$1', '$$', '$tag$', '%s', '%', '_', '\', '\n', E'\n', E'foo\n',
    E'foo\r\nbar', E'\t', E'\x01', '💥', '💥💥', 'é', U&'e\0301', 'null', 'NULL', '{}', '{a,b}', 'a,b', '(1)', '*', 'awa', 'awa.queues', 'public', '1', '0', '-1', '/*', '--', ';', '你好', 'ß', 'SS', 'ı', 'I'
]) name;
SELECT count(*) AS names, min(octet_length(name)) AS least, max(octet_length(name)) AS most, count(DISTINCT name) AS distinct FROM names;

-- create: each is new, and then there
SELECT count(*) FILTER (WHERE awa.create_queue(name, notify => true)) AS created FROM names;
SELECT count(*) FILTER (WHERE NOT awa.create_queue(name)) AS there FROM names;
SELECT count(*) AS as_written FROM names JOIN awa.list_queues() q ON q.queue = names.name COLLATE "C";
SELECT count(*) AS queues FROM awa.list_queues();
-- what is no name
SELECT pg_temp.said(format('SELECT awa.create_queue(%L)', name)) AS said FROM unnest(ARRAY['', repeat('a', 201), repeat('ü', 100) || 'a', NULL]) name;

-- enqueue by the three verbs: the job says where it belongs
SELECT count(awa.enqueue(name, 'one', to_jsonb(n))) FROM names;
SELECT sum(cardinality(awa.enqueue_many(name, 'many', ARRAY[to_jsonb(n), to_jsonb(n)]))) FROM names;
SELECT cardinality(awa.enqueue_jobs((SELECT jsonb_agg(jsonb_build_object('queue', name, 'kind', 'object', 'args', n)) FROM names)));
SELECT count(*) AS wrong FROM names LEFT JOIN (SELECT queue, count(*) AS jobs, min(args::text) AS least, max(args::text) AS most FROM awa.jobs GROUP BY queue) j ON j.queue = name COLLATE "C"
WHERE (jobs, least, most) IS DISTINCT FROM (4, n::text, n::text);

-- claim: one name gives the jobs of that queue alone, under its name as written
CREATE TEMP TABLE claims AS SELECT n, c.* FROM names, awa.claim(ARRAY[name], 2) c;
SELECT count(*) AS claimed, count(*) FILTER (WHERE c.queue = name COLLATE "C" AND c.args = to_jsonb(n)) AS own FROM claims c JOIN names USING (n);
SELECT count(*) AS claimed, count(*) FILTER (WHERE r.queue = name COLLATE "C" AND r.args = to_jsonb(n)) AS own
FROM names, awa.claim_ready_runtime(name, 1) r;
-- several names in one call
SELECT count(*) AS claimed, count(DISTINCT c.queue COLLATE "C") AS queues, count(*) FILTER (WHERE c.args = to_jsonb(n)) AS own
FROM (SELECT (awa.claim(array_agg(name), 1000)).* FROM names) c JOIN names ON name = c.queue COLLATE "C";
-- complete, and complete and claim
SELECT awa.complete((SELECT array_agg(receipt) FROM claims WHERE n % 2 = 0)) = (SELECT count(*) FROM claims WHERE n % 2 = 0) AS completed;
SELECT awa.enqueue(name, 'last', to_jsonb(n)) > 0 AS enqueued, count(*) FROM names GROUP BY 1;
SELECT count(*) AS claimed, count(*) FILTER (WHERE c.args = to_jsonb(n)) AS own
FROM names, awa.complete_and_claim(ARRAY(SELECT receipt FROM claims WHERE claims.n = names.n), ARRAY[name]) c;

-- counts: of each queue its own
SELECT awa.enqueue(name, 'waits', to_jsonb(n)) > 0 AS enqueued, count(*) FROM names GROUP BY 1;
SELECT available, running, completed, count(*) AS queues FROM names, awa.queue_counts(name) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
SELECT count(*) AS queues, min(claimed_total) AS least, max(claimed_total) AS most FROM awa.queue_stats s JOIN names ON name = s.queue COLLATE "C";
SELECT count(DISTINCT queue) AS queues, count(*) AS lanes FROM awa.lane_status WHERE backlog_estimate = 1;

-- alter, pause, resume
SELECT count(*) FILTER (WHERE awa.alter_queue(name, max_attempts => 100 + n)) AS changed FROM names;
SELECT count(*) FILTER (WHERE q.max_attempts = 100 + n) AS own FROM names JOIN awa.list_queues() q ON q.queue = name COLLATE "C";
SELECT count(*) FILTER (WHERE awa.pause_queue(name)) AS paused FROM names WHERE n % 2 = 0;
SELECT n % 2 = 0 AS paused, count(c.*) AS claimed FROM names LEFT JOIN LATERAL awa.claim(ARRAY[name], 1) c ON true GROUP BY 1 ORDER BY 1;
SELECT count(*) FILTER (WHERE awa.resume_queue(name)) AS resumed FROM names;

-- purge: one queue at a time, the others keep their jobs
SELECT awa.enqueue(name, 'more', to_jsonb(n)) > 0 AS enqueued, count(*) FROM names GROUP BY 1;
SELECT awa.purge_queue('foo') AS foo, awa.purge_queue('foo') AS again;
SELECT name, (SELECT count(*) FROM awa.jobs j WHERE j.queue = name COLLATE "C" AND j.state = 'available') AS waiting FROM names WHERE name IN ('foo', 'Foo', 'FOO', ' foo', 'foo ') ORDER BY n;
SELECT sum(awa.purge_queue(name)) AS purged FROM names;

-- channels: one a queue, short whatever the name; a notification reaches who listens there
SELECT count(DISTINCT awa.channel(name)) AS channels, max(octet_length(awa.channel(name))) < 64 AS short FROM names;
CREATE TEMP TABLE notified AS SELECT n FROM names WHERE name IN (repeat('a', 63), repeat('a', 64), repeat('a', 200), 'Foo', 'fo"o', '$1', E'\n', '💥');
SELECT string_agg(format('LISTEN %I;', awa.channel(name)), ' ') AS listen FROM names JOIN notified USING (n) \gset
:listen
SELECT count(*) FROM pg_listening_channels();
-- all queues are enqueued to, 8 channels are listened to; the process differs from run to run
\o |sed 's/PID [0-9]*/PID .../'
DO $$ BEGIN PERFORM awa.enqueue(name, 'wakes', to_jsonb(n)) FROM names; END $$;
\o
\pset format unaligned
SELECT awa.channel(name), shown FROM names JOIN notified USING (n) ORDER BY n;
\pset format aligned
UNLISTEN *;
SELECT count(*) AS purged FROM names WHERE awa.purge_queue(name) = 1;

-- drop: what runs keeps a queue; a dropped name is free for another
SELECT count(*) AS refused, min(split_part(pg_temp.said(format('SELECT awa.drop_queue(%L)', name)), ' ', 1)) AS state FROM names;
SELECT awa.complete((SELECT array_agg(receipt) FROM awa.open_claims)) > 0 AS completed;
SELECT count(*) FILTER (WHERE awa.drop_queue(name)) AS dropped FROM names;
SELECT count(*) AS left FROM awa.list_queues();
SELECT split_part(pg_temp.said(format('SELECT awa.enqueue(%L, ''k'')', name)), ' ', 1) AS said, count(*) FROM names GROUP BY 1;
SELECT count(*) FILTER (WHERE awa.create_queue(name)) AS again FROM names;
SELECT count(*) AS jobs FROM awa.jobs WHERE state = 'available';
SELECT * FROM awa.check();
