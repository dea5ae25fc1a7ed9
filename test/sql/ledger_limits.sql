-- Floors, ceilings, freezing, closing; and what the primitives do then.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
\pset format unaligned
SELECT setval('awa_ledger.id_seq', 100) \g /dev/null
SELECT awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_asset(2, 'USD', 2);
SELECT count(awa_ledger.create_account(n)) FROM generate_series(0, 19) n;
SELECT awa_ledger.set_limits(0, 0, 1, NULL), awa_ledger.set_limits(0, 0, 2, NULL), awa_ledger.set_limits(0, 0, 1, NULL);
CREATE FUNCTION pg_temp.pay(payer bigint, receiver bigint, amount bigint, asset int DEFAULT 1) RETURNS bigint LANGUAGE sql AS
    $$ SELECT transfer_id FROM awa_ledger.transfer(jsonb_build_array(jsonb_build_object('from', payer, 'to', receiver, 'asset', asset, 'amount', amount))) $$;
CREATE FUNCTION pg_temp.values_of(account bigint, asset int DEFAULT 1) RETURNS text LANGUAGE sql AS
    $$ SELECT string_agg(concat(p.value, CASE p.state WHEN 'active' THEN '' ELSE ' ' || p.state END), ', ' ORDER BY p.value) FROM awa_ledger.postings_of(account, 0, asset) p $$;
CREATE FUNCTION pg_temp.said(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; hint text; answer text;
BEGIN
    EXECUTE 'SELECT x::text FROM ' || call || ' x' INTO answer;
    RETURN concat('done: ', answer);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' | ', SQLSTATE, SQLERRM, nullif(detail, ''), nullif(hint, ''));
END $$;

-- a floor below 0 is a pair of postings
SELECT awa_ledger.set_limits(1, 0, 1, -100);
SELECT pg_temp.values_of(1), awa_ledger.balance(1, 0, 1);
SELECT pg_temp.pay(1, 2, 80) > 0, pg_temp.said('pg_temp.pay(1, 2, 21)'), pg_temp.said('pg_temp.pay(1, 2, 20)') LIKE 'done%';
SELECT pg_temp.values_of(1), awa_ledger.balance(1, 0, 1);
-- it moves as far as what is there allows; the balance stays
SELECT pg_temp.said('awa_ledger.set_limits(1, 0, 1, -99)'), pg_temp.said('awa_ledger.set_limits(1, 0, 1)');
SELECT awa_ledger.set_limits(1, 0, 1, -150);
SELECT pg_temp.values_of(1), awa_ledger.balance(1, 0, 1);
SELECT awa_ledger.set_limits(1, 0, 1, -120), awa_ledger.set_limits(1, 0, 1, -120);
SELECT pg_temp.values_of(1), awa_ledger.balance(1, 0, 1);
SELECT pg_temp.pay(0, 1, 130) > 0, awa_ledger.set_limits(1, 0, 1, 0);
SELECT pg_temp.values_of(1), awa_ledger.balance(1, 0, 1);
-- the other asset has limits of its own
SELECT pg_temp.said('pg_temp.pay(1, 2, 1, 2)');
-- above 0: kept back
SELECT awa_ledger.set_limits(1, 0, 1, 10);
SELECT pg_temp.values_of(1), pg_temp.said('pg_temp.pay(1, 2, 21)');
SELECT pg_temp.said('awa_ledger.set_limits(1, 0, 1, 31)'), awa_ledger.set_limits(1, 0, 1, 25);
SELECT pg_temp.values_of(1), (SELECT string_agg(concat_ws(' ', amount, purpose, is_floor, outcome), ', ' ORDER BY reservation) FROM awa_ledger.holds LEFT JOIN awa_ledger.hold_outcomes USING (reservation));
SELECT awa_ledger.set_limits(1, 0, 1, -5);
SELECT pg_temp.values_of(1), (SELECT count(*) FROM awa_ledger.open_holds);
-- without a floor nothing is selected; going back wants what it takes
SELECT awa_ledger.set_limits(1, 0, 1, NULL), pg_temp.pay(1, 2, 200) > 0;
SELECT pg_temp.values_of(1), awa_ledger.balance(1, 0, 1);
SELECT pg_temp.said('awa_ledger.set_limits(1, 0, 1, -100)');
SELECT awa_ledger.set_limits(1, 0, 1, -170);
SELECT pg_temp.values_of(1), awa_ledger.balance(1, 0, 1);
SELECT awa_ledger.set_limits(1, 0, 1, -9223372036854775807);
SELECT pg_temp.values_of(1), awa_ledger.balance(1, 0, 1);
-- postings that came by their ids count when limits are set for the first time
SELECT awa_ledger.new_ids() AS t \gset
SELECT awa_ledger.insert_postings(ARRAY[:t, :t], '{0,1}', '{3,4}', '{0,0}', '{1,1}', '{-50,50}');
SELECT pg_temp.said('awa_ledger.set_limits(3, 0, 1, -40)'), awa_ledger.set_limits(3, 0, 1, -60);
SELECT pg_temp.values_of(3), awa_ledger.balance(3, 0, 1);

-- a ceiling: what is reserved and what is owed count
SELECT awa_ledger.set_limits(5, 0, 1, 0, 100), pg_temp.pay(0, 5, 60) > 0;
SELECT awa_ledger.new_ids() AS r \gset
SELECT awa_ledger.reserve(ARRAY(SELECT id FROM awa_ledger.postings_of(5)), :r);
SELECT pg_temp.said('pg_temp.pay(0, 5, 41)'), pg_temp.pay(0, 5, 30) > 0, pg_temp.pay(0, 5, 10) > 0;
SELECT pg_temp.values_of(5), pg_temp.said('awa_ledger.set_limits(5, 0, 1, 0, 99)'), awa_ledger.set_limits(5, 0, 1, -50, 100);
SELECT pg_temp.said('pg_temp.pay(0, 5, 1)'), pg_temp.pay(5, 6, 85) > 0, pg_temp.pay(0, 5, 85) > 0, pg_temp.said('pg_temp.pay(0, 5, 1)');
SELECT pg_temp.values_of(5), awa_ledger.balance(5, 0, 1);
-- by ids as well
SELECT pg_temp.said('awa_ledger.transfer(''{"creates": [{"account": 0, "asset": 1, "value": -1}, {"account": 5, "asset": 1, "value": 1}]}'')');

-- frozen: nothing moves; what is reserved can be released, and what changes nothing is no error
SELECT awa_ledger.new_ids() AS u \gset
SELECT pg_temp.pay(0, 7, 100), pg_temp.pay(0, 7, 10) AS small \gset
SELECT awa_ledger.reserve(ARRAY[awa_ledger.id_of(:small, 1)], :r);
SELECT awa_ledger.freeze_account(7), awa_ledger.freeze_account(7);
SELECT call, pg_temp.said(call) FROM unnest(ARRAY['pg_temp.pay(7, 8, 1)', 'pg_temp.pay(8, 7, 1)', 'awa_ledger.transfer(''[{"from": 7, "to": 8, "asset": 1, "amount": 1}, {"from": 8, "to": 7, "asset": 1, "amount": 1}]'')',
    format('awa_ledger.reserve(ARRAY(SELECT id FROM awa_ledger.postings_of(7, filter => ''active'')), %s)', :r), format('awa_ledger.consume(%L, %s, %s)', ARRAY[awa_ledger.id_of(:small, 1)], :r, :t),
    format('awa_ledger.deactivate(ARRAY(SELECT id FROM awa_ledger.postings_of(7, filter => ''active'')), %s)', :t), format('awa_ledger.insert_postings(ARRAY[%s], ''{7}'', ''{7}'', ''{0}'', ''{1}'', ''{0}'')', :u), 'awa_ledger.consolidate(7, 0, 1)',
    format('awa_ledger.insert_postings(ARRAY[%s], ''{1}'', ''{7}'', ''{0}'', ''{1}'', ''{10}'')', :small), format('awa_ledger.consume(%L, %s, %s)', ARRAY[awa_ledger.id_of(:small, 1)], :u, :t), 'awa_ledger.reserve(''{}'', 101)',
    format('awa_ledger.release(ARRAY[awa_ledger.id_of(%s, 1)], %s)', :small, :r)]) call;
SELECT awa_ledger.consolidate_crowded(), awa_ledger.unfreeze_account(7), awa_ledger.unfreeze_account(7), pg_temp.pay(7, 8, 1) > 0;
SELECT version, flags FROM awa_ledger.accounts WHERE account = 7 ORDER BY version;

-- closed: it must be empty, and stays closed
SELECT pg_temp.said('awa_ledger.close_account(7)');
SELECT awa_ledger.reserve(ARRAY(SELECT id FROM awa_ledger.postings_of(7) LIMIT 1), :r);
SELECT regexp_replace(pg_temp.said('awa_ledger.close_account(7)'), '\d{3,}', 'N', 'g');
SELECT awa_ledger.release(ARRAY(SELECT id FROM awa_ledger.postings_of(7)), :r), pg_temp.pay(7, 0, 109) > 0, awa_ledger.close_account(7), awa_ledger.close_account(7);
SELECT call, pg_temp.said(call) FROM unnest(ARRAY['pg_temp.pay(8, 7, 1)', 'awa_ledger.freeze_account(7)', 'awa_ledger.unfreeze_account(7)', 'awa_ledger.set_limits(7, 0, 1, -1)', 'awa_ledger.consolidate(7, 0, 1)',
    format('awa_ledger.insert_postings(ARRAY[%s], ''{7}'', ''{7}'', ''{0}'', ''{1}'', ''{0}'')', :u)]) call;
-- with zero-value postings, with a credit that was not used, with what comes to nothing; while frozen
SELECT transfer_id > 0 FROM awa_ledger.transfer('{"creates": [{"account": 9, "asset": 1, "value": 0}, {"account": 9, "asset": 2, "value": 0}]}');
SELECT awa_ledger.set_limits(9, 0, 1, -100), awa_ledger.freeze_account(9), awa_ledger.close_account(9), awa_ledger.has_live_postings(9, 0);
SELECT awa_ledger.has_live_postings(9, 0), version, flags FROM awa_ledger.accounts WHERE account = 9 ORDER BY version;
SELECT awa_ledger.set_limits(10, 0, 1, -100), pg_temp.pay(10, 8, 1) > 0, pg_temp.said('awa_ledger.close_account(10)');
SELECT awa_ledger.set_limits(11, 0, 1, NULL), pg_temp.pay(11, 8, 1) > 0, pg_temp.pay(8, 11, 1) > 0, awa_ledger.close_account(11);
-- D13: a version is its own event, in one transaction with what it says
BEGIN;
SELECT awa_ledger.create_account(12), awa_ledger.freeze_account(12);
ROLLBACK;
SELECT count(*) FROM awa_ledger.accounts WHERE account = 12 AND version > 1;
SELECT event, account, detail -> 'version' AS version FROM awa_ledger.events(max_rows => 10000) WHERE account IN (7, 9, 12) AND event LIKE 'account%';
-- in REPEATABLE READ they see what was committed since
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT awa_ledger.freeze_account(13), awa_ledger.set_limits(14, 0, 1, -10), awa_ledger.unfreeze_account(13), awa_ledger.close_account(13);
SELECT pg_temp.pay(14, 15, 10) > 0, awa_ledger.set_limits(15, 0, 1, 10, 10);
COMMIT;
SELECT * FROM awa_ledger.verify();
-- what the primitives did past limits is told
BEGIN;
SELECT awa_ledger.new_ids() AS t \gset
SELECT awa_ledger.insert_postings(ARRAY[:t, :t, :t], '{0,1,2}', '{2,5,3}', '{0,0,0}', '{1,1,1}', '{-10,20,-10}'), awa_ledger.set_limits(16, 0, 1, 0, 10);
UPDATE awa_ledger.live_postings SET reservation = NULL WHERE account = 15;
SELECT * FROM awa_ledger.verify();
ROLLBACK;
SELECT hot_table, inserted, changed, removed FROM awa_ledger.rebuild_live();
