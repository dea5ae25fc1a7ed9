-- Queues: create, change, pause, purge, drop; their names.
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
CREATE VIEW pg_temp.settings AS
SELECT queue, enqueue_shards AS shards, max_attempts AS max, deadline, stale_after AS stale, aging, backoff_base AS base, backoff_cap AS cap,
       dead_letter AS dlq, notify, failed_retention AS failed, dead_letter_retention AS dead, paused_at IS NOT NULL AS paused,
       created_at BETWEEN now() - interval '1 h' AND clock_timestamp() AS fresh
FROM awa.list_queues() WHERE queue LIKE 'queues%' ORDER BY queue COLLATE "C";

-- create: defaults, all settings, a name that is taken
SELECT awa.create_queue('queues');
SELECT awa.create_queue(queue => 'queues all', enqueue_shards => 64, max_attempts => 1000, deadline => '1 microsecond', stale_after => '100 years',
    aging => '1 mon', backoff_base => '1.5 s', backoff_cap => '1 d', dead_letter => true, notify => true, failed_retention => '1 s', dead_letter_retention => '1 week');
SELECT awa.create_queue('queues none', deadline => '0', aging => '0');
SELECT awa.create_queue('queues', enqueue_shards => 7, notify => true);
SELECT * FROM pg_temp.settings;
-- in a transaction that is undone, and twice in one
BEGIN;
SELECT awa.create_queue('queues undone');
SELECT awa.create_queue('queues undone');
SELECT awa.enqueue('queues undone', 'job') IS NOT NULL AS enqueued;
ROLLBACK;
SELECT awa.create_queue('queues undone');
SELECT awa.drop_queue('queues undone');

-- alter: each setting, what null leaves, what 0 removes, and whether anything changed
SELECT pg_temp.said(format('SELECT awa.alter_queue(''queues'', %s)', change)) AS first, pg_temp.said(format('SELECT awa.alter_queue(''queues'', %s)', change)) AS again, change
FROM unnest(ARRAY['enqueue_shards => 3', 'max_attempts => 5', 'deadline => ''1 h''', 'stale_after => ''10 s''', 'aging => ''5 min''', 'backoff_base => ''2 s''',
    'backoff_cap => ''1 h''', 'dead_letter => true', 'notify => true', 'failed_retention => ''1 d''', 'dead_letter_retention => ''2 d''', 'max_attempts => NULL']) change;
SELECT * FROM pg_temp.settings WHERE queue = 'queues';
SELECT awa.alter_queue('queues', deadline => '0', aging => '0', dead_letter => false), awa.alter_queue('queues'), awa.alter_queue('queues', deadline => '0', aging => '0');
SELECT * FROM pg_temp.settings WHERE queue = 'queues';
-- the same length of time, said otherwise, is no change
SELECT awa.alter_queue('queues', backoff_cap => '60 min'), awa.alter_queue('queues', dead_letter_retention => '48 h');
-- a change that is undone
BEGIN;
SELECT awa.alter_queue('queues', max_attempts => 999);
ROLLBACK;
SELECT max FROM pg_temp.settings WHERE queue = 'queues';
-- it holds for the next job, at once
SELECT awa.alter_queue('queues', max_attempts => 7);
SELECT awa.enqueue('queues', 'seven') > 0 AS enqueued;
SELECT awa.alter_queue('queues', max_attempts => 8);
SELECT awa.enqueue('queues', 'eight') > 0 AS enqueued, awa.enqueue('queues', 'own', max_attempts => 1) > 0 AS enqueued;
SELECT kind, max_attempts FROM awa.claim('{queues}', 10) ORDER BY kind;

-- fewer shards hide nothing
SELECT awa.create_queue('queues shards', enqueue_shards => 8);
SELECT cardinality(awa.enqueue_many('queues shards', 'job', array_fill('{}'::jsonb, ARRAY[32])));
SELECT count(DISTINCT shard) AS shards, sum(backlog_estimate) AS jobs FROM awa.lane_status WHERE queue = 'queues shards';
SELECT awa.alter_queue('queues shards', enqueue_shards => 1);
SELECT cardinality(awa.enqueue_many('queues shards', 'job', array_fill('{}'::jsonb, ARRAY[8])));
SELECT available FROM awa.queue_counts('queues shards');
SELECT count(*), count(DISTINCT enqueue_shard) AS shards FROM awa.claim_ready_runtime('queues shards', 100);
SELECT awa.alter_queue('queues shards', enqueue_shards => 2);
SELECT cardinality(awa.enqueue_many('queues shards', 'job', array_fill('{}'::jsonb, ARRAY[8])));
SELECT count(*), count(DISTINCT enqueue_shard) AS shards FROM awa.claim_ready_runtime('queues shards', 100);

-- pause: twice, claims return nothing, all else goes on
SELECT awa.create_queue('queues pause');
SELECT awa.enqueue('queues pause', 'before') > 0 AS enqueued;
SELECT receipt FROM awa.claim('{queues pause}') \gset
SELECT awa.pause_queue('queues pause'), awa.pause_queue('queues pause');
SELECT paused FROM pg_temp.settings WHERE queue = 'queues pause';
SELECT awa.enqueue('queues pause', 'during') > 0 AS enqueued;
SELECT count(*) FROM awa.claim('{queues pause}');
SELECT count(*) FROM awa.claim_ready_runtime('queues pause', 5);
SELECT count(*) FROM awa.complete_and_claim(ARRAY[:'receipt'], '{queues pause}');
SELECT (awa.receipt_state(:'receipt')).*;
-- … of none of its shards and priorities (F-14)
SELECT awa.create_queue('queues paused shards', enqueue_shards => 8);
SELECT sum(cardinality(awa.enqueue_many('queues paused shards', 'job', array_fill('1'::jsonb, ARRAY[40]), priority => p, ordering_keys => ARRAY(SELECT i::text FROM generate_series(1, 40) i)))) AS put
FROM generate_series(1, 4) p;
SELECT awa.pause_queue('queues paused shards');
SELECT count(*) FROM awa.claim('{queues paused shards}', 1000);
SELECT count(*) FROM awa.claim_ready_runtime('queues paused shards', 1000);
SELECT count(*) FROM awa.complete_and_claim(NULL, '{queues paused shards}', 1000);
SELECT awa.resume_queue('queues paused shards');
SELECT count(*), count(DISTINCT (lane_priority, enqueue_shard)) AS lanes FROM awa.claim_ready_runtime('queues paused shards', 1000);
SELECT awa.drop_queue('queues paused shards', force => true);
-- of several queues only the paused one is left out
SELECT awa.enqueue('queues', 'beside') > 0 AS enqueued;
SELECT queue, kind FROM awa.claim('{queues pause,queues}', 5);
SELECT paused, available_estimate FROM awa.queue_stats WHERE queue = 'queues pause';
SELECT awa.resume_queue('queues pause'), awa.resume_queue('queues pause');
SELECT kind FROM awa.claim('{queues pause}', 5);

-- purge: all that waits, on every lane, also what this transaction enqueued itself; what runs goes on
SELECT awa.create_queue('queues purge', enqueue_shards => 4);
SELECT count(awa.enqueue('queues purge', 'job', priority => 1 + n % 4)) FROM generate_series(1, 40) n;
SELECT receipt FROM awa.claim('{queues purge}') \gset
BEGIN;
SELECT count(awa.enqueue('queues purge', 'own', priority => 1 + n % 4)) FROM generate_series(1, 8) n;
SELECT awa.purge_queue('queues purge'), awa.purge_queue('queues purge');
SELECT awa.enqueue('queues purge', 'after') > 0 AS enqueued;
COMMIT;
SELECT * FROM awa.queue_counts('queues purge');
SELECT state, outcome, attempt, kind, claimed_at IS NULL AS never_claimed, count(*) FROM awa.terminal_jobs WHERE queue = 'queues purge' GROUP BY 1, 2, 3, 4, 5 ORDER BY kind;
SELECT kind FROM awa.claim('{queues purge}', 100);
SELECT awa.complete(ARRAY[:'receipt']);
SELECT awa.purge_queue('queues purge');
-- a purge that is undone, whole or in part
SELECT count(awa.enqueue('queues purge', 'again')) FROM generate_series(1, 3);
BEGIN;
SELECT awa.purge_queue('queues purge');
SELECT count(*) FROM awa.claim('{queues purge}');
ROLLBACK;
BEGIN;
SAVEPOINT before;
SELECT awa.purge_queue('queues purge');
ROLLBACK TO before;
SELECT kind FROM awa.claim('{queues purge}', 2);
SELECT awa.purge_queue('queues purge');
COMMIT;
SELECT available, running, cancelled FROM awa.queue_counts('queues purge');

-- drop: not while there is unfinished work
SELECT awa.create_queue('queues drop');
SELECT channel AS first_channel FROM awa.channel('queues drop') \gset
SELECT awa.enqueue('queues drop', 'waits') > 0 AS enqueued;
SELECT awa.drop_queue('queues drop');
SELECT receipt FROM awa.claim('{queues drop}') \gset
SELECT awa.drop_queue('queues drop');
SELECT awa.complete_one(:'receipt', '"kept"');
BEGIN;
SELECT awa.enqueue('queues drop', 'not yet committed') > 0 AS enqueued;
SELECT awa.drop_queue('queues drop');
ROLLBACK;
BEGIN;
SELECT awa.drop_queue('queues drop', true);
ROLLBACK;
BEGIN;
SELECT awa.drop_queue('queues drop');
SELECT awa.enqueue('queues drop', 'job');
ROLLBACK;
SELECT awa.enqueue('queues drop', 'purged') > 0 AS enqueued;
BEGIN;
SELECT awa.purge_queue('queues drop'), awa.drop_queue('queues drop');
COMMIT;
\set VERBOSITY sqlstate
SELECT awa.drop_queue('queues drop');
SELECT awa.enqueue('queues drop', 'job');
SELECT awa.enqueue_many('queues drop', 'job', '{}');
SELECT awa.enqueue_jobs('[{"queue": "queues drop", "kind": "job"}]');
SELECT awa.claim('{queues,queues drop}');
SELECT awa.claim_ready_runtime('queues drop', 1);
SELECT awa.complete_and_claim(NULL, '{queues drop}');
SELECT awa.alter_queue('queues drop', notify => true);
SELECT awa.pause_queue('queues drop');
SELECT awa.resume_queue('queues drop');
SELECT awa.purge_queue('queues drop');
SELECT awa.channel('queues drop');
SELECT * FROM awa.queue_counts('queues drop');
\set VERBOSITY default
SELECT count(*) FROM pg_temp.settings WHERE queue = 'queues drop';
SELECT (awa.receipt_state(:'receipt')).*;
-- created again it is another queue; its history keeps the name
SELECT awa.create_queue('queues drop', max_attempts => 3);
SELECT awa.channel('queues drop') <> :'first_channel' AS another;
SELECT * FROM awa.queue_counts('queues drop');
SELECT awa.enqueue('queues drop', 'new') > 0 AS enqueued;
SELECT kind, max_attempts FROM awa.claim('{queues drop}', 5);
SELECT queue, kind, state, max_attempts, result FROM awa.terminal_jobs WHERE queue = 'queues drop' ORDER BY kind;
SELECT kind, state FROM awa.jobs WHERE queue = 'queues drop' ORDER BY kind;
SELECT sum(available_estimate), count(*) FROM awa.queue_stats WHERE queue = 'queues drop';
-- dropped and created in one transaction
SELECT awa.create_queue('queues brief');
BEGIN;
SELECT awa.drop_queue('queues brief'), awa.create_queue('queues brief'), awa.enqueue('queues brief', 'job') > 0 AS enqueued;
COMMIT;
SELECT kind FROM awa.claim('{queues brief}', 5);

-- names: kept as written, whatever is in them
CREATE TEMP TABLE names (n int, name text);
INSERT INTO names VALUES (1, 'o''Brien "x" \y'), (2, '日本語 ✓ ñ'), (3, ' '), (4, 'queues'), (5, 'Queues'), (6, 'queues '), (7, '%s %d %% %n'), (8, E'line\nline\ttab'),
    (9, '$$); DROP TABLE awa.queues; --'), (10, '{a,b}'), (11, 'awa:1'), (12, repeat('n', 200)), (13, repeat('日', 66)), (14, '0'), (15, 'NULL');
SELECT n, octet_length(name) AS bytes, awa.create_queue(name) AS created, awa.create_queue(name) AS again FROM names ORDER BY n;
SELECT count(*) FROM names JOIN awa.list_queues() ON queue = name;
SELECT count(awa.enqueue(name, 'name', to_jsonb(name))) FROM names;
SELECT count(*), bool_and(queue = args #>> '{}') AS right_queue FROM awa.claim((SELECT array_agg(name) FROM names), 100) WHERE kind = 'name';
SELECT n, (SELECT running FROM awa.queue_counts(name)) AS running, (SELECT count(*) FROM awa.open_claims WHERE queue = name AND kind = 'name') AS open,
       awa.pause_queue(name) AS paused, awa.resume_queue(name) AS resumed, awa.alter_queue(name, notify => false, max_attempts => 9) AS altered,
       awa.channel(name) ~ '^awa:\d+$' AS channel, awa.purge_queue(name) AS purged
FROM names WHERE name <> 'queues' ORDER BY n;
SELECT awa.complete(array_agg(receipt)) FROM awa.open_claims WHERE kind = 'name';
\pset format unaligned
SELECT n, pg_temp.said(format('SELECT awa.drop_queue(%L)', name)) AS dropped, pg_temp.said(format('SELECT awa.drop_queue(%L)', name)) AS unknown FROM names WHERE name <> 'queues' ORDER BY n;
SELECT count(*) FROM awa.terminal_jobs JOIN names ON queue = name AND args #>> '{}' = name;
SELECT pg_temp.said(format('SELECT awa.create_queue(%L)', name)) FROM unnest(ARRAY['', repeat('n', 201), repeat('日', 67), repeat('x', 100000)]) name;
SELECT pg_temp.said(format('SELECT awa.enqueue(%L, ''job'')', name)) FROM unnest(ARRAY['', repeat('n', 201), repeat('n', 200)]) name;
\pset format aligned

-- in a read-only transaction
BEGIN READ ONLY;
SELECT pg_temp.said(format('SELECT awa.%s', call)) FROM unnest(ARRAY['create_queue(''queues x'')', 'alter_queue(''queues'')', 'pause_queue(''queues'')', 'resume_queue(''queues'')',
    'purge_queue(''queues'')', 'drop_queue(''queues'')', 'channel(''queues'') ~ ''awa''', 'list_queues() IS NULL', 'queue_counts(''queues'') IS NOT NULL']) call;
COMMIT;
SELECT * FROM awa.check();
