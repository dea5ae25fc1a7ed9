-- Type awa_ledger.posting_id: text and binary form, casts, parts, order, equality, hash, indexes.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
\getenv builddir PG_ABS_BUILDDIR
\set file :builddir '/results/posting_ids.bin'

-- text: what is accepted comes out in one form
SELECT trim(E' \t\n\r\f\x0B' FROM input) AS input, input::awa_ledger.posting_id FROM unnest(ARRAY['0:0', '1:2', '-1:2', '  7:1  ', E'\t\n7:1\r\f\x0B', '007:0001', '-0:-0',
    '9223372036854775807:2147483647', '-9223372036854775808:0']) input;
-- malformed ones
CREATE FUNCTION pg_temp.said(input text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text;
    hint text;
BEGIN
    RETURN input::awa_ledger.posting_id;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' | ', SQLSTATE, message, nullif(hint, ''));
END $$;
\pset format unaligned
SELECT pg_temp.said(input) FROM unnest(ARRAY['', ' ', ':', '1', '1:', ':1', '1:1:', '1:1:1', '1:-1', '+1:1', '1:+1', '1: 1', '1 :1', '1:1x', 'x:1', '1e1:1', '0x1:1', '1:1.0', '1:2147483648',
    '9223372036854775808:0', '-9223372036854775809:0', '１:0', 'NULL', '{}', '%s%n%d:', E'a\nb', repeat('9', 500)]) input;
\pset format aligned
\set VERBOSITY sqlstate
SELECT '{1:x}'::awa_ledger.posting_id[];
SELECT 1::awa_ledger.posting_id;
SELECT awa_ledger.id_of(1, -1);
\set VERBOSITY default
-- casts: from text of any kind, also in arrays; to text explicitly; null stays null
SELECT '1:2'::text::awa_ledger.posting_id, '1:2'::varchar::awa_ledger.posting_id, '1:2'::varchar(20)::awa_ledger.posting_id, awa_ledger.posting_id('1:2'), CAST('1:2' AS awa_ledger.posting_id)::text AS text;
SELECT NULL::awa_ledger.posting_id IS NULL AS none, NULL::text::awa_ledger.posting_id IS NULL AS none, ARRAY['1:2', NULL]::text[]::awa_ledger.posting_id[] AS some;
SELECT count(*) FROM awa_ledger.posting_states(ARRAY['1:2'::text]);
SELECT count(*) FROM awa_ledger.posting_states(ARRAY['1:2'::varchar]);
SELECT to_jsonb('1:2'::awa_ledger.posting_id);
-- parts
SELECT awa_ledger.id_of(9223372036854775807, 2147483647) AS id, awa_ledger.transfer_of('17:3') AS transfer, awa_ledger.idx_of('17:3') AS idx,
       awa_ledger.id_of(NULL, 1) IS NULL AND awa_ledger.id_of(1, NULL) IS NULL AND awa_ledger.transfer_of(NULL) IS NULL AS none;

-- order: by transfer, then place, as numbers
CREATE TEMP TABLE ids (n int, id awa_ledger.posting_id);
INSERT INTO ids VALUES (5, '10:0'), (4, '2:0'), (3, '1:10'), (2, '1:9'), (1, '0:2147483647'), (0, '-1:9'), (6, NULL);
SELECT array_agg(n ORDER BY id) AS rising, array_agg(n ORDER BY id DESC NULLS LAST) AS falling FROM ids;
SELECT count(DISTINCT id) FROM (SELECT id FROM ids UNION ALL SELECT id FROM ids) r;
SELECT count(*) FROM (SELECT id FROM ids UNION SELECT id FROM ids) r;
SELECT '{1:1,NULL}'::awa_ledger.posting_id[] = '{1:1,NULL}' AS same, '{1:1}'::awa_ledger.posting_id[] < '{1:2}' AS less;
-- operators are found where the schema is in the path, or named
SELECT id = id FROM ids LIMIT 1;
SELECT count(*) FROM ids WHERE id OPERATOR(awa_ledger.=) '1:9';
SET search_path = "$user", public, awa_ledger;
SELECT bool_and((a.id < b.id) = (a.n < b.n) AND (a.id <= b.id) = (a.n <= b.n) AND (a.id > b.id) = (a.n > b.n) AND (a.id >= b.id) = (a.n >= b.n)
                AND (a.id = b.id) = (a.n = b.n) AND (a.id <> b.id) = (a.n <> b.n) AND sign(posting_id_cmp(a.id, b.id)) = sign(a.n - b.n)
                AND (posting_id_hash(a.id) = posting_id_hash(b.id)) = (a.n = b.n) AND (posting_id_hash_extended(a.id, 7) = posting_id_hash_extended(b.id, 7)) = (a.n = b.n)) AS lawful, count(*)
FROM ids a, ids b WHERE a.n < 6 AND b.n < 6;
SELECT posting_id_hash('1:2') = posting_id_hash_extended('1:2', 0)::bit(32)::int AS low_bits, posting_id_hash_extended('1:2', 1) <> posting_id_hash_extended('1:2', 2) AS seeded;
SELECT n FROM ids WHERE id = ANY ('{1:9,2:0,NULL}') ORDER BY n;
SELECT n FROM ids WHERE id BETWEEN '1:0' AND '2:0' ORDER BY n;
SELECT n FROM ids WHERE id IS NOT DISTINCT FROM NULL;

-- the planner's ways: hash and merge join, hash aggregate, index, unique key; all find the same
CREATE TEMP TABLE numbers AS SELECT n, id_of(n / 7, n % 7) AS id FROM generate_series(1, 2000) n;
INSERT INTO numbers SELECT n + 2000, id FROM numbers WHERE n <= 500;
ANALYZE numbers;
CREATE FUNCTION pg_temp.plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    nodes text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        nodes := nullif(concat_ws(', ', nodes, substring(line FROM '(Hash Join|Merge Join|Nested Loop|HashAggregate|GroupAggregate|Index Only Scan|Index Scan|Bitmap Index Scan)')), '');
    END LOOP;
    RETURN nodes;
END $$;
\set joined 'SELECT count(*), sum(a.n) FROM numbers a JOIN numbers b USING (id)'
\set grouped 'SELECT count(*), max(c) FROM (SELECT id, count(*) AS c FROM numbers GROUP BY id) g'
SET enable_mergejoin = off; SET enable_nestloop = off; SET enable_sort = off;
SELECT pg_temp.plan(:'joined'), pg_temp.plan(:'grouped');
:joined;
:grouped;
RESET enable_mergejoin; RESET enable_sort; SET enable_hashjoin = off; SET enable_hashagg = off;
SELECT pg_temp.plan(:'joined'), pg_temp.plan(:'grouped');
:joined;
:grouped;
CREATE INDEX ON numbers (id);
SET enable_nestloop = on; SET enable_mergejoin = off; SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT pg_temp.plan('SELECT n FROM numbers WHERE id = ''1:0''');
SELECT n FROM numbers WHERE id = '1:0' ORDER BY n;
SELECT count(*) FROM numbers WHERE id > '1:0' AND id <= '3:0';
DROP INDEX numbers_id_idx;
CREATE INDEX ON numbers USING hash (id);
SELECT pg_temp.plan('SELECT n FROM numbers WHERE id = ''1:0''');
SELECT n FROM numbers WHERE id = '1:0' ORDER BY n;
RESET ALL;
SET client_min_messages = warning;
CREATE TEMP TABLE mine (id awa_ledger.posting_id PRIMARY KEY, n int);
INSERT INTO mine VALUES ('1:1', 1), ('1:2', 2);
INSERT INTO mine VALUES ('01:1', 3);

-- binary: int8 and int4 in network order, 12 bytes; there and back
SELECT awa_ledger.posting_id_send('1:2'), awa_ledger.posting_id_send('-1:2147483647');
COPY ids TO :'file' (FORMAT binary);
CREATE TEMP TABLE back (LIKE ids);
COPY back FROM :'file' (FORMAT binary);
SELECT count(*) FROM ids a JOIN back b ON a.n = b.n AND a.id::text IS NOT DISTINCT FROM b.id::text;
COPY (SELECT n, array_agg(id) FROM ids GROUP BY n) TO :'file' (FORMAT binary);
CREATE TEMP TABLE arrays (n int, ids awa_ledger.posting_id[]);
COPY arrays FROM :'file' (FORMAT binary);
SELECT count(*) FROM ids a JOIN arrays b ON a.n = b.n AND a.id::text IS NOT DISTINCT FROM b.ids[1]::text;
-- and what is not one
\set VERBOSITY sqlstate
COPY (SELECT 1, substr(awa_ledger.posting_id_send('1:2'), 1, 11)) TO :'file' (FORMAT binary);
COPY back FROM :'file' (FORMAT binary);
COPY (SELECT 1, awa_ledger.posting_id_send('1:2') || '\x00'::bytea) TO :'file' (FORMAT binary);
COPY back FROM :'file' (FORMAT binary);
COPY (SELECT 1, decode(repeat('ff', 12), 'hex')) TO :'file' (FORMAT binary);
COPY back FROM :'file' (FORMAT binary);
\set VERBOSITY default
SELECT typlen, typbyval, typalign, typstorage FROM pg_type WHERE oid = 'awa_ledger.posting_id'::regtype;
