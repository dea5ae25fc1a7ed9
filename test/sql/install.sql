-- What CREATE EXTENSION leaves behind, and that it can be dropped and created again at any time, in a session that used
-- it as well. In a database of its own.
\set home :DBNAME
\set SHOW_CONTEXT never
CREATE DATABASE regress_awa_install;
\c regress_awa_install
SET client_min_messages = warning;
CREATE EXTENSION awa_ring;

-- one schema, its own, and not another one
SELECT e.extversion = a.default_version AS newest, e.extrelocatable, n.nspname
FROM pg_extension e JOIN pg_available_extensions a ON a.name = e.extname JOIN pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'awa_ring';
ALTER EXTENSION awa_ring SET SCHEMA public;
CREATE EXTENSION awa_ring;
-- everything in the schema belongs to the extension, or to a member of it
SELECT c.oid::regclass::text AS stray FROM pg_class c
WHERE c.relnamespace = 'awa'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'S', 'm', 'f')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
UNION ALL
SELECT p.oid::regprocedure::text FROM pg_proc p
WHERE p.pronamespace = 'awa'::regnamespace
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e');

-- the routines that can be called, with all that a caller must know; the internal ones say so in their comment
\pset format unaligned
SELECT p.proname || '(' || pg_get_function_arguments(p.oid) || ') -> ' || coalesce(pg_get_function_result(p.oid), '') AS routine,
       p.provolatile AS volatile, p.proparallel AS parallel, p.prosecdef AS definer
FROM pg_proc p
WHERE p.pronamespace = 'awa'::regnamespace AND coalesce(obj_description(p.oid, 'pg_proc'), '') NOT LIKE 'internal%'
  AND p.proname NOT LIKE 'receipt\_%' AND p.prorettype <> 'trigger'::regtype
ORDER BY p.proname COLLATE "C";
-- the views that readers are given
SELECT c.relname AS view, string_agg(a.attname, ', ' ORDER BY a.attnum) AS columns
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relnamespace = 'awa'::regnamespace AND c.relkind = 'v' AND obj_description(c.oid, 'pg_class') NOT LIKE 'internal%'
GROUP BY c.relname ORDER BY c.relname COLLATE "C";
-- the settings, once the library is loaded
SELECT awa.create_queue('settings');
SELECT name, setting, unit, vartype, context, min_val, max_val FROM pg_settings WHERE name LIKE 'awa_ring.%' ORDER BY name COLLATE "C";
\pset format aligned
SET awa_ring.nothing = 1;
\set VERBOSITY sqlstate
SET awa_ring.claim_wait = -1;
SET awa_ring.key_wait = '1 d';
SET awa_ring.max_payload_bytes = 1;
\set VERBOSITY default

-- one name, one signature
SELECT p.proname FROM pg_proc p WHERE p.pronamespace = 'awa'::regnamespace GROUP BY p.proname HAVING count(*) > 1;
-- who runs with the owner's rights has a pinned search path, and temporary objects come last in it
SELECT p.oid::regprocedure AS unpinned FROM pg_proc p
WHERE p.pronamespace = 'awa'::regnamespace AND p.prosecdef
  AND NOT coalesce(p.proconfig @> ARRAY['search_path=pg_catalog, pg_temp'], false);
-- what has no comment: routines, relations, types, columns (those of leaves are their parents')
SELECT p.oid::regprocedure AS uncommented FROM pg_proc p
WHERE p.pronamespace = 'awa'::regnamespace AND obj_description(p.oid, 'pg_proc') IS NULL ORDER BY 1;
SELECT c.oid::regclass AS uncommented FROM pg_class c
WHERE c.relnamespace = 'awa'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'S') AND obj_description(c.oid, 'pg_class') IS NULL;
SELECT t.oid::regtype AS uncommented FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
WHERE t.typnamespace = 'awa'::regnamespace AND coalesce(c.relkind, 'c') = 'c' AND t.typcategory <> 'A'
  AND obj_description(t.oid, 'pg_type') IS NULL;
SELECT c.oid::regclass AS uncommented, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = 'awa'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition AND a.attnum > 0
  AND NOT a.attisdropped AND col_description(c.oid, a.attnum) IS NULL;
SELECT obj_description(e.oid, 'pg_extension') IS NOT NULL AS commented FROM pg_extension e WHERE e.extname = 'awa_ring';
-- what PUBLIC may do: nothing
SELECT o.object, a.privilege_type
FROM (SELECT n.nspname::text AS object, coalesce(n.nspacl, acldefault('n', n.nspowner)) AS acl FROM pg_namespace n WHERE n.nspname = 'awa'
      UNION ALL
      SELECT c.oid::regclass::text, coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's'::"char" ELSE 'r' END, c.relowner))
      FROM pg_class c WHERE c.relnamespace = 'awa'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'S')
      UNION ALL
      SELECT a.attrelid::regclass || '.' || a.attname, a.attacl
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = 'awa'::regnamespace
      UNION ALL
      SELECT p.oid::regprocedure::text, coalesce(p.proacl, acldefault('f', p.proowner)) FROM pg_proc p WHERE p.pronamespace = 'awa'::regnamespace
      UNION ALL
      SELECT t.oid::regtype::text, coalesce(t.typacl, acldefault('T', t.typowner))
      FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
      WHERE t.typnamespace = 'awa'::regnamespace AND coalesce(c.relkind, 'c') = 'c' AND t.typcategory <> 'A') o
     CROSS JOIN LATERAL aclexplode(o.acl) a
WHERE a.grantee = 0;
-- a dump carries every leaf, every plain table and every sequence, and nothing twice; not what the script itself inserts,
-- nor the mark that means nothing in another cluster
SELECT c.oid::regclass AS not_dumped FROM pg_class c
WHERE c.relnamespace = 'awa'::regnamespace AND c.relkind IN ('r', 'S') AND c.relname <> 'deferred_low_water'
  AND NOT EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'awa_ring' AND c.oid = ANY (e.extconfig));
SELECT count(*) - count(DISTINCT u.rel) AS twice, count(*) FILTER (WHERE c.relkind NOT IN ('r', 'S')) AS not_leaves
FROM pg_extension e CROSS JOIN LATERAL unnest(e.extconfig) u(rel) JOIN pg_class c ON c.oid = u.rel WHERE e.extname = 'awa_ring';
SELECT regexp_replace(c.relname, '_\d+$', '_n') AS left_out, count(*)
FROM pg_extension e CROSS JOIN LATERAL unnest(e.extconfig, e.extcondition) u(rel, condition) JOIN pg_class c ON c.oid = u.rel
WHERE e.extname = 'awa_ring' AND u.condition <> '' GROUP BY 1 ORDER BY 1;
-- nobody vacuums the leaves
SELECT c.oid::regclass AS vacuumed FROM pg_class c
WHERE c.relnamespace = 'awa'::regnamespace AND c.relispartition AND c.relkind = 'r'
  AND NOT coalesce(c.reloptions @> '{autovacuum_enabled=false}', false);
-- arrays of leaves are compressed with lz4, if the server has it
SELECT count(*) > 0 AS arrays, bool_and((a.attcompression = 'l') = lz4) AS compressed
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid,
     (SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression') server(lz4)
WHERE c.relnamespace = 'awa'::regnamespace AND c.relispartition AND c.relkind = 'r' AND a.attnum > 0 AND t.typelem <> 0 AND t.typlen = -1;

-- the whole life of jobs: verbs and what they say. All statements are dynamic, nothing but the library's own caches and
-- plans of its functions can remember the extension that was dropped.
CREATE PROCEDURE pg_temp.life(INOUT said text) LANGUAGE plpgsql AS $$
DECLARE
    verb   text;
    answer text;
BEGIN
    FOREACH verb IN ARRAY ARRAY[
        'create_queue(''life'', enqueue_shards => 2, notify => true)', 'create_queue(''life'')', 'alter_queue(''life'', enqueue_shards => 1)',
        'pause_queue(''life'')', 'resume_queue(''life'')', 'channel(''life'')', 'enqueue(''life'', ''one'')',
        'enqueue_many(''life'', ''many'', ARRAY[''1'', ''2'', ''3'']::jsonb[])',
        'enqueue_jobs(''[{"queue": "life", "kind": "jobs"}, {"queue": "life", "kind": "jobs", "priority": 1}]'')',
        'complete(ARRAY(SELECT receipt FROM awa.claim(''{life}'', 1)))', '(SELECT count(*) FROM awa.claim_ready_runtime(''life'', 2))',
        'complete_one((SELECT receipt FROM awa.open_claims LIMIT 1), ''"done"'')',
        '(SELECT count(*) FROM awa.complete_each(ARRAY(SELECT receipt FROM awa.open_claims)) WHERE completed)',
        '(SELECT count(*) FROM awa.complete_and_claim(NULL, ''{life}''))', '(SELECT state FROM awa.open_claims, awa.receipt_state(receipt))',
        '(SELECT state FROM awa.receipt_states(ARRAY(SELECT receipt FROM awa.open_claims)))', 'purge_queue(''life'')',
        '(SELECT array_agg(state ORDER BY job_id) FROM awa.jobs)', '(SELECT count(*) FROM awa.terminal_jobs)',
        'queue_counts(''life'')', '(SELECT state FROM awa.load_job((SELECT min(job_id) FROM awa.jobs)))',
        '(SELECT claimed_total + completed_total FROM awa.queue_stats WHERE queue = ''life'')', '(SELECT count(*) FROM awa.lane_status)',
        '(SELECT count(*) FROM awa.ring_status)', '(SELECT count(*) FROM awa.duty_status)', '(SELECT count(*) FROM awa.dead_letters)',
        '(SELECT count(*) FROM awa.list_queues())', '(SELECT count(*) FROM awa.check())',
        'complete(ARRAY(SELECT receipt FROM awa.open_claims), true)', 'drop_queue(''life'')']
    LOOP
        EXECUTE 'SELECT ' || CASE WHEN verb LIKE '(%' THEN verb ELSE 'awa.' || verb END INTO answer;
        COMMIT;
        said := concat_ws(' ', said, answer);
    END LOOP;
END $$;
CALL pg_temp.life('');
DROP EXTENSION awa_ring;
SELECT awa.enqueue('life', 'one');
SELECT count(*) FROM pg_class WHERE relnamespace = 'awa'::regnamespace;
-- the schema is there now
CREATE EXTENSION awa_ring;
CALL pg_temp.life('');
DROP EXTENSION awa_ring;
-- not in another schema, and then where there is none
CREATE EXTENSION awa_ring SCHEMA public;
DROP SCHEMA awa;
CREATE EXTENSION awa_ring;
CALL pg_temp.life('');
-- within transactions, also ones that do not come true
BEGIN;
DROP EXTENSION awa_ring;
CREATE EXTENSION awa_ring;
SELECT awa.create_queue('other');
SELECT awa.enqueue('other', 'one');
SELECT count(*) FROM awa.claim('{other}');
ROLLBACK;
CALL pg_temp.life('');
BEGIN;
SELECT awa.create_queue('other');
SAVEPOINT before;
DROP EXTENSION awa_ring;
CREATE EXTENSION awa_ring;
SELECT awa.create_queue('third');
SELECT awa.enqueue('third', 'one');
ROLLBACK TO before;
SELECT awa.enqueue('other', 'one') > 32;
COMMIT;
SELECT queue FROM awa.list_queues();
SELECT kind, queue FROM awa.claim('{other}', 5);
-- somebody's own table is in the way of neither
CREATE TABLE mine (receipt awa.receipt PRIMARY KEY);
DROP EXTENSION awa_ring;
DROP EXTENSION awa_ring CASCADE;
\d mine
\c :home
DROP DATABASE regress_awa_install WITH (FORCE);
