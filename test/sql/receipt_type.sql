-- Type awa.receipt: text and binary form, casts, order, equality, hash, indexes.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
\getenv builddir PG_ABS_BUILDDIR
\set file :builddir '/results/receipts.bin'

-- text: what is accepted comes out in one form
SELECT trim(E' \t\n\r\f\x0B' FROM input) AS input, input::awa.receipt FROM unnest(ARRAY['0:0:0:0:0:0', '1:2:3:4:5:6', '-1:-2:-3:-4:-5:-6', '  7:1:1:1:1:1  ', E'\t\n7:1:1:1:1:1\r\f\x0B', '007:0001:1:1:1:-007', '-0:-0:0:0:0:0',
    '32767:9223372036854775807:9223372036854775807:9223372036854775807:9223372036854775807:9223372036854775807',
    '-32768:-9223372036854775808:-9223372036854775808:-9223372036854775808:-9223372036854775808:-9223372036854775808']) input;
-- malformed ones
CREATE FUNCTION pg_temp.said(input text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text;
    hint text;
BEGIN
    RETURN input::awa.receipt;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' | ', SQLSTATE, message, nullif(hint, ''));
END $$;
\pset format unaligned
SELECT pg_temp.said(input) FROM unnest(ARRAY['', ' ', ':', ':::::', '0', '0:0:0:0:0', '0:0:0:0:0:', '0:0:0:0:0:0:', '0:0:0:0:0:0:0', ':0:0:0:0:0', '0::0:0:0:0', '0:0:0:0:0:x', 'x:0:0:0:0:0',
    '0:0:0:0:0:0x', '0:0:0:0:0:0 x', '+1:0:0:0:0:0', '0:+1:0:0:0:0', '--1:0:0:0:0:0', '-:0:0:0:0:0', '0: 0:0:0:0:0', '0 :0:0:0:0:0', '0:0:0:0:0:0.0', '1e1:0:0:0:0:0', '0x1:0:0:0:0:0', '0:0:0;0:0:0', '0,0,0,0,0,0',
    '32768:0:0:0:0:0', '-32769:0:0:0:0:0', '0:9223372036854775808:0:0:0:0', '0:0:-9223372036854775809:0:0:0', '0:0:0:99999999999999999999999999:0:0', '０:0:0:0:0:0', '0:0:0:0:0:٣', 'NULL', '{}', '%s%n%d:', E'a\nb',
    '0:0:0:0:0:0' || repeat(' ', 300) || 'x', repeat('9', 500)]) input;
\pset format aligned
-- a long one is shown in part; the message is text whatever the input was
SELECT octet_length(message) < 400 AS short, convert_from(convert_to(message, 'UTF8'), 'UTF8') = message AS whole FROM unnest(ARRAY[repeat('x', 100000), repeat('日', 1000), 'é' || repeat('日', 1000), '日' || repeat('x', 1000)]) input, pg_temp.said(input) message;
\set VERBOSITY sqlstate
SELECT 'x'::awa.receipt;
SELECT awa.receipt('x');
SELECT '{x}'::awa.receipt[];
SELECT awa.complete('{x}');
SELECT awa.complete_one('x');
SELECT awa.complete(ARRAY['0:0:0:0:0:0', 'x']::text[]);
SELECT '0:0:0:0:0:0'::varchar(3)::awa.receipt;
SELECT 1::awa.receipt;
\set VERBOSITY default
-- casts: from text of any kind, also in arrays; to text explicitly; null stays null
SELECT '1:2:3:4:5:6'::text::awa.receipt, '1:2:3:4:5:6'::varchar::awa.receipt, '1:2:3:4:5:6'::varchar(20)::awa.receipt, awa.receipt('1:2:3:4:5:6'), CAST('1:2:3:4:5:6' AS awa.receipt)::text AS text;
SELECT NULL::awa.receipt IS NULL AS none, NULL::text::awa.receipt IS NULL AS none, awa.receipt(NULL) IS NULL AS none, ARRAY['1:2:3:4:5:6', NULL]::text[]::awa.receipt[] AS some;
SELECT awa.complete(ARRAY['1:2:3:4:5:6'::text]), awa.complete('{1:2:3:4:5:6}'), awa.complete(string_to_array('1:2:3:4:5:6', ',')), awa.complete_one('1:2:3:4:5:6'::text);
SELECT to_jsonb('1:2:3:4:5:6'::awa.receipt), json_build_array('1:2:3:4:5:6'::awa.receipt), format('%s', '1:2:3:4:5:6'::awa.receipt);

-- order: by slot, batch, receipt, job, lease, fence, as numbers
CREATE TEMP TABLE receipts (n int, receipt awa.receipt);
INSERT INTO receipts VALUES (8, '2:0:0:0:0:0'), (7, '1:2:0:0:0:0'), (6, '1:1:2:0:0:0'), (5, '1:1:1:2:0:0'), (4, '1:1:1:1:2:0'), (3, '1:1:1:1:1:10'), (2, '1:1:1:1:1:9'), (1, '1:1:1:1:1:-9'),
    (0, '-1:9:9:9:9:9'), (9, '10:0:0:0:0:0'), (10, NULL);
SELECT array_agg(n ORDER BY receipt) AS rising, array_agg(n ORDER BY receipt DESC NULLS LAST) AS falling FROM receipts;
SELECT receipt, count(*) FROM (SELECT receipt FROM receipts UNION ALL SELECT receipt FROM receipts) r GROUP BY receipt ORDER BY receipt LIMIT 3;
SELECT count(DISTINCT receipt) FROM (SELECT receipt FROM receipts UNION ALL SELECT receipt FROM receipts) r;
SELECT count(*) FROM (SELECT receipt FROM receipts UNION SELECT receipt FROM receipts) r;
SELECT '{1:1:1:1:1:1,NULL}'::awa.receipt[] = '{1:1:1:1:1:1,NULL}' AS same, '{1:1:1:1:1:1}'::awa.receipt[] < '{1:1:1:1:1:2}' AS less;
-- operators are found where the schema is in the path, or named
SELECT receipt = receipt FROM receipts LIMIT 1;
SELECT count(*) FROM receipts WHERE receipt OPERATOR(awa.=) '1:1:1:1:1:9';
SET search_path = "$user", public, awa;
SELECT a.n, b.n, a.receipt = b.receipt AS eq, a.receipt <> b.receipt AS ne, a.receipt < b.receipt AS lt, a.receipt <= b.receipt AS le, a.receipt > b.receipt AS gt, a.receipt >= b.receipt AS ge, receipt_cmp(a.receipt, b.receipt) AS cmp
FROM receipts a, receipts b WHERE (a.n, b.n) IN ((1, 1), (1, 2), (2, 1), (0, 9), (10, 1)) ORDER BY 1, 2;
SELECT bool_and((a.receipt < b.receipt) = (a.n < b.n) AND (a.receipt <= b.receipt) = (a.n <= b.n) AND (a.receipt > b.receipt) = (a.n > b.n) AND (a.receipt >= b.receipt) = (a.n >= b.n)
                AND (a.receipt = b.receipt) = (a.n = b.n) AND (a.receipt <> b.receipt) = (a.n <> b.n) AND sign(receipt_cmp(a.receipt, b.receipt)) = sign(a.n - b.n)
                AND (receipt_hash(a.receipt) = receipt_hash(b.receipt)) = (a.n = b.n) AND (receipt_hash_extended(a.receipt, 7) = receipt_hash_extended(b.receipt, 7)) = (a.n = b.n)) AS lawful, count(*)
FROM receipts a, receipts b WHERE a.n < 10 AND b.n < 10;
SELECT receipt_hash('1:2:3:4:5:6') = receipt_hash_extended('1:2:3:4:5:6', 0)::bit(32)::int AS low_bits, receipt_hash_extended('1:2:3:4:5:6', 1) <> receipt_hash_extended('1:2:3:4:5:6', 2) AS seeded;
SELECT n FROM receipts WHERE receipt IN ('1:1:1:1:1:9', '2:0:0:0:0:0') ORDER BY n;
SELECT n FROM receipts WHERE receipt = ANY ('{1:1:1:1:1:9,2:0:0:0:0:0,NULL}') ORDER BY n;
SELECT n FROM receipts WHERE receipt BETWEEN '1:1:1:1:1:0' AND '1:1:2:0:0:0' ORDER BY n;
SELECT n FROM receipts WHERE receipt IS NOT DISTINCT FROM NULL;
SELECT ROW('1:1:1:1:1:1'::awa.receipt) = ROW('01:1:1:1:1:1'::awa.receipt) AS same_row, '1:1:1:1:1:1'::awa.receipt = '1:1:1:1:1:1'::text AS same_text;

-- the planner's ways: hash and merge join, hash aggregate, index, unique key; all find the same
CREATE TEMP TABLE numbers AS SELECT n, concat_ws(':', n % 3, n / 100, n, n * 7, 1, n::bigint * 1000000007)::awa.receipt AS receipt FROM generate_series(1, 2000) n;
INSERT INTO numbers SELECT n + 2000, receipt FROM numbers WHERE n <= 500;
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
\set joined 'SELECT count(*), sum(a.n) FROM numbers a JOIN numbers b USING (receipt)'
\set grouped 'SELECT count(*), max(c) FROM (SELECT receipt, count(*) AS c FROM numbers GROUP BY receipt) g'
SET enable_mergejoin = off; SET enable_nestloop = off; SET enable_sort = off;
SELECT pg_temp.plan(:'joined'), pg_temp.plan(:'grouped');
:joined;
:grouped;
RESET enable_mergejoin; RESET enable_sort; SET enable_hashjoin = off; SET enable_hashagg = off;
SELECT pg_temp.plan(:'joined'), pg_temp.plan(:'grouped');
:joined;
:grouped;
CREATE INDEX ON numbers (receipt);
SET enable_nestloop = on; SET enable_mergejoin = off; SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT pg_temp.plan(:'joined');
:joined;
SELECT pg_temp.plan('SELECT n FROM numbers WHERE receipt = ''1:0:7:49:1:7000000049''');
SELECT n FROM numbers WHERE receipt = '1:0:7:49:1:7000000049' ORDER BY n;
SELECT count(*) FROM numbers WHERE receipt > '1:0:7:49:1:7000000049' AND receipt <= '2:0:8:56:1:8000000056';
DROP INDEX numbers_receipt_idx;
CREATE INDEX ON numbers USING hash (receipt);
SELECT pg_temp.plan('SELECT n FROM numbers WHERE receipt = ''1:0:7:49:1:7000000049''');
SELECT n FROM numbers WHERE receipt = '1:0:7:49:1:7000000049' ORDER BY n;
RESET ALL;
SET client_min_messages = warning;
\set VERBOSITY sqlstate
CREATE UNIQUE INDEX ON numbers (receipt);
\set VERBOSITY default
CREATE TEMP TABLE mine (receipt awa.receipt PRIMARY KEY, n int);
INSERT INTO mine VALUES ('1:1:1:1:1:1', 1), ('1:1:1:1:1:2', 2);
INSERT INTO mine VALUES ('01:1:1:1:1:1', 3);
INSERT INTO mine VALUES ('01:1:1:1:1:1', 3) ON CONFLICT (receipt) DO UPDATE SET n = excluded.n;
SELECT * FROM mine ORDER BY receipt;
CREATE TEMP TABLE spread (receipt awa.receipt) PARTITION BY HASH (receipt);
CREATE TEMP TABLE spread_0 PARTITION OF spread FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TEMP TABLE spread_1 PARTITION OF spread FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO spread SELECT receipt FROM numbers WHERE n <= 200;
SELECT count(*), min(c) > 50 AS even FROM (SELECT tableoid, count(*) AS c FROM spread GROUP BY 1) s;

-- binary: six numbers in network order, 42 bytes; there and back
SELECT awa.receipt_send('1:2:3:4:5:6'), awa.receipt_send('-1:-2:-3:-4:-5:-6'), octet_length(awa.receipt_send('0:0:0:0:0:0'));
COPY receipts TO :'file' (FORMAT binary);
CREATE TEMP TABLE back (LIKE receipts);
COPY back FROM :'file' (FORMAT binary);
SELECT count(*) FROM receipts a JOIN back b ON a.n = b.n AND a.receipt::text IS NOT DISTINCT FROM b.receipt::text;
COPY (SELECT n, array_agg(receipt) FROM receipts GROUP BY n) TO :'file' (FORMAT binary);
CREATE TEMP TABLE arrays (n int, receipts awa.receipt[]);
COPY arrays FROM :'file' (FORMAT binary);
SELECT count(*) FROM receipts a JOIN arrays b ON a.n = b.n AND a.receipt::text IS NOT DISTINCT FROM b.receipts[1]::text;
-- and what is not one
\set VERBOSITY sqlstate
COPY (SELECT 1, substr(awa.receipt_send('1:2:3:4:5:6'), 1, 41)) TO :'file' (FORMAT binary);
COPY back FROM :'file' (FORMAT binary);
COPY (SELECT 1, awa.receipt_send('1:2:3:4:5:6') || '\x00'::bytea) TO :'file' (FORMAT binary);
COPY back FROM :'file' (FORMAT binary);
COPY (SELECT 1, ''::bytea) TO :'file' (FORMAT binary);
COPY back FROM :'file' (FORMAT binary);
COPY (SELECT 1, decode(repeat('ff', 42), 'hex')) TO :'file' (FORMAT binary);
COPY back FROM :'file' (FORMAT binary);
\set VERBOSITY default
SELECT receipt FROM back WHERE n = 1 AND receipt::text LIKE '-1%';
-- text COPY as well
COPY receipts TO :'file';
TRUNCATE back;
COPY back FROM :'file';
SELECT count(*) FROM receipts a JOIN back b ON a.n = b.n AND a.receipt::text IS NOT DISTINCT FROM b.receipt::text;
SELECT typlen, typbyval, typalign, typstorage FROM pg_type WHERE oid = 'awa.receipt'::regtype;
