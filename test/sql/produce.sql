-- Producing: enqueue, enqueue_many, enqueue_jobs.
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
SELECT awa.create_queue('produce');
SELECT awa.create_queue('produce shards', enqueue_shards => 4, max_attempts => 3);

-- one job: the id, defaults and all that can be said of it
SELECT awa.enqueue('produce', 'plain') AS first \gset
SELECT awa.enqueue('produce', 'full', '{"a": [1, "ü"], "b": null}', 1, now() - interval '1 day', 5, NULL, NULL, '{available}', 'ignore', 'key',
    '{"trace": "x", "n": {"deep": [true]}}', '{red,"with space",ü,red}') > :first AS later;
SELECT awa.enqueue(queue => 'produce', kind => 'named', metadata => '{"m": 1}', priority => 4, run_at => '-infinity', max_attempts => 1000) > :first AS later;
SELECT kind, args, priority, attempt, max_attempts, metadata, tags, progress, last_error, callback_result, run_at = created_at AS due_at_once,
       claimed_at >= created_at AS ordered
FROM awa.claim('{produce}', 10);
SELECT kind, payload FROM awa.jobs j JOIN awa.job_rows r USING (job_id, kind) WHERE j.queue = 'produce' ORDER BY kind;
-- args are any JSON; metadata an object; the empty ones need no room
SELECT count(awa.enqueue('produce', 'json', args)) FROM unnest('{"null","[]","\"text\"",1.5,"{\"deep\": {}}","[[1],[]]",true}'::jsonb[]) args;
SELECT args FROM awa.claim('{produce}', 10);
SELECT awa.enqueue('produce', 'empty', metadata => '{}', tags => '{}') AS id \gset
SELECT payload IS NULL AS no_payload FROM awa.job_rows WHERE job_id = :id;
-- the same again is another job
SELECT awa.enqueue('produce', 'twin', '1') <> awa.enqueue('produce', 'twin', '1') AS two;
SELECT count(*) FROM awa.claim('{produce}', 10) WHERE kind = 'twin';

-- many: ids in the order of args, one transaction, in order
SELECT ids = ARRAY(SELECT id FROM unnest(ids) id ORDER BY id) AS rising, cardinality(ids), ids[5] AS fifth
FROM awa.enqueue_many('produce', 'many', ARRAY(SELECT to_jsonb(n) FROM generate_series(1, 100) n), priority => 3, max_attempts => 2, metadata => '{"all": 1}', tags => '{all}') ids \gset
SELECT :'rising', :cardinality, (SELECT args FROM awa.load_job(:fifth)) AS args_of_fifth;
SELECT string_agg(args::text, ' ' ORDER BY place) = (SELECT string_agg(n::text, ' ' ORDER BY n) FROM generate_series(1, 100) n) AS in_order,
       count(DISTINCT (priority, max_attempts, metadata, tags)) AS looks, min(priority), min(tags[1])
FROM awa.claim('{produce}', 100) WITH ORDINALITY AS c(receipt, job_id, queue, kind, args, priority, attempt, max_attempts, run_at, created_at,
    claimed_at, deadline_at, stale_at, metadata, tags, progress, last_error, callback_result, place);
SELECT awa.enqueue_many('produce', 'none', '{}') AS none, awa.enqueue_many('produce', 'none', '{}', ordering_keys => '{}', unique_keys => '{}') AS none;
SELECT cardinality(awa.enqueue_many('produce', 'keys', '{1,2,3}', unique_keys => '{NULL,NULL,NULL}', ordering_keys => '{a,NULL,a}'));
SELECT cardinality(awa.enqueue_many('produce', 'large', ARRAY(SELECT jsonb_build_object('n', n, 'fill', repeat('x', 300)) FROM generate_series(1, 3000) n)));
SELECT count(*), count(DISTINCT args) AS bodies FROM awa.claim('{produce}', 10000);

-- objects: queues, kinds and options mixed; ids in the order of the objects
SELECT awa.enqueue_jobs('[{"queue": "produce", "kind": "second", "priority": 3},
    {"queue": "produce shards", "kind": "other queue", "args": {"x": 1}},
    {"queue": "produce", "kind": "first", "priority": 1, "args": null, "max_attempts": 7, "metadata": {"m": 1}, "tags": ["a", "b"], "ordering_key": "k", "run_at": "2000-01-01 00:00Z"},
    {"kind": "nulls", "queue": "produce", "args": [1], "priority": null, "run_at": null, "max_attempts": null, "deadline": null, "unique_key": null,
     "unique_while": null, "on_conflict": null, "ordering_key": null, "metadata": null, "tags": null},
    {"queue": "produce", "kind": "twice", "args": 1, "args": 2, "unique_while": ["running"], "on_conflict": "replace", "tags": [], "metadata": {}}]') AS ids \gset
SELECT kind, queue FROM unnest(:'ids'::bigint[]) WITH ORDINALITY i(id, place), awa.load_job(id) ORDER BY place;
SELECT queue, kind, args, priority, max_attempts, metadata, tags FROM awa.claim('{produce}', 10);
SELECT queue, kind, args, priority, max_attempts, metadata, tags FROM awa.claim('{produce shards}', 10);
SELECT awa.enqueue_jobs('[]');
\pset format unaligned
SELECT left(jobs, 70) AS jobs, pg_temp.said(format('SELECT awa.enqueue_jobs(%L)', jobs)) FROM unnest(ARRAY['null', '{}', '1', '"[]"', 'true', '[1]', '[null]', '[[]]', '["x"]',
    '[{}]', '[{"queue": "produce"}]', '[{"kind": "k"}]', '[{"queue": null, "kind": "k"}]', '[{"queue": "produce", "kind": null}]', '[{"queue": "", "kind": "k"}]', '[{"queue": "produce", "kind": ""}]',
    '[{"queue": "produce", "kind": "k", "unknown": 1}]', '[{"Queue": "produce", "kind": "k"}]', '[{"queue": 1, "kind": "k"}]',
    '[{"queue": "produce", "kind": {}}]', '[{"queue": "produce", "kind": "k", "priority": "1"}]', '[{"queue": "produce", "kind": "k", "priority": 1.5}]',
    '[{"queue": "produce", "kind": "k", "priority": 0}]', '[{"queue": "produce", "kind": "k", "priority": 5}]', '[{"queue": "produce", "kind": "k", "priority": -1}]',
    '[{"queue": "produce", "kind": "k", "max_attempts": 1001}]', '[{"queue": "produce", "kind": "k", "max_attempts": 9223372036854775807}]', '[{"queue": "produce", "kind": "k", "max_attempts": true}]',
    '[{"queue": "produce", "kind": "k", "priority": 1e30}]', '[{"queue": "produce", "kind": "k", "priority": -1e30}]',
    '[{"queue": "produce", "kind": "k", "run_at": 5}]', '[{"queue": "produce", "kind": "k", "run_at": "whenever"}]', '[{"queue": "produce", "kind": "k", "run_at": "infinity"}]',
    '[{"queue": "produce", "kind": "k", "deadline": "1 h"}]', '[{"queue": "produce", "kind": "k", "unique_key": "u"}]', '[{"queue": "produce", "kind": "k", "unique_while": ["never"]}]',
    '[{"queue": "produce", "kind": "k", "unique_while": "running"}]', '[{"queue": "produce", "kind": "k", "unique_while": [1]}]', '[{"queue": "produce", "kind": "k", "on_conflict": "win"}]',
    '[{"queue": "produce", "kind": "k", "ordering_key": 1}]', '[{"queue": "produce", "kind": "k", "metadata": []}]', '[{"queue": "produce", "kind": "k", "metadata": "m"}]',
    '[{"queue": "produce", "kind": "k", "tags": "t"}]', '[{"queue": "produce", "kind": "k", "tags": [null]}]', '[{"queue": "produce", "kind": "k", "tags": [""]}]',
    '[{"queue": "produce", "kind": "k", "tags": {"a": 1}}]', '[{"queue": "nowhere", "kind": "k"}]']) jobs;
-- limits: kind and tags 200 bytes, 20 tags
SELECT pg_temp.said(format('SELECT awa.enqueue(''produce'', %s) > 0', rest)) FROM unnest(ARRAY['repeat(''k'', 200)', 'repeat(''k'', 201)', 'repeat(''日'', 66)', 'repeat(''日'', 67)',
    '''k'', tags => array_fill(repeat(''t'', 200), ARRAY[20])', '''k'', tags => array_fill(repeat(''t'', 201), ARRAY[1])', '''k'', tags => array_fill(''t''::text, ARRAY[21])', '''k'', tags => ''{""}''']) rest;
-- a message is text whatever the input was: cut between characters
SELECT octet_length(message) BETWEEN 60 AND 400 AS short, convert_from(convert_to(message, 'UTF8'), 'UTF8') = message AS whole
FROM unnest(ARRAY['SELECT awa.enqueue(''produce'', ''k'', on_conflict => repeat(''日'', 100))', 'SELECT awa.enqueue(''produce'', ''k'', unique_while => ARRAY[repeat(''日'', 100)])',
    'SELECT awa.enqueue_jobs(jsonb_build_array(jsonb_build_object(repeat(''日'', 100), 1)))', 'SELECT awa.enqueue(repeat(''日'', 66), ''k'')', 'SELECT awa.enqueue(repeat(''日'', 100), ''k'')']) call
     CROSS JOIN LATERAL pg_temp.said(call) message;
\pset format aligned
-- args, metadata: a mebibyte of jsonb each, or what the setting says; 12 bytes of it are not the text
SELECT awa.enqueue('produce', 'just', to_jsonb(repeat('x', 1048576 - 12)), metadata => jsonb_build_object('m', repeat('x', 1048576 - 100))) > 0 AS enqueued;
SELECT octet_length(args #>> '{}') AS args, octet_length(metadata ->> 'm') AS metadata FROM awa.claim('{produce}', 20) WHERE kind = 'just';
SELECT awa.enqueue('produce', 'over', to_jsonb(repeat('x', 1048576 - 11)));
SELECT awa.enqueue('produce', 'over', metadata => jsonb_build_object('m', repeat('x', 1048576)));
SELECT awa.enqueue_many('produce', 'over', ARRAY['1', to_jsonb(repeat('x', 1048576 - 11))]);
SELECT awa.enqueue_jobs(jsonb_build_array('{"queue": "produce", "kind": "fine"}'::jsonb, jsonb_build_object('queue', 'produce', 'kind', 'over', 'args', repeat('x', 1048576))));
SET awa_ring.max_payload_bytes = 1024;
SELECT awa.enqueue('produce', 'small', to_jsonb(repeat('x', 1024 - 12))) > 0 AS enqueued;
SELECT awa.enqueue('produce', 'over', to_jsonb(repeat('x', 1024 - 11)));
SET awa_ring.max_payload_bytes = '2MB';
SELECT awa.enqueue('produce', 'large', to_jsonb(repeat('x', 2 * 1048576 - 12))) > 0 AS enqueued;
RESET awa_ring.max_payload_bytes;
SELECT kind, octet_length(args #>> '{}') FROM awa.claim('{produce}', 20);

-- all or nothing
\set VERBOSITY sqlstate
SELECT awa.enqueue_jobs('[{"queue": "produce", "kind": "fine"}, {"queue": "nowhere", "kind": "bad"}]');
SELECT awa.enqueue_jobs('[{"queue": "produce", "kind": "fine"}, {"queue": "produce", "kind": "bad", "priority": 9}]');
SELECT awa.enqueue_many('produce', 'fine', '{1,NULL}');
SELECT awa.enqueue_many('produce', 'fine', '{1,2}', ordering_keys => '{a}');
SELECT awa.enqueue_many('produce', 'fine', '{1,2}', unique_keys => '{u2,u2}');
SELECT awa.enqueue_many('produce', 'fine', '{{1},{2}}');
\set VERBOSITY default
SELECT count(*) FROM awa.claim('{produce,produce shards}', 10);
-- transactions and savepoints: what is undone was never there, the rest stays in order
BEGIN;
SELECT awa.enqueue('produce', 'undone') > 0 AS enqueued;
ROLLBACK;
BEGIN;
SELECT awa.enqueue('produce', 's1') > 0 AS enqueued;
SAVEPOINT one;
SELECT awa.enqueue('produce', 's2') > 0 AS enqueued;
SAVEPOINT two;
SELECT awa.enqueue('produce', 'undone') > 0 AS enqueued;
ROLLBACK TO two;
SELECT awa.enqueue('produce', 's3') > 0 AS enqueued;
RELEASE one;
SAVEPOINT three;
SELECT awa.enqueue('produce', 'undone') > 0 AS enqueued;
ROLLBACK TO three;
COMMIT;
SELECT kind FROM awa.claim('{produce}', 10);
DO $$
BEGIN
    PERFORM awa.enqueue('produce', 'outer');
    BEGIN
        PERFORM awa.enqueue('produce', 'inner');
        RAISE EXCEPTION 'no';
    EXCEPTION WHEN raise_exception THEN
        PERFORM awa.enqueue('produce', 'handler');
    END;
END $$;
SELECT kind FROM awa.claim('{produce}', 10);
-- from a prepared statement, a trigger, a function of another language, a subquery
PREPARE put (text, jsonb) AS SELECT awa.enqueue('produce', $1, $2) > 0 AS enqueued;
EXECUTE put ('p1', '1'); EXECUTE put ('p2', '2'); EXECUTE put ('p3', '3'); EXECUTE put ('p4', '4'); EXECUTE put ('p5', '5'); EXECUTE put ('p6', '6'); EXECUTE put ('p7', NULL);
CREATE TEMP TABLE orders (id int);
CREATE FUNCTION pg_temp.ordered() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM awa.enqueue(''produce'', ''order'', to_jsonb(new.id)); RETURN new; END';
CREATE TRIGGER ordered AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION pg_temp.ordered();
INSERT INTO orders SELECT generate_series(1, 3);
CREATE FUNCTION pg_temp.in_sql() RETURNS bigint LANGUAGE sql AS 'SELECT awa.enqueue(''produce'', ''in sql'')';
SELECT pg_temp.in_sql() > 0 AS enqueued;
SELECT count(*) FROM (SELECT awa.enqueue('produce', 'subquery', to_jsonb(n)) FROM generate_series(1, 3) n OFFSET 0) s;
SELECT string_agg(kind || args, ' ') FROM awa.claim('{produce}', 20);

-- shards: evenly without a key; with one, all on one lane, in order
SELECT count(awa.enqueue('produce shards', 'spread')) FROM generate_series(1, 32);
SELECT enqueue_shard, count(*) FROM awa.claim_ready_runtime('produce shards', 100) GROUP BY 1 ORDER BY 1;
SELECT cardinality(awa.enqueue_many('produce shards', 'spread', array_fill('1'::jsonb, ARRAY[20]), ordering_keys => array_fill(NULL::text, ARRAY[20])));
SELECT enqueue_shard, count(*) FROM awa.claim_ready_runtime('produce shards', 100) GROUP BY 1 ORDER BY 1;
SELECT count(awa.enqueue('produce shards', 'key ' || n % 10, to_jsonb(n), ordering_key => 'key ' || n % 10)) FROM generate_series(1, 30) n;
SELECT cardinality(awa.enqueue_many('produce shards', 'key 3', '{101,102}', ordering_keys => '{key 3,key 3}'));
SELECT cardinality(awa.enqueue_jobs('[{"queue": "produce shards", "kind": "key 3", "ordering_key": "key 3", "args": 201}, {"queue": "produce shards", "kind": "", "ordering_key": ""}]'::jsonb #- '{1}'));
CREATE TEMP TABLE keyed AS SELECT row_number() OVER () AS place, kind, args::int AS n, enqueue_shard FROM awa.claim_ready_runtime('produce shards', 100);
SELECT count(DISTINCT enqueue_shard) > 1 AS several_lanes, count(*) FROM keyed;
SELECT kind, count(DISTINCT enqueue_shard) AS lanes, array_agg(n ORDER BY place) AS jobs FROM keyed GROUP BY kind ORDER BY kind;
-- the empty key is a key
SELECT count(awa.enqueue('produce shards', 'empty key', ordering_key => '')) FROM generate_series(1, 8);
SELECT count(DISTINCT enqueue_shard) FROM awa.claim_ready_runtime('produce shards', 100);

-- wake-ups: one a transaction and queue, only where they are asked for, only when it commits. The numbers are masked.
SELECT awa.create_queue('produce notify', notify => true), awa.create_queue('produce notify 2', notify => true);
DO $$ BEGIN EXECUTE (SELECT string_agg(format('LISTEN %I', awa.channel(queue)), ';') FROM unnest(ARRAY['produce', 'produce notify', 'produce notify 2']) queue); END $$;
SELECT awa.channel('produce notify') AS one, awa.channel('produce notify 2') AS two \gset
\setenv AWA_ONE :one
\setenv AWA_TWO :two
\o |sed -e 's/process with PID [0-9]*/process with PID N/' -e "s/\"$AWA_ONE\"/ONE/" -e "s/\"$AWA_TWO\"/TWO/"
SELECT awa.enqueue('produce notify', 'job') > 0 AS notified_one;
SELECT awa.enqueue('produce', 'job') > 0 AS silent;
BEGIN;
SELECT count(awa.enqueue('produce notify', 'job')) AS undone FROM generate_series(1, 3);
ROLLBACK;
BEGIN;
SELECT count(awa.enqueue('produce notify', 'job')) AS once FROM generate_series(1, 3);
SELECT cardinality(awa.enqueue_many('produce notify', 'job', '{1,2}')) AS once;
COMMIT;
SELECT cardinality(awa.enqueue_jobs('[{"queue": "produce notify", "kind": "job"}, {"queue": "produce notify 2", "kind": "job"}, {"queue": "produce", "kind": "job"}]')) AS both;
SELECT awa.enqueue_many('produce notify', 'job', '{}') AS silent;
SELECT awa.enqueue_jobs('[]') AS silent;
SELECT awa.pause_queue('produce notify') AS silent;
SELECT awa.enqueue('produce notify', 'job') > 0 AS silent;
SELECT awa.resume_queue('produce notify') AS notified_of_what_came_meanwhile;
SELECT awa.alter_queue('produce notify 2', notify => false) AS silent;
SELECT awa.enqueue('produce notify 2', 'job') > 0 AS silent;
\o
UNLISTEN *;

-- in a read-only transaction, and whatever the search path
BEGIN READ ONLY;
SELECT pg_temp.said(call) FROM unnest(ARRAY['SELECT awa.enqueue(''produce'', ''k'')', 'SELECT awa.enqueue_many(''produce'', ''k'', ''{1}'')', 'SELECT awa.enqueue_jobs(''[{"queue": "produce", "kind": "k"}]'')']) call;
COMMIT;
CREATE TEMP TABLE queues (queue text);
CREATE TEMP TABLE ready_entries (job_id int);
SET search_path = pg_temp, awa, public;
SELECT enqueue('produce', 'path') > 0 AS enqueued, (SELECT count(*) FROM pg_temp.queues) AS mine;
RESET search_path;
SELECT * FROM awa.check();
