-- posting_states, postings_of, balance, has_live_postings.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
CREATE FUNCTION pg_temp.said(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text;
    detail text;
    hint text;
BEGIN
    EXECUTE statement;
    RETURN 'nothing';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' | ', SQLSTATE, message, nullif(detail, ''), nullif(hint, ''));
END $$;
SELECT setval('awa_ledger.id_seq', 1000) \g /dev/null
SELECT awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_asset(2, 'USD', 2);
-- account 0 is the outside world, 1 has subaccounts, 2 another
SELECT awa_ledger.create_account(0), awa_ledger.create_account(1), awa_ledger.create_account(1, 5), awa_ledger.create_account(1, -5), awa_ledger.create_account(2);
SELECT awa_ledger.insert_postings(array_fill(1::bigint, ARRAY[9]), '{0,1,2,3,4,5,6,10,11}', '{0,0,1,1,1,1,1,1,2}', '{0,0,0,0,0,5,5,0,0}', '{1,2,1,1,1,1,2,1,1}', '{-36,-7,1,2,3,4,7,5,21}');
SELECT awa_ledger.insert_postings('{2,2,2}', '{0,1,2}', '{0,1,1}', '{0,0,0}', '{1,1,1}', '{-8,0,8}');
SELECT awa_ledger.reserve('{1:2,1:5,1:10}', 21);
BEGIN;
SELECT awa_ledger.deactivate('{1:3}', 3), awa_ledger.insert_postings('{3}', '{0}', '{2}', '{0}', '{1}', '{2}');
COMMIT;

-- states in the order of the ids, repetitions repeated
SELECT * FROM awa_ledger.posting_states('{1:3,1:2,9:9,1:4,1:2,1:3,2:1}');
SELECT * FROM awa_ledger.posting_states('{}') UNION ALL SELECT * FROM awa_ledger.posting_states(NULL);
SELECT pg_temp.said('SELECT awa_ledger.posting_states(' || s || ')') FROM unnest(ARRAY['''{1:2,NULL}''', '''{{1:2},{1:3}}''', '''{x}''']) s;

-- an account's postings: live by default, active, reserved, all; all subaccounts and assets unless one is given
SELECT * FROM awa_ledger.postings_of(1);
SELECT id, state FROM awa_ledger.postings_of(1, 0, 1, 'active');
SELECT id, state FROM awa_ledger.postings_of(1, 0, 1, 'reserved');
SELECT id, state, spent_by FROM awa_ledger.postings_of(1, 0, 1, 'all');
SELECT id, subaccount, asset FROM awa_ledger.postings_of(1, 5);
SELECT id, asset FROM awa_ledger.postings_of(1, 5, 2);
SELECT id, subaccount FROM awa_ledger.postings_of(1, asset => 2);
SELECT count(*) FROM awa_ledger.postings_of(1, -5);
SELECT count(*) FROM awa_ledger.postings_of(99);
-- a page at a time, after the last of the page before
SELECT id FROM awa_ledger.postings_of(1, 0, 1, max_rows => 2);
SELECT id FROM awa_ledger.postings_of(1, 0, 1, after => '1:4', max_rows => 2);
SELECT id FROM awa_ledger.postings_of(1, 0, 1, after => '2:1', max_rows => 2);
SELECT id FROM awa_ledger.postings_of(1, 0, 1, after => '2:2', max_rows => 2);
CREATE FUNCTION pg_temp.pages(account bigint, subaccount bigint, asset int, filter text, size int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    page  awa_ledger.posting_id[];
    after awa_ledger.posting_id;
    said  text;
BEGIN
    LOOP
        SELECT array_agg(p.id) INTO page FROM awa_ledger.postings_of(account, subaccount, asset, filter, after, size) p;
        EXIT WHEN page IS NULL;
        said := concat_ws(' ', said, page);
        after := page[cardinality(page)];
    END LOOP;
    RETURN said;
END $$;
SELECT pg_temp.pages(1, 0, 1, 'live', 2), pg_temp.pages(1, NULL, NULL, 'all', 3), pg_temp.pages(1, NULL, 1, 'active', 1), pg_temp.pages(1, 5, NULL, 'reserved', 9);
SELECT pg_temp.said('SELECT awa_ledger.postings_of(' || s || ')') FROM unnest(ARRAY['NULL', '1, filter => NULL', '1, filter => ''spent''', '1, filter => repeat(''x'', 1000)', '1, max_rows => NULL', '1, max_rows => 0', '1, max_rows => 10001', '1, after => ''x''']) s;

-- balances: reserved postings count as live
SELECT awa_ledger.balance(1, 0, 1), awa_ledger.balance(1, 0, 1, 'active') AS active, awa_ledger.balance(1, 0, 1, 'reserved') AS reserved, awa_ledger.balance(0, 0, 1) AS outside,
       awa_ledger.balance(1, 5, 2) AS dollars, awa_ledger.balance(1, -5, 1) AS none, awa_ledger.balance(99, 0, 1) AS nobody;
SELECT pg_temp.said('SELECT awa_ledger.balance(' || s || ')') FROM unnest(ARRAY['NULL, 0, 1', '1, NULL, 1', '1, 0, NULL', '1, 0, 1, NULL', '1, 0, 1, ''spent''']) s;
-- sums are exact on the way, and refused when they do not fit in the end
SELECT awa_ledger.insert_postings(array_fill(4::bigint, ARRAY[6]), '{0,1,2,3,4,5}', '{2,2,2,0,0,0}', '{0,0,0,0,0,0}', '{2,2,2,2,2,2}', array_fill(9223372036854775807, ARRAY[3]) || array_fill(-9223372036854775807, ARRAY[3]));
SELECT awa_ledger.insert_postings(array_fill(5::bigint, ARRAY[4]), '{0,1,2,3}', '{2,2,1,1}', '{0,0,0,0}', '{2,2,2,2}', array_fill(-9223372036854775807, ARRAY[2]) || array_fill(9223372036854775807, ARRAY[2]));
SELECT awa_ledger.balance(2, 0, 2);
SELECT pg_temp.said('SELECT awa_ledger.balance(' || s || ')') FROM unnest(ARRAY['1, 0, 2', '0, 0, 2']) s;

-- any posting that is not spent, of any value, reserved ones too
SELECT awa_ledger.has_live_postings(1, 0), awa_ledger.has_live_postings(1, 5), awa_ledger.has_live_postings(1, -5) AS none, awa_ledger.has_live_postings(99, 0) AS nobody;
SELECT awa_ledger.create_account(3);
SELECT awa_ledger.insert_postings('{6}', '{0}', '{3}', '{0}', '{1}', '{0}');
SELECT awa_ledger.has_live_postings(3, 0), awa_ledger.reserve('{6:0}', 21), awa_ledger.has_live_postings(3, 0);
SELECT awa_ledger.consume('{6:0}', 21, 7), awa_ledger.has_live_postings(3, 0);
SELECT awa_ledger.has_live_postings(3, 0);
SELECT pg_temp.said('SELECT awa_ledger.has_live_postings(' || s || ')') FROM unnest(ARRAY['NULL, 0', '1, NULL']) s;

-- a page of one subaccount and asset reads its own rows, whatever lies beside them
SELECT awa_ledger.insert_postings(array_fill(8::bigint, ARRAY[5000]), ARRAY(SELECT generate_series(1, 5000)), array_fill(3::bigint, ARRAY[5000]), array_fill(0::bigint, ARRAY[5000]), array_fill(1, ARRAY[5000]), array_fill(0::bigint, ARRAY[5000]));
CREATE FUNCTION pg_temp.buffers(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    FOR i IN 1 .. 3 LOOP
        EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ' || query INTO plan;
    END LOOP;
    RETURN (plan #>> '{0,Plan,Shared Hit Blocks}')::int + (plan #>> '{0,Plan,Shared Read Blocks}')::int;
END $$;
SELECT pg_temp.buffers('SELECT * FROM awa_ledger.postings_of(3, 0, 1, after => ''8:2500'', max_rows => 10)') < 50 AS page_live,
       pg_temp.buffers('SELECT * FROM awa_ledger.postings_of(3, 0, 1, ''all'', after => ''8:2500'', max_rows => 10)') < 150 AS page_all,
       pg_temp.buffers('SELECT awa_ledger.has_live_postings(3, 0)') < 30 AS has_live;

-- pages of all, over the blocks of ids that the index has, and beyond the last of them
SELECT setval('awa_ledger.id_seq', 9223372036854775806) \g /dev/null
SELECT awa_ledger.create_account(4);
SELECT sum(awa_ledger.insert_postings(ARRAY[t, t, t], '{0,1,2}', '{0,4,4}', '{0,0,0}', '{1,1,1}', '{-3,1,2}'))
FROM unnest('{4095,4094,4097,4096,8796093022208,8191,8192,9223372036854775806,8796093022207}'::bigint[]) t;
WITH RECURSIVE pages AS (
    SELECT array_agg(id ORDER BY n) AS ids FROM awa_ledger.postings_of(4, 0, 1, 'all', NULL, 4) WITH ORDINALITY p(id, account, subaccount, asset, value, state, reservation, spent_by, n)
    UNION ALL
    SELECT (SELECT array_agg(id ORDER BY n) FROM awa_ledger.postings_of(4, 0, 1, 'all', ids[cardinality(ids)], 4) WITH ORDINALITY p(id, account, subaccount, asset, value, state, reservation, spent_by, n)) FROM pages WHERE ids IS NOT NULL
) SELECT ids FROM pages WHERE ids IS NOT NULL;
SELECT * FROM awa_ledger.verify();
