-- The behaviours that a posting ledger must show, one section each, by the numbers of docs/conformance.md; then bounds.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION pg_temp.states(VARIADIC ids awa_ledger.posting_id[]) RETURNS text LANGUAGE sql AS
    $$ SELECT string_agg(concat_ws(' ', s.id, s.state, s.reservation, s.spent_by), ', ' ORDER BY n) FROM awa_ledger.posting_states(ids) WITH ORDINALITY s(id, account, subaccount, asset, value, state, reservation, spent_by, n) $$;
CREATE FUNCTION pg_temp.said(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'nothing';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END $$;
-- creates postings of asset 1 in the main account `account`, balanced by account 0 at a place of its own
CREATE FUNCTION pg_temp.deposit(transfer bigint, account bigint, VARIADIC vals bigint[]) RETURNS int LANGUAGE sql AS $$
    SELECT awa_ledger.insert_postings(array_fill(transfer, ARRAY[n + 1]), ARRAY(SELECT i FROM generate_series(0, n - 1) i) || 1000, array_fill(account, ARRAY[n]) || 0::bigint,
        array_fill(0::bigint, ARRAY[n + 1]), array_fill(1, ARRAY[n + 1]), vals || -(SELECT sum(v) FROM unnest(vals) v)::bigint) FROM (SELECT cardinality(vals) AS n) c $$;
SELECT setval('awa_ledger.id_seq', 100000) \g /dev/null
SELECT awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_asset(2, 'USD', 2), awa_ledger.create_account(0) \g /dev/null

\echo 01: an account that is created is there, version 1, with its flags
SELECT awa_ledger.create_account(1, flags => '{vip,old}');
SELECT account, subaccount, version, flags FROM awa_ledger.accounts WHERE account = 1;
\echo 02: created again it is there already; created otherwise it is refused
SELECT awa_ledger.create_account(1, flags => '{vip,old}'), awa_ledger.create_account(1, flags => '{old,vip}'), pg_temp.said($$SELECT awa_ledger.create_account(1, flags => '{vip}')$$);
SELECT count(*) FROM awa_ledger.accounts WHERE account = 1;
\echo 03: an account that is not there: no row, and no posting can be made for it
SELECT count(*) FROM awa_ledger.accounts WHERE account = 99;
SELECT pg_temp.said($$SELECT awa_ledger.insert_postings('{100}', '{0}', '{99}', '{0}', '{1}', '{0}')$$);
\echo 04: several accounts are read at once, subaccounts are accounts
SELECT awa_ledger.create_account(2), awa_ledger.create_account(1, 5) \g /dev/null
SELECT string_agg(format('%s:%s', account, subaccount), ' ' ORDER BY account, subaccount) FROM awa_ledger.account_heads WHERE (account, subaccount) IN ((1, 0), (1, 5), (2, 0), (3, 0));
\echo 05: the version that was appended is the one in force
BEGIN;
INSERT INTO awa_ledger.accounts VALUES (2, 0, 2, NULL, '{frozen}');
SELECT hot_table, inserted, changed FROM awa_ledger.rebuild_live() WHERE hot_table = 'account_heads';
SELECT version, frozen FROM awa_ledger.account_heads WHERE account = 2;
SELECT * FROM awa_ledger.verify();
\echo 06: a version that leaves a gap is told of
SAVEPOINT a;
INSERT INTO awa_ledger.accounts VALUES (2, 0, 5, NULL, '{}');
SELECT invariant, object FROM awa_ledger.verify();
ROLLBACK TO a;
\echo 07: a version is written once, the first content is kept
SELECT pg_temp.said($$INSERT INTO awa_ledger.accounts VALUES (2, 0, 2, NULL, '{other}')$$);
SELECT flags FROM awa_ledger.accounts WHERE account = 2 AND version = 2;
\echo 08: all versions stay, in order
SELECT version, flags FROM awa_ledger.accounts WHERE account = 2 ORDER BY version;
\echo 09: one head an account
SELECT account, subaccount, version FROM awa_ledger.account_heads ORDER BY 1, 2;
ROLLBACK;

\echo 10: a posting that was inserted is there, with its value
SELECT pg_temp.deposit(10, 1, 7);
SELECT account, subaccount, asset, value, state FROM awa_ledger.posting_states('{10:0}');
\echo 11: a posting that is not there is missing, and nothing fails for it
SELECT pg_temp.states('10:5', '99:0');
\echo 12: of an account, by owner and asset, active or all
SELECT pg_temp.deposit(12, 2, 1, 2, 3), awa_ledger.insert_postings('{12,12}', '{10,11}', '{2,0}', '{0,0}', '{2,2}', '{9,-9}') \g /dev/null
BEGIN;
SELECT awa_ledger.deactivate('{12:0}', 13), pg_temp.deposit(13, 1, 1), awa_ledger.insert_postings('{13}', '{1}', '{0}', '{0}', '{1}', '{1}') \g /dev/null
COMMIT;
SELECT f, a, array_agg(id) FROM unnest('{active,all}'::text[]) f, unnest('{NULL,1,2}'::int[]) a, awa_ledger.postings_of(2, 0, a, f) GROUP BY 1, 2 ORDER BY 1, 2 NULLS FIRST;
\echo 13: null is every subaccount, a number is that one; nothing is folded into another
SELECT awa_ledger.insert_postings('{14,14,14}', '{0,1,2}', '{1,1,0}', '{0,5,0}', '{1,1,1}', '{3,4,-7}') \g /dev/null
SELECT s, (SELECT array_agg(id) FROM awa_ledger.postings_of(1, s, 1)), awa_ledger.balance(1, coalesce(s, 0), 1) FROM unnest('{NULL,0,5,6}'::bigint[]) s;
\echo 14: five rows in pages of two: 2, 2, 1; pages begin after the last of the page before
SELECT awa_ledger.create_account(3), pg_temp.deposit(15, 3, 1, 1, 1, 1, 1), awa_ledger.insert_postings('{15,15}', '{10,11}', '{3,0}', '{0,0}', '{2,2}', '{9,-9}') \g /dev/null
WITH RECURSIVE pages(n, page) AS (
    SELECT 1, (SELECT array_agg(id) FROM awa_ledger.postings_of(3, 0, 1, max_rows => 2))
    UNION ALL
    SELECT n + 1, (SELECT array_agg(id) FROM awa_ledger.postings_of(3, 0, 1, after => page[cardinality(page)], max_rows => 2)) FROM pages WHERE page IS NOT NULL)
SELECT n, cardinality(page), page FROM pages WHERE page IS NOT NULL;
\echo 15: a set is reserved at once
SELECT awa_ledger.reserve('{15:0,15:1,15:2}', 50), pg_temp.states('15:0', '15:1', '15:2');
\echo 16: what is reserved is passed by, its own reservation the same; only the new one counts
SELECT awa_ledger.reserve('{15:0,15:1,15:2,15:3}', 50), pg_temp.states('15:3');
\echo 17: released it is active again
SELECT awa_ledger.release('{15:3}', 50), pg_temp.states('15:3');
\echo 18: releasing what is active changes nothing
SELECT awa_ledger.release('{15:3,15:4}', 50), pg_temp.states('15:3', '15:4');
\echo 19: what is spent stays spent
BEGIN;
SELECT awa_ledger.consume('{15:0}', 50, 16), awa_ledger.insert_postings('{16}', '{0}', '{1}', '{0}', '{1}', '{1}');
COMMIT;
SELECT awa_ledger.release('{15:0}', 50), pg_temp.states('15:0');
\echo 20: consumed is spent, what is created with it is active
BEGIN;
SELECT awa_ledger.consume('{15:1}', 50, 17), awa_ledger.insert_postings('{17}', '{0}', '{2}', '{0}', '{1}', '{1}');
COMMIT;
SELECT pg_temp.states('15:1', '17:0');
\echo 21: inserted: both, then the one that is new, then none
SELECT awa_ledger.insert_postings('{18,18}', '{0,1}', '{1,0}', '{0,0}', '{1,1}', '{0,0}');
BEGIN;
SELECT awa_ledger.insert_postings('{19,19}', '{0,1}', '{1,0}', '{0,0}', '{1,1}', '{5,-5}'), awa_ledger.insert_postings('{19,19}', '{0,2}', '{1,1}', '{0,0}', '{1,1}', '{5,0}'), awa_ledger.insert_postings('{19,19}', '{0,2}', '{1,1}', '{0,0}', '{1,1}', '{5,0}');
COMMIT;
\echo 22: deactivated: two, again none, spent
BEGIN;
SELECT awa_ledger.deactivate('{18:0,18:1}', 20), awa_ledger.deactivate('{18:0,18:1}', 20);
COMMIT;
SELECT pg_temp.states('18:0', '18:1');
\echo 23: a reservation that does not hold it consumes nothing, the one that does consumes it
BEGIN;
SELECT awa_ledger.consume('{15:2}', 51, 21), awa_ledger.consume('{15:2}', 50, 21), awa_ledger.insert_postings('{21}', '{0}', '{1}', '{0}', '{1}', '{1}');
COMMIT;
\echo 24: one of each state
SELECT awa_ledger.reserve('{15:4}', 52), pg_temp.states('15:3', '15:4', '15:2', '15:9');
\echo 25: states come in the order of the ids, repetitions repeated; none for none
SELECT pg_temp.states('15:2', '15:3', '99:9', '15:3', '15:4', '15:2');
SELECT count(*) FROM awa_ledger.posting_states('{}');
\echo 26: what is spent can still be read
SELECT account, value, state, spent_by FROM awa_ledger.posting_states('{15:2}');
\echo 27: live is active and reserved, not spent
SELECT array_agg(id ORDER BY id) FROM awa_ledger.postings_of(3, 0, 1, 'live');

\echo 28: a transfer is made once, with the first of its postings or spends
SELECT transfer_id, count(*) FROM awa_ledger.transfers WHERE transfer_id IN (10, 18, 20) GROUP BY 1 ORDER BY 1;
SELECT pg_temp.deposit(10, 1, 7), count(*) FROM awa_ledger.transfers WHERE transfer_id = 10;
\echo 29: a transfer touches the owners of what it creates and of what it consumes
SELECT DISTINCT p.account, p.subaccount FROM awa_ledger.postings p LEFT JOIN awa_ledger.spends s USING (transfer_id, idx) WHERE p.transfer_id = 17 OR s.spent_by = 17 ORDER BY 1, 2;
\echo 30, 31: it is there; one that was not made is not
SELECT transfer_id, reverses, metadata FROM awa_ledger.transfers WHERE transfer_id IN (17, 98);
\echo 32: of an account, in the order in which they were made, each once
SELECT array_agg(transfer_id ORDER BY committed_at, transfer_id) FROM awa_ledger.transfers t WHERE EXISTS (SELECT FROM awa_ledger.postings p LEFT JOIN awa_ledger.spends s USING (transfer_id, idx) WHERE p.account = 1 AND t.transfer_id IN (p.transfer_id, s.spent_by));
SELECT count(*) FROM awa_ledger.postings WHERE account = 99;
\echo 33: its stamp is the one of its spends, and within its transaction
BEGIN;
SELECT awa_ledger.reserve('{19:0}', 53), awa_ledger.consume('{19:0}', 53, 22), awa_ledger.insert_postings('{22}', '{0}', '{2}', '{0}', '{1}', '{5}');
SELECT committed_at BETWEEN now() AND clock_timestamp(), committed_at = effective_at, EXISTS (SELECT FROM awa_ledger.spends WHERE spent_by = 22) FROM awa_ledger.transfers WHERE transfer_id = 22;
COMMIT;

\echo 34: made at or after a moment, or before it
SELECT count(*) FILTER (WHERE committed_at >= at) > 0, count(*) FILTER (WHERE committed_at < at) > 0, count(*) = count(*) FILTER (WHERE committed_at >= at) + count(*) FILTER (WHERE committed_at < at)
FROM awa_ledger.transfers, (SELECT committed_at AS at FROM awa_ledger.transfers WHERE transfer_id = 16) m;
\echo 37: all transfers, whoever they touch
SELECT array_agg(transfer_id ORDER BY committed_at, transfer_id) FROM awa_ledger.transfers;

\echo 38: of two reservations the second gets nothing
SELECT awa_ledger.reserve('{22:0}', 54), awa_ledger.reserve('{22:0}', 55), pg_temp.states('22:0');
\echo 39: of two deactivations the second gets nothing
BEGIN;
SELECT awa_ledger.release('{22:0}', 54), awa_ledger.deactivate('{22:0}', 23), awa_ledger.deactivate('{22:0}', 24), awa_ledger.insert_postings('{23}', '{0}', '{2}', '{0}', '{1}', '{5}');
COMMIT;
SELECT pg_temp.states('22:0'), (SELECT count(*) FROM awa_ledger.transfers WHERE transfer_id = 24);

\echo D1, D2: who consumes without holding changes nothing, and cannot create either
BEGIN;
SELECT awa_ledger.reserve('{23:0}', 56), awa_ledger.release('{23:0}', 56) \g /dev/null
SELECT awa_ledger.reserve('{23:0}', 57), awa_ledger.consume('{23:0}', 57, 25), awa_ledger.insert_postings('{25}', '{0}', '{1}', '{0}', '{1}', '{5}');
COMMIT;
BEGIN;
SELECT awa_ledger.consume('{23:0}', 56, 26), awa_ledger.insert_postings('{26}', '{0}', '{1}', '{0}', '{1}', '{5}');
COMMIT;
SELECT pg_temp.states('23:0', '25:0', '26:0');
\echo D7: the same content twice is two transfers when the ids are two
SELECT pg_temp.deposit(27, 2, 100), pg_temp.deposit(28, 2, 100);
\echo D14: a known posting with other content is an error, and nothing of the call is done
SELECT pg_temp.said($$SELECT awa_ledger.insert_postings('{27}', '{0}', '{2}', '{0}', '{1}', '{101}')$$), pg_temp.said($$SELECT awa_ledger.insert_postings('{27}', '{0}', '{3}', '{0}', '{1}', '{100}')$$),
       pg_temp.said($$SELECT awa_ledger.insert_postings('{10}', '{0}', '{1}', '{5}', '{1}', '{7}')$$), pg_temp.said($$SELECT awa_ledger.insert_postings('{27}', '{0}', '{2}', '{0}', '{2}', '{100}')$$);
BEGIN;
SELECT pg_temp.said($$SELECT awa_ledger.insert_postings('{29,27}', '{0,0}', '{1,2}', '{0,0}', '{1,1}', '{5,101}')$$);
COMMIT;
SELECT pg_temp.states('29:0', '27:0'), (SELECT count(*) FROM awa_ledger.transfers WHERE transfer_id = 29);
\echo nothing is revived: a spent posting that is inserted again stays spent
SELECT awa_ledger.insert_postings('{22}', '{0}', '{2}', '{0}', '{1}', '{5}'), pg_temp.states('22:0');
\echo a balance is the sum of what is live, a reservation does not change it
SELECT awa_ledger.balance(2, 0, 1), awa_ledger.reserve('{27:0}', 58), awa_ledger.balance(2, 0, 1), awa_ledger.balance(2, 0, 1, 'active'), awa_ledger.balance(2, 0, 1, 'reserved');
SELECT awa_ledger.balance(2, 0, 1), awa_ledger.balance(2, 0, 1, 'active'), awa_ledger.balance(2, 0, 1, 'reserved');
SELECT * FROM awa_ledger.verify();

\echo bounds: ids, places, assets, accounts, values at both ends of their types
SELECT awa_ledger.create_asset(2147483647, 'last', 0), awa_ledger.create_account(9223372036854775807, -9223372036854775808), awa_ledger.create_account(-9223372036854775808, 9223372036854775807) \g /dev/null
SELECT awa_ledger.insert_postings('{30,30,30}', '{0,2147483647,2147483646}', '{9223372036854775807,-9223372036854775808,-9223372036854775808}', '{-9223372036854775808,9223372036854775807,9223372036854775807}', '{2147483647,2147483647,2147483647}', '{9223372036854775807,-9223372036854775807,0}');
SELECT account, subaccount, asset, id, value, state FROM awa_ledger.postings_of(-9223372036854775808) UNION ALL SELECT account, subaccount, asset, id, value, state FROM awa_ledger.postings_of(9223372036854775807, -9223372036854775808, 2147483647);
SELECT awa_ledger.reserve('{30:2147483647,30:2147483646,30:2147483647}', 59), awa_ledger.release('{30:2147483646}', 59), awa_ledger.balance(-9223372036854775808, 9223372036854775807, 2147483647, 'reserved');
SELECT id FROM awa_ledger.postings_of(-9223372036854775808, 9223372036854775807, 2147483647, after => '30:2147483646');
SELECT count(*) FROM awa_ledger.postings_of(-9223372036854775808, after => '9223372036854775807:2147483647');
SELECT pg_temp.states('9223372036854775807:2147483647', '-9223372036854775808:0'), awa_ledger.reserve('{9223372036854775807:2147483647,-9223372036854775808:0}', 59);
\echo bounds: sums beyond 64 bits are exact where they cancel out, and refused where they do not
SELECT awa_ledger.insert_postings(array_fill(31::bigint, ARRAY[8]), '{0,1,2,3,4,5,6,7}', '{1,1,1,1,2,2,2,2}', '{0,0,0,0,0,0,0,0}', array_fill(2147483647, ARRAY[8]), array_fill(9223372036854775807, ARRAY[4]) || array_fill(-9223372036854775807, ARRAY[4]));
SELECT pg_temp.said('SELECT awa_ledger.balance(1, 0, 2147483647)'), pg_temp.said('SELECT awa_ledger.balance(2, 0, 2147483647)');
BEGIN;
SELECT awa_ledger.deactivate('{31:0,31:1,31:2,31:4,31:5,31:6}', 32);
COMMIT;
SELECT awa_ledger.balance(1, 0, 2147483647), awa_ledger.balance(2, 0, 2147483647);
-- a difference that would vanish in 64 bits: four times 2^62 is 2^64
SELECT awa_ledger.insert_postings(array_fill(33::bigint, ARRAY[4]), '{0,1,2,3}', '{1,1,1,1}', '{0,0,0,0}', '{1,1,1,1}', array_fill(4611686018427387904, ARRAY[4]));
\echo bounds: empty sets and null ones, for each primitive and read
SELECT awa_ledger.insert_postings('{}', '{}', '{}', '{}', '{}', '{}'), awa_ledger.reserve('{}', 60), awa_ledger.release('{}', 60), awa_ledger.consume('{}', 60, 61), awa_ledger.deactivate('{}', 61), (SELECT count(*) FROM awa_ledger.posting_states('{}'));
SELECT awa_ledger.insert_postings(NULL, NULL, NULL, NULL, NULL, NULL), awa_ledger.reserve(NULL, 60), awa_ledger.release(NULL, 60), awa_ledger.consume(NULL, 60, 61), awa_ledger.deactivate(NULL, 61), (SELECT count(*) FROM awa_ledger.posting_states(NULL));
SELECT count(*) FROM awa_ledger.transfers WHERE transfer_id = 61;
\echo bounds: 10,000 ids in one call, each twice and out of order, for every primitive
SELECT pg_temp.said($$SELECT awa_ledger.create_account(4)$$) \g /dev/null
CREATE TEMP TABLE many AS SELECT array_agg(id ORDER BY sin(n)) AS ids FROM (SELECT n, awa_ledger.id_of(70, n % 10000) AS id FROM generate_series(0, 19999) n) i;
SELECT awa_ledger.insert_postings(array_fill(70::bigint, ARRAY[20000]) || 70::bigint, ARRAY(SELECT n % 10000 FROM generate_series(0, 19999) n) || 10000, array_fill(4::bigint, ARRAY[20000]) || 0::bigint, array_fill(0::bigint, ARRAY[20001]), array_fill(1, ARRAY[20001]), array_fill(1::bigint, ARRAY[20000]) || -10000::bigint);
SELECT awa_ledger.reserve(ids, 62) FROM many;
SELECT awa_ledger.reserve(ids, 63) FROM many;
SELECT awa_ledger.release(ids, 62) FROM many;
SELECT awa_ledger.release(ids, 62) FROM many;
SELECT awa_ledger.reserve(ids[:5000], 63) = (SELECT count(DISTINCT i::text) FROM unnest(ids[:5000]) i) FROM many;
SELECT awa_ledger.balance(4, 0, 1), awa_ledger.balance(4, 0, 1, 'active') + awa_ledger.balance(4, 0, 1, 'reserved');
BEGIN;
SELECT awa_ledger.consume(ids, 63, 71) + awa_ledger.deactivate(ids, 71), awa_ledger.insert_postings('{71}', '{0}', '{4}', '{0}', '{1}', '{10000}') FROM many;
COMMIT;
SELECT state, count(*), count(DISTINCT id::text) FROM many, awa_ledger.posting_states(ids) GROUP BY 1;
SELECT awa_ledger.balance(4, 0, 1);
\echo bounds: work is bounded by what is asked for, not by what is there
SELECT sum(awa_ledger.insert_postings(ARRAY[t, t], '{0,1}', '{4,0}', '{0,0}', '{1,1}', '{1,-1}')) FROM generate_series(1001, 5000) t;
ANALYZE awa_ledger.transfers, awa_ledger.postings, awa_ledger.live_postings;
-- what was counted so far is not what follows
SELECT pg_stat_force_next_flush() \g /dev/null
BEGIN;
SELECT awa_ledger.reserve('{3000:0}', 64), awa_ledger.consume('{3000:0}', 64, 72), awa_ledger.insert_postings('{72}', '{0}', '{1}', '{0}', '{1}', '{1}');
SELECT awa_ledger.insert_postings('{72}', '{0}', '{1}', '{0}', '{1}', '{1}'), awa_ledger.insert_postings('{3001}', '{0}', '{4}', '{0}', '{1}', '{1}');
SELECT pg_stat_get_xact_tuples_returned(c.oid) AS entries FROM pg_class c WHERE c.oid = 'awa_ledger.transfers_pkey'::regclass AND pg_stat_get_xact_tuples_returned(c.oid) > 20;
SELECT relname FROM pg_class WHERE relnamespace = 'awa_ledger'::regnamespace AND relkind = 'r' AND relname IN ('transfers', 'postings', 'spends', 'live_postings', 'reservation_log') AND pg_stat_get_xact_numscans(oid) > 0;
COMMIT;
SELECT * FROM awa_ledger.verify();
SELECT sum(inserted + changed + removed) FROM awa_ledger.rebuild_live();
\pset tuples_only off
\pset format aligned
