-- The five primitives: counts, guards, replays, limits, refusals.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
-- what a statement raises
CREATE FUNCTION pg_temp.said(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text;
    detail text;
    hint text;
    context text;
BEGIN
    EXECUTE statement;
    RETURN 'nothing';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT, context = PG_EXCEPTION_CONTEXT;
    RETURN concat_ws(' | ', SQLSTATE, message, nullif(detail, ''), nullif(hint, ''), substring(context FROM 'element \d+ of [a-z_ ]+'));
END $$;
CREATE FUNCTION pg_temp.states(VARIADIC ids awa_ledger.posting_id[]) RETURNS text LANGUAGE sql AS
    $$ SELECT string_agg(concat_ws(' ', s.id, s.state, s.reservation, s.spent_by), ', ' ORDER BY n) FROM awa_ledger.posting_states(ids) WITH ORDINALITY s(id, account, subaccount, asset, value, state, reservation, spent_by, n) $$;

-- ids are drawn; the first 1000 are for this test
SELECT array_agg(n) FROM awa_ledger.new_ids(3) n;
SELECT setval('awa_ledger.id_seq', 1000);
SELECT awa_ledger.new_ids();
\pset format unaligned
\pset tuples_only on
SELECT pg_temp.said(s) FROM unnest(ARRAY['SELECT awa_ledger.new_ids(0)', 'SELECT awa_ledger.new_ids(10001)', 'SELECT awa_ledger.new_ids(NULL)']) s;

-- assets and accounts
SELECT awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_asset(0, 'points', 0), awa_ledger.create_asset(2147483647, repeat('é', 100), 38);
SELECT awa_ledger.create_account(n) FROM generate_series(1, 5) n;
SELECT awa_ledger.create_account(1), awa_ledger.create_account(1, 7), awa_ledger.create_account(-9223372036854775808, 9223372036854775807, 'edge', '{vip,old}', '{"a": 1}'),
       awa_ledger.create_account(-9223372036854775808, 9223372036854775807, 'edge', '{old,vip}', '{"a": 1.0}');
SELECT account, subaccount, version, code, flags, metadata FROM awa_ledger.accounts WHERE code = 'edge';
SELECT version, frozen, closed FROM awa_ledger.account_heads WHERE account = 1 ORDER BY subaccount;
SELECT pg_temp.said('SELECT awa_ledger.' || s) FROM unnest(ARRAY[
    'create_asset(NULL, ''x'', 0)', 'create_asset(-1, ''x'', 0)', 'create_asset(3, NULL, 0)', 'create_asset(3, '''', 0)', 'create_asset(3, repeat(''x'', 201), 0)', 'create_asset(3, ''x'', NULL)', 'create_asset(3, ''x'', -1)', 'create_asset(3, ''x'', 39)',
    'create_asset(2147483648, ''x'', 0)', 'create_asset(1, ''EUR'', 3)', 'create_asset(1, ''USD'', 2)', 'create_asset(3, ''EUR'', 2)',
    'create_account(NULL)', 'create_account(9, NULL)', 'create_account(9, code => '''')', 'create_account(9, code => repeat(''x'', 201))', 'create_account(9, flags => NULL)', 'create_account(9, flags => ''{a,NULL}'')', 'create_account(9, flags => ''{{a},{b}}'')',
    'create_account(9, flags => ARRAY[''''])', 'create_account(9, flags => ''{a,frozen}'')', 'create_account(9, flags => ''{closed}'')', 'create_account(9, flags => array_fill(''x''::text, ARRAY[33]))', 'create_account(9, metadata => NULL)', 'create_account(9, metadata => to_jsonb(repeat(''x'', 1048577)))',
    'create_account(9, code => ''edge'')', 'create_account(1, code => ''one'')', 'create_account(1, flags => ''{x}'')', 'create_account(1, metadata => ''1'')']) s;

-- insert: new ones are counted, alive or spent ones with the same content are passed by
BEGIN;
SELECT awa_ledger.insert_postings('{1,1}', '{0,1}', '{1,2}', '{0,0}', '{1,1}', '{-10,10}');
SELECT awa_ledger.insert_postings('{1,1,1,1}', '{1,7,0,2147483647}', '{2,2,1,1}', '{0,0,0,0}', '{1,1,1,1}', '{10,0,-10,0}');
COMMIT;
SELECT awa_ledger.insert_postings('{1,1}', '{0,1}', '{1,2}', '{0,0}', '{1,1}', '{-10,10}');
SELECT awa_ledger.insert_postings('{1,1,1}', '{0,1,0}', '{1,2,1}', '{0,0,0}', '{1,1,1}', '{-10,10,-10}');
SELECT awa_ledger.insert_postings('{}', '{}', '{}', '{}', '{}', '{}'), awa_ledger.insert_postings(NULL, NULL, NULL, NULL, NULL, NULL);
SELECT pg_temp.states('1:0', '1:1', '1:7', '1:2147483647', '1:2', '2:0', '1:1');
-- a known one with other content is an error, whichever part of it differs
SELECT pg_temp.said(format('SELECT awa_ledger.insert_postings(%L, %L, %L, %L, %L, %L)', t, i, a, s, x, v))
FROM (VALUES ('{1}', '{1}', '{3}', '{0}', '{1}', '{10}'), ('{1}', '{1}', '{1}', '{7}', '{1}', '{10}'), ('{1}', '{1}', '{2}', '{0}', '{0}', '{10}'), ('{1}', '{1}', '{2}', '{0}', '{1}', '{11}'),
             ('{2,2}', '{0,0}', '{1,1}', '{0,0}', '{1,1}', '{5,6}'), ('{1,1}', '{0,1}', '{1,2}', '{0,0}', '{1,1}', '{-10,9}')) c(t, i, a, s, x, v);
-- what is refused
SELECT pg_temp.said(format('SELECT awa_ledger.insert_postings(%L, %L, %L, %L, %L, %L)', t, i, a, s, x, v))
FROM (VALUES ('{2}', '{}', '{1}', '{0}', '{1}', '{1}'), ('{2}', '{0,1}', '{1}', '{0}', '{1}', '{1}'), ('{2}', '{0}', NULL, '{0}', '{1}', '{1}'), ('{2}', '{0}', '{1}', '{}', '{1}', '{1}'), ('{2}', '{0}', '{1}', '{0}', '{}', '{1}'), ('{2}', '{0}', '{1}', '{0}', '{1}', '{1,1}'),
             ('{NULL}', '{0}', '{1}', '{0}', '{1}', '{1}'), ('{2,3}', '{0,NULL}', '{1,1}', '{0,0}', '{1,1}', '{1,1}'), ('{2}', '{0}', '{NULL}', '{0}', '{1}', '{1}'), ('{2}', '{0}', '{1}', '{NULL}', '{1}', '{1}'), ('{2}', '{0}', '{1}', '{0}', '{NULL}', '{1}'), ('{2}', '{0}', '{1}', '{0}', '{1}', '{NULL}'),
             ('{{2},{3}}', '{0,0}', '{1,1}', '{0,0}', '{1,1}', '{1,1}'),
             ('{2,3}', '{0,-1}', '{1,1}', '{0,0}', '{1,1}', '{1,1}'), ('{2}', '{2147483648}', '{1}', '{0}', '{1}', '{1}'), ('{2}', '{0}', '{1}', '{0}', '{1}', '{-9223372036854775808}'), ('{2}', '{0}', '{1}', '{0}', '{1}', '{9223372036854775808}'), ('{2}', '{0}', '{1}', '{0}', '{2147483648}', '{1}'),
             ('{0}', '{0}', '{1}', '{0}', '{1}', '{1}'), ('{-1}', '{0}', '{1}', '{0}', '{1}', '{1}'), ('{1002}', '{0}', '{1}', '{0}', '{1}', '{1}'), ('{9223372036854775807}', '{0}', '{1}', '{0}', '{1}', '{1}'),
             ('{2}', '{0}', '{6}', '{0}', '{1}', '{1}'), ('{2}', '{0}', '{1}', '{1}', '{1}', '{1}'), ('{2}', '{0}', '{1}', '{0}', '{2}', '{1}'), ('{2}', '{0}', '{1}', '{0}', '{-1}', '{1}'),
             ('{1}', '{2}', '{1}', '{0}', '{1}', '{0}'), ('{1,2}', '{0,0}', '{1,1}', '{0,0}', '{1,1}', '{-10,0}'), ('{1,1}', '{0,3}', '{1,1}', '{0,0}', '{1,1}', '{-10,0}')) c(t, i, a, s, x, v);
SELECT count(*) FROM awa_ledger.transfers;

-- reserve: the active ones; repetitions count once
SELECT awa_ledger.insert_postings(array_fill(3::bigint, ARRAY[6]), '{0,1,2,3,4,5}', '{1,2,2,2,2,2}', '{0,0,0,0,0,0}', '{1,1,1,1,1,1}', '{-15,1,2,3,4,5}');
SELECT awa_ledger.reserve('{3:2,3:1,3:2,3:1,3:1}', 11), pg_temp.states('3:1', '3:2', '3:3');
SELECT awa_ledger.reserve('{3:1,3:2,3:3}', 11), awa_ledger.reserve('{3:1,3:2,3:3,3:4}', 12), awa_ledger.reserve('{3:1,3:4}', 12), pg_temp.states('3:1', '3:2', '3:3', '3:4');
SELECT awa_ledger.reserve('{}', 11), awa_ledger.reserve(NULL, 11), awa_ledger.reserve('{3:6,99:0,-1:0}', 11);
-- release: what this reservation holds
SELECT awa_ledger.release('{3:1,3:4,3:5,9:9}', 11), awa_ledger.release('{3:1}', 11), awa_ledger.release('{3:2}', 12), awa_ledger.release('{}', 11), awa_ledger.release(NULL, 11), pg_temp.states('3:1', '3:2', '3:4', '3:5');
-- consume: what this reservation holds, for ever
BEGIN;
SELECT awa_ledger.consume('{3:2,3:1,3:4,3:2}', 11, 4), awa_ledger.consume('{3:2}', 11, 4), awa_ledger.consume('{3:4}', 11, 4), awa_ledger.consume('{}', 11, 4), awa_ledger.consume(NULL, 11, 4);
SELECT awa_ledger.insert_postings('{4}', '{0}', '{3}', '{0}', '{1}', '{2}');
COMMIT;
SELECT pg_temp.states('3:1', '3:2', '3:3', '3:4', '4:0');
SELECT awa_ledger.consume('{3:2}', 11, 4), awa_ledger.release('{3:2}', 11), awa_ledger.reserve('{3:2}', 11), awa_ledger.deactivate('{3:2}', 4), pg_temp.states('3:2');
-- deactivate: what is active
BEGIN;
SELECT awa_ledger.deactivate('{3:1,3:3,3:1,3:5,3:2,8:8}', 5), awa_ledger.deactivate('{3:1}', 5), awa_ledger.deactivate('{}', 5), awa_ledger.deactivate(NULL, 5);
SELECT awa_ledger.insert_postings('{5}', '{0}', '{3}', '{0}', '{1}', '{6}');
COMMIT;
SELECT pg_temp.states('3:1', '3:3', '3:5', '5:0');
-- a replay revives nothing
SELECT awa_ledger.insert_postings('{3,3}', '{1,2}', '{2,2}', '{0,0}', '{1,1}', '{1,2}'), pg_temp.states('3:1', '3:2');
-- nothing that was spent of nothing makes a transfer
SELECT awa_ledger.consume('{3:2}', 11, 6), awa_ledger.deactivate('{3:2}', 6), (SELECT count(*) FROM awa_ledger.transfers WHERE transfer_id = 6);
-- what was changed is logged, call by call; deactivate needs no reservation
SELECT seq, reservation, op, items FROM awa_ledger.reservation_log ORDER BY seq;
SELECT transfer_id, idx, spent_by FROM awa_ledger.spends s ORDER BY 1, 2;
-- what is refused
SELECT pg_temp.said('SELECT awa_ledger.' || s) FROM unnest(ARRAY[
    'reserve(''{1:1}'', NULL)', 'reserve(''{1:1,NULL}'', 11)', 'reserve(''{{1:1},{1:2}}'', 11)', 'reserve(''{1:1}'', 0)', 'reserve(''{1:1}'', -11)', 'reserve(''{1:1}'', 1002)', 'reserve(''{}'', 1002)', 'reserve(''{1:1}'', 9223372036854775807)', 'reserve(''{1:-1}'', 11)', 'reserve(''{x}'', 11)',
    'release(''{1:1}'', NULL)', 'release(''{1:1,NULL}'', 11)', 'release(''{1:1}'', 1002)', 'consume(''{1:1}'', NULL, 7)', 'consume(''{1:1}'', 11, NULL)', 'consume(''{1:1}'', 11, 1002)', 'consume(''{1:1}'', 1002, 7)', 'consume(''{1:1,NULL}'', 11, 7)', 'consume(''{3:4}'', 12, 4)',
    'deactivate(''{1:1}'', NULL)', 'deactivate(''{1:1}'', 0)', 'deactivate(''{1:1}'', 1002)', 'deactivate(''{NULL}'', 7)', 'deactivate(''{1:1}'', 4)']) s;
-- a hold's reservation is not the primitives' to work with
INSERT INTO awa_ledger.holds (reservation, account, subaccount, asset, amount, created_at, transfer_id, idx) VALUES (20, 2, 0, 1, 5, now(), 1, 1);
SELECT pg_temp.said('SELECT awa_ledger.' || s) FROM unnest(ARRAY['reserve(''{1:1}'', 20)', 'release(''{1:1}'', 20)', 'consume(''{1:1}'', 20, 7)']) s;
INSERT INTO awa_ledger.hold_outcomes VALUES (20, 'voided', now());
SELECT pg_temp.said('SELECT awa_ledger.reserve(''{1:1}'', 20)');
-- the value layer refuses a second spend even when the hot table is wrong
SELECT awa_ledger.verify();
INSERT INTO awa_ledger.live_postings VALUES (3, 1, 1, 2, 0, 1, NULL);
SELECT pg_temp.said('SELECT awa_ledger.deactivate(''{3:1}'', 7)');
SELECT invariant, object FROM awa_ledger.verify();
SELECT * FROM awa_ledger.rebuild_live();

-- savepoints take back what was done after them, the log as well
BEGIN;
SELECT awa_ledger.reserve('{1:1}', 13);
SAVEPOINT a;
SELECT awa_ledger.release('{1:1}', 13), awa_ledger.reserve('{1:1,1:7}', 14), pg_temp.states('1:1', '1:7');
ROLLBACK TO a;
SELECT pg_temp.states('1:1', '1:7'), awa_ledger.reserve('{1:1,1:7}', 14);
COMMIT;
SELECT awa_ledger.release('{1:1}', 13), awa_ledger.release('{1:7}', 14);
SELECT reservation, op, items FROM awa_ledger.reservation_log ORDER BY seq DESC LIMIT 4;
BEGIN;
SELECT awa_ledger.reserve('{1:1}', 13);
ROLLBACK;
SELECT pg_temp.states('1:1');
-- reading changes nothing
BEGIN READ ONLY;
SELECT pg_temp.said('SELECT awa_ledger.' || s) FROM unnest(ARRAY['reserve(''{1:1}'', 13)', 'release(''{}'', 13)', 'consume(''{}'', 13, 7)', 'deactivate(''{}'', 7)', 'insert_postings(''{}'', ''{}'', ''{}'', ''{}'', ''{}'', ''{}'')', 'create_account(9)', 'create_asset(9, ''x'', 0)', 'new_ids()']) s;
COMMIT;

-- the greatest values there are, and sums beyond 64 bits
SELECT awa_ledger.insert_postings(array_fill(30::bigint, ARRAY[6]), '{0,1,2,3,4,5}', '{4,4,4,5,5,5}', '{0,0,0,0,0,0}', '{1,1,1,1,1,1}',
    array_fill(9223372036854775807, ARRAY[3]) || array_fill(-9223372036854775807, ARRAY[3]));
SELECT value FROM awa_ledger.posting_states('{30:0,30:3}');
SELECT awa_ledger.reserve('{30:0,30:1,30:2,30:3,30:4,30:5}', 13);
BEGIN;
SELECT awa_ledger.consume('{30:0,30:3,30:1,30:4}', 13, 31);
COMMIT;
SELECT pg_temp.states('30:0', '30:2', '30:3', '30:5');
SELECT awa_ledger.verify();

-- 32 and 10,000 postings in one call; half of them twice, and in any order
SELECT awa_ledger.insert_postings(array_fill(40::bigint, ARRAY[10001]), ARRAY(SELECT generate_series(0, 10000)), array_fill(5::bigint, ARRAY[10001]), array_fill(0::bigint, ARRAY[10001]), array_fill(1, ARRAY[10001]), '{-10000}' || array_fill(1::bigint, ARRAY[10000]));
SELECT awa_ledger.reserve(ARRAY(SELECT awa_ledger.id_of(40, n) FROM generate_series(1, 32) n ORDER BY n DESC), 15);
SELECT awa_ledger.reserve(ARRAY(SELECT awa_ledger.id_of(40, n % 10001) FROM generate_series(1, 15000) n ORDER BY sin(n)), 16);
SELECT awa_ledger.release(ARRAY(SELECT awa_ledger.id_of(40, n) FROM generate_series(0, 10000) n ORDER BY sin(n)), 16);
SELECT awa_ledger.reserve(ARRAY(SELECT awa_ledger.id_of(40, n) FROM generate_series(0, 10000) n ORDER BY cos(n)), 16);
BEGIN;
SELECT awa_ledger.consume(ARRAY(SELECT awa_ledger.id_of(40, n) FROM generate_series(0, 10000) n ORDER BY sin(n)), 16, 41), awa_ledger.consume(ARRAY(SELECT awa_ledger.id_of(40, n) FROM generate_series(1, 32) n), 15, 41);
COMMIT;
SELECT count(*), count(*) FILTER (WHERE state = 'spent' AND spent_by = 41) AS spent FROM awa_ledger.posting_states(ARRAY(SELECT awa_ledger.id_of(40, n) FROM generate_series(0, 10000) n));
SELECT reservation, op, cardinality(items) FROM awa_ledger.reservation_log ORDER BY seq DESC LIMIT 6;
SELECT awa_ledger.verify();
SELECT * FROM awa_ledger.rebuild_live();
-- this session planned its statements while the tables were empty; a call on few postings reads few pages all the same
SELECT awa_ledger.insert_postings(array_fill(50::bigint, ARRAY[20001]), ARRAY(SELECT generate_series(0, 20000)), array_fill(5::bigint, ARRAY[20001]), array_fill(0::bigint, ARRAY[20001]), array_fill(1, ARRAY[20001]), '{-20000}' || array_fill(1::bigint, ARRAY[20000]));
CREATE FUNCTION pg_temp.buffers(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ' || query INTO plan;
    RETURN (plan #>> '{0,Plan,Shared Hit Blocks}')::int + (plan #>> '{0,Plan,Shared Read Blocks}')::int;
END $$;
SELECT pg_temp.buffers('SELECT awa_ledger.reserve(''{50:10000,50:19000}'', 17)') < 100 AS reserve, pg_temp.buffers('SELECT awa_ledger.release(''{50:10000}'', 17)') < 100 AS release;
BEGIN;
SELECT pg_temp.buffers('SELECT awa_ledger.consume(''{50:19000}'', 17, 51)') < 100 AS consume, pg_temp.buffers('SELECT awa_ledger.deactivate(''{50:10000}'', 51)') < 100 AS deactivate,
       pg_temp.buffers('SELECT awa_ledger.insert_postings(''{51}'', ''{0}'', ''{2}'', ''{0}'', ''{1}'', ''{2}'')') < 100 AS insert;
COMMIT;
SELECT awa_ledger.verify();
\pset tuples_only off
\pset format aligned
