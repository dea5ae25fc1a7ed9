-- What CREATE EXTENSION leaves in the schema awa_ledger: whose it is, comments, rights, what a dump carries.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
\set SHOW_CONTEXT never
-- a schema that is there already is a stranger's
CREATE SCHEMA awa_ledger;
CREATE EXTENSION awa_ring;
DROP SCHEMA awa_ledger;
CREATE EXTENSION awa_ring;

-- everything in the schema belongs to the extension
SELECT count(*) AS schema_is_ours FROM pg_depend d
WHERE d.classid = 'pg_namespace'::regclass AND d.objid = 'awa_ledger'::regnamespace AND d.deptype = 'e';
SELECT c.oid::regclass::text AS stray FROM pg_class c
WHERE c.relnamespace = 'awa_ledger'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'S', 'm', 'f')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
UNION ALL
SELECT p.oid::regprocedure::text FROM pg_proc p
WHERE p.pronamespace = 'awa_ledger'::regnamespace
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e');
-- the routines that can be called
\pset format unaligned
SELECT p.proname || '(' || pg_get_function_arguments(p.oid) || ') -> ' || coalesce(pg_get_function_result(p.oid), '') AS routine,
       p.provolatile AS volatile, p.proparallel AS parallel, p.prosecdef AS definer
FROM pg_proc p
WHERE p.pronamespace = 'awa_ledger'::regnamespace AND coalesce(obj_description(p.oid, 'pg_proc'), '') NOT LIKE 'internal%'
  AND p.proname NOT LIKE 'posting\_id\_%' AND p.prorettype <> 'trigger'::regtype
ORDER BY p.proname COLLATE "C";
-- the tables that readers are given
SELECT c.relname AS table, string_agg(a.attname || ' ' || format_type(a.atttypid, NULL), ', ' ORDER BY a.attnum) AS columns
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relnamespace = 'awa_ledger'::regnamespace AND c.relkind = 'r'
GROUP BY c.relname ORDER BY c.relname COLLATE "C";
\pset format aligned
-- what makes a reservation a HOT update: one index, without it, and room in the pages
SELECT pg_get_indexdef(indexrelid) AS index, reloptions FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE i.indrelid = 'awa_ledger.live_postings'::regclass;
-- one name, one signature
SELECT p.proname FROM pg_proc p WHERE p.pronamespace = 'awa_ledger'::regnamespace GROUP BY p.proname HAVING count(*) > 1;
-- every function of SQL pins its search path, and temporary objects come last in it
SELECT p.oid::regprocedure AS unpinned FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
WHERE p.pronamespace = 'awa_ledger'::regnamespace AND (p.prosecdef OR l.lanname <> 'c')
  AND NOT coalesce(p.proconfig @> ARRAY['search_path=pg_catalog, pg_temp'], false);
-- what has no comment
SELECT p.oid::regprocedure AS uncommented FROM pg_proc p
WHERE p.pronamespace = 'awa_ledger'::regnamespace AND obj_description(p.oid, 'pg_proc') IS NULL ORDER BY 1;
SELECT c.oid::regclass AS uncommented FROM pg_class c
WHERE c.relnamespace = 'awa_ledger'::regnamespace AND c.relkind IN ('r', 'v', 'S') AND obj_description(c.oid, 'pg_class') IS NULL;
SELECT t.oid::regtype AS uncommented FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
WHERE t.typnamespace = 'awa_ledger'::regnamespace AND coalesce(c.relkind, 'c') = 'c' AND t.typcategory <> 'A'
  AND obj_description(t.oid, 'pg_type') IS NULL;
SELECT c.oid::regclass AS uncommented, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = 'awa_ledger'::regnamespace AND c.relkind IN ('r', 'v', 'c') AND a.attnum > 0
  AND col_description(c.oid, a.attnum) IS NULL;
-- what PUBLIC may do: nothing
SELECT o.object, a.privilege_type
FROM (SELECT n.nspname::text AS object, coalesce(n.nspacl, acldefault('n', n.nspowner)) AS acl FROM pg_namespace n WHERE n.nspname = 'awa_ledger'
      UNION ALL
      SELECT c.oid::regclass::text, coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's'::"char" ELSE 'r' END, c.relowner))
      FROM pg_class c WHERE c.relnamespace = 'awa_ledger'::regnamespace AND c.relkind IN ('r', 'v', 'S')
      UNION ALL
      SELECT p.oid::regprocedure::text, coalesce(p.proacl, acldefault('f', p.proowner)) FROM pg_proc p WHERE p.pronamespace = 'awa_ledger'::regnamespace
      UNION ALL
      SELECT t.oid::regtype::text, coalesce(t.typacl, acldefault('T', t.typowner))
      FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
      WHERE t.typnamespace = 'awa_ledger'::regnamespace AND coalesce(c.relkind, 'c') = 'c' AND t.typcategory <> 'A') o
     CROSS JOIN LATERAL aclexplode(o.acl) a
WHERE a.grantee = 0;
-- a dump carries every table and sequence, whole, and nothing twice
SELECT c.oid::regclass AS not_dumped FROM pg_class c
WHERE c.relnamespace = 'awa_ledger'::regnamespace AND c.relkind IN ('r', 'S')
  AND NOT EXISTS (SELECT FROM pg_extension e CROSS JOIN LATERAL unnest(e.extconfig, e.extcondition) u(rel, condition)
                  WHERE e.extname = 'awa_ring' AND u.rel = c.oid AND u.condition = '');

-- what roles are granted: by part, what they can call and read
CREATE ROLE regress_ledger_reader;
CREATE ROLE regress_ledger_admin;
SELECT awa_ledger.grant_reader('regress_ledger_reader'), awa_ledger.grant_admin('regress_ledger_admin');
SELECT string_agg(p.proname, ' ' ORDER BY p.proname COLLATE "C") FILTER (WHERE has_function_privilege('regress_ledger_reader', p.oid, 'EXECUTE')) AS reader,
       string_agg(p.proname, ' ' ORDER BY p.proname COLLATE "C") FILTER (WHERE NOT has_function_privilege('regress_ledger_admin', p.oid, 'EXECUTE')) AS not_admin
FROM pg_proc p WHERE p.pronamespace = 'awa_ledger'::regnamespace AND p.proname NOT LIKE 'posting\_id\_%' AND p.prorettype <> 'trigger'::regtype;
SELECT r AS role, string_agg(DISTINCT a.privilege_type, ' ') AS on_tables, count(DISTINCT c.oid) AS tables
FROM unnest('{regress_ledger_reader,regress_ledger_admin}'::regrole[]) r
     CROSS JOIN pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
WHERE c.relnamespace = 'awa_ledger'::regnamespace AND a.grantee = r GROUP BY r ORDER BY r::text;
\set VERBOSITY sqlstate
SET ROLE regress_ledger_reader;
SELECT count(*) FROM awa_ledger.postings;
SELECT count(*) FROM awa_ledger.verify();
SELECT awa_ledger.balance(1, 0, 1), awa_ledger.has_live_postings(1, 0);
SELECT count(*) FROM awa_ledger.posting_states('{1:0}');
SELECT awa_ledger.create_account(1);
SELECT awa_ledger.insert_postings('{}', '{}', '{}', '{}', '{}', '{}');
SELECT awa_ledger.reserve('{}', 1);
SELECT awa_ledger.release('{}', 1);
SELECT awa_ledger.consume('{}', 1, 1);
SELECT awa_ledger.deactivate('{}', 1);
SELECT * FROM awa_ledger.rebuild_live();
SELECT awa_ledger.protect();
SELECT awa_ledger.new_ids();
SELECT nextval('awa_ledger.id_seq');
INSERT INTO awa_ledger.assets VALUES (1, 'EUR', 2);
RESET ROLE;
-- an admin does all of it without a right on any table
SET ROLE regress_ledger_admin;
SELECT awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_account(1), awa_ledger.create_account(2), awa_ledger.new_ids(2);
SELECT awa_ledger.insert_postings('{1,1}', '{0,1}', '{1,2}', '{0,0}', '{1,1}', '{-5,5}');
SELECT awa_ledger.reserve('{1:0,1:1}', 2), awa_ledger.release('{1:0,1:1}', 2);
SELECT * FROM awa_ledger.rebuild_live();
INSERT INTO awa_ledger.assets VALUES (2, 'USD', 2);
UPDATE awa_ledger.live_postings SET reservation = 2;
DELETE FROM awa_ledger.postings;
TRUNCATE awa_ledger.postings;
SELECT awa_ledger.after_restore();
SELECT awa_ledger.grant_part('admin', 'regress_ledger_reader');
SELECT awa_ledger.revoke_all('regress_ledger_reader');
RESET ROLE;
\set VERBOSITY default
-- nothing is left of what was revoked; the other schema's is another matter
SELECT awa.grant_reader('regress_ledger_reader');
SELECT has_schema_privilege('regress_ledger_reader', 'awa_ledger', 'USAGE') AS ledger, has_schema_privilege('regress_ledger_reader', 'awa', 'USAGE') AS queue;
SELECT awa.revoke_all('regress_ledger_reader');
DROP ROLE regress_ledger_reader;
SELECT awa_ledger.revoke_all('regress_ledger_admin');
DROP ROLE regress_ledger_admin;
SELECT awa_ledger.revoke_all('regress_ledger_admin');
SELECT awa_ledger.grant_reader(NULL);
SELECT * FROM awa_ledger.verify();

-- dropped and created again, in a session that used it
DROP EXTENSION awa_ring;
SELECT count(*) AS left_over FROM pg_namespace WHERE nspname = 'awa_ledger';
CREATE EXTENSION awa_ring;
SELECT awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_account(1), awa_ledger.create_account(2), awa_ledger.new_ids(2);
SELECT awa_ledger.insert_postings('{1,1}', '{0,1}', '{1,2}', '{0,0}', '{1,1}', '{-5,5}');
SELECT awa_ledger.reserve('{1:0,1:1}', 2), awa_ledger.release('{1:0,1:1}', 2);
SELECT id, state FROM awa_ledger.posting_states('{1:0,1:1}');
-- in the transaction that used it: there is nothing left to be unbalanced
BEGIN;
SELECT awa_ledger.insert_postings('{2}', '{0}', '{1}', '{0}', '{1}', '{5}');
DROP EXTENSION awa_ring;
COMMIT;
CREATE EXTENSION awa_ring;
BEGIN;
SELECT awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_account(1), awa_ledger.new_ids();
SELECT awa_ledger.insert_postings('{1}', '{0}', '{1}', '{0}', '{1}', '{5}');
DROP EXTENSION awa_ring;
CREATE EXTENSION awa_ring;
COMMIT;
SELECT * FROM awa_ledger.verify();
