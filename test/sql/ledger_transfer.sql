-- Moving value: legs, postings by ids, many at once, undoing; what is refused, and that refusals change nothing.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
\pset format unaligned
SELECT setval('awa_ledger.id_seq', 100) \g /dev/null
SELECT awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_asset(2, 'USD', 2);
SELECT count(awa_ledger.create_account(n)) FROM generate_series(0, 9) n;
SELECT awa_ledger.create_account(1, 7), awa_ledger.set_limits(0, 0, 1, NULL), awa_ledger.set_limits(0, 0, 2, NULL);
CREATE FUNCTION pg_temp.pay(payer bigint, receiver bigint, amount bigint, asset int DEFAULT 1) RETURNS bigint LANGUAGE sql AS
    $$ SELECT transfer_id FROM awa_ledger.transfer(jsonb_build_array(jsonb_build_object('from', payer, 'to', receiver, 'asset', asset, 'amount', amount))) $$;
CREATE FUNCTION pg_temp.values_of(account bigint, subaccount bigint DEFAULT 0, asset int DEFAULT 1) RETURNS text LANGUAGE sql AS
    $$ SELECT string_agg(concat(p.id, '=', p.value, CASE p.state WHEN 'active' THEN '' ELSE ' ' || p.state END), ' ') FROM awa_ledger.postings_of(account, subaccount, asset) p $$;
CREATE FUNCTION pg_temp.said(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; hint text; answer text;
BEGIN
    EXECUTE 'SELECT x::text FROM awa_ledger.' || call || ' x' INTO answer;
    RETURN concat('done: ', answer);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' | ', SQLSTATE, SQLERRM, nullif(detail, ''), nullif(hint, ''));
END $$;

-- one leg: the world owes, change comes back
SELECT pg_temp.pay(0, 1, 1000), pg_temp.values_of(0), pg_temp.values_of(1);
SELECT pg_temp.pay(1, 2, 300), pg_temp.values_of(1), pg_temp.values_of(2);
SELECT pg_temp.pay(1, 2, 700), pg_temp.values_of(1), pg_temp.values_of(2);
-- one that suffices alone, else the greatest; exactly: no change
SELECT pg_temp.pay(2, 1, 600), pg_temp.values_of(2);
SELECT pg_temp.pay(2, 1, 350), pg_temp.values_of(2);
SELECT pg_temp.pay(2, 1, 50), pg_temp.values_of(2), awa_ledger.balance(1, 0, 1);
-- legs at once: what is received is passed on, accounts come to one change, subaccounts are accounts of their own
SELECT * FROM awa_ledger.transfer('[{"from": 1, "to": 3, "asset": 1, "amount": 10}, {"from": 3, "to": 4, "asset": 1, "amount": 10}, {"from": 1, "to": [1, 7], "asset": 1, "amount": "5"},
    {"from": 0, "to": 1, "asset": 2, "amount": 70}, {"from": 1, "to": 4, "asset": 2, "amount": 60}]', metadata => '{"for": "all"}', effective_at => '2020-01-02');
SELECT id, account, subaccount, asset, value FROM awa_ledger.posting_states(ARRAY(SELECT awa_ledger.id_of(107, n) FROM generate_series(0, 6) n)) WHERE state <> 'missing';
SELECT effective_at, committed_at > '2020-01-02', metadata, reverses FROM awa_ledger.transfers WHERE transfer_id = 107;
-- a circle moves nothing, and is a transfer
SELECT * FROM awa_ledger.transfer('[{"from": 5, "to": 6, "asset": 1, "amount": 10}, {"from": 6, "to": 5, "asset": 1, "amount": 10}]');
SELECT awa_ledger.has_live_postings(5, 0), awa_ledger.has_live_postings(6, 0);
-- two deposits are two deposits (D7, without keys)
SELECT pg_temp.pay(0, 5, 100), pg_temp.pay(0, 5, 100), awa_ledger.balance(5, 0, 1);

-- by ids: all shapes of it, explicit places, zero
SELECT pg_temp.values_of(5) \gset
SELECT * FROM awa_ledger.transfer('{"consumes": ["109:1"], "creates": [{"account": 6, "asset": 1, "value": 60, "idx": 5}, {"account": [5, 0], "asset": 1, "value": "40", "idx": 2}, {"account": 6, "asset": 1, "value": 0, "idx": 9}]}');
SELECT pg_temp.values_of(5), pg_temp.values_of(6);
SELECT * FROM awa_ledger.transfer('{"creates": [{"account": 0, "asset": 1, "value": -7}, {"account": 6, "asset": 1, "value": 7}]}');
SELECT * FROM awa_ledger.transfer('{"consumes": ["111:9"]}');
SELECT awa_ledger.new_ids() AS r \gset
SELECT awa_ledger.reserve('{110:1}', :r);
SELECT call, pg_temp.said(call) FROM unnest(ARRAY[
    'transfer(''{"consumes": ["109:1"], "creates": [{"account": 6, "asset": 1, "value": 100}]}'')', 'transfer(''{"consumes": ["110:1"], "creates": [{"account": 6, "asset": 1, "value": 100}]}'')',
    'transfer(''{"consumes": ["999:1"]}'')', 'transfer(''{"consumes": ["111:2"], "creates": [{"account": 6, "asset": 1, "value": 41}]}'')', 'transfer(''{"consumes": ["111:2"], "creates": [{"account": 6, "asset": 2, "value": 40}]}'')',
    'transfer(''{"creates": [{"account": 6, "asset": 1, "value": -7}, {"account": 5, "asset": 1, "value": 7}]}'')', 'transfer(''{"consumes": ["101:0"], "creates": [{"account": 0, "asset": 1, "value": -1000}]}'')',
    'transfer(''{"creates": [{"account": 99, "asset": 1, "value": 0}]}'')', 'transfer(''{"creates": [{"account": 1, "asset": 9, "value": 0}]}'')', 'transfer(''{"consumes": ["111:2", "111:2"]}'')', 'transfer(''{"consumes": ["111"]}'')', 'transfer(''{"consumes": [111]}'')',
    'transfer(''{"consumes": "111:2"}'')', 'transfer(''{"creates": {}}'')', 'transfer(''{"creates": [1]}'')', 'transfer(''{"creates": [{"account": 1, "asset": 1}]}'')', 'transfer(''{"creates": [{"account": 1, "asset": 1, "value": 0, "idx": -1}]}'')',
    'transfer(''{"creates": [{"account": 1, "asset": 1, "value": 0, "idx": 1}, {"account": 1, "asset": 1, "value": 0}]}'')', 'transfer(''{"creates": [{"account": 1, "asset": 1, "value": -9223372036854775808}]}'')',
    'transfer(''{"creates": [{"account": 1, "asset": 1, "amount": 0}]}'')', 'transfer(''{"legs": []}'')', 'transfer(''{}'')', 'transfer(''{"consumes": [], "creates": []}'')']) call;
-- legs that are refused
SELECT leg, pg_temp.said(format('transfer(%L)', leg)) FROM unnest(ARRAY[
    '[{"from": 1, "to": 2, "asset": 1, "amount": 100000}]', '[{"from": 7, "to": 2, "asset": 1, "amount": 1}]', '[{"from": 1, "to": 2, "asset": 2, "amount": 11}]', '[{"from": [1, 7], "to": 2, "asset": 1, "amount": 6}]',
    '[{"from": 1, "to": 2, "asset": 1, "amount": 0}]', '[{"from": 1, "to": 2, "asset": 1, "amount": -5}]', '[{"from": 1, "to": 2, "asset": 1, "amount": 1.5}]', '[{"from": 1, "to": 2, "asset": 1, "amount": "1.0"}]', '[{"from": 1, "to": 2, "asset": 1, "amount": "1e3"}]',
    '[{"from": 1, "to": 2, "asset": 1, "amount": " 1"}]', '[{"from": 1, "to": 2, "asset": 1, "amount": 9223372036854775808}]', '[{"from": 1, "to": 2, "asset": 1, "amount": null}]', '[{"from": 1, "to": 2, "asset": 1}]', '[{"from": 1, "to": 2, "amount": 1}]',
    '[{"from": 1, "asset": 1, "amount": 1}]', '[{"to": 1, "asset": 1, "amount": 1}]', '[{"from": 1, "to": 1, "asset": 1, "amount": 1}]', '[{"from": 1, "to": [1, 0], "asset": 1, "amount": 1}]', '[{"from": 1, "to": [1], "asset": 1, "amount": 1}]', '[{"from": "x", "to": 1, "asset": 1, "amount": 1}]',
    '[{"from": 1, "to": 2, "asset": -1, "amount": 1}]', '[{"from": 1, "to": 2, "asset": 1, "amount": 1, "note": 1}]', '[1]', '[]', '1', 'null', '"x"', '[{"from": 99, "to": 2, "asset": 1, "amount": 1}]', '[{"from": 1, "to": 99, "asset": 1, "amount": 1}]', '[{"from": 0, "to": 2, "asset": 9, "amount": 1}]',
    '[{"from": 0, "to": 2, "asset": 1, "amount": 9223372036854775807}, {"from": 0, "to": 2, "asset": 1, "amount": 1}]']) leg;
SELECT call, pg_temp.said(call) FROM unnest(ARRAY[
    'transfer(NULL)', 'transfer(''[]'', '''')', 'transfer(''[{"from": 0, "to": 1, "asset": 1, "amount": 1}]'', '''')', 'transfer(''[{"from": 0, "to": 1, "asset": 1, "amount": 1}]'', repeat(''x'', 201))',
    'transfer(''[{"from": 0, "to": 1, "asset": 1, "amount": 1}]'', metadata => NULL)', 'transfer(''[{"from": 0, "to": 1, "asset": 1, "amount": 1}]'', effective_at => ''infinity'')',
    'transfer(''[{"from": 0, "to": 1, "asset": 1, "amount": 1}]'', metadata => to_jsonb(repeat(''x'', 1048577)))', 'transfer(''[{"from": 0, "to": 1, "asset": 1, "amount": 1}]'', receipt => ''0:1:1:1:1:1'')',
    'reverse(NULL)', 'reverse(999999)', 'reverse(101, '''')', 'consolidate(99, 0, 1)', 'consolidate(1, 0, 1, 1)', 'consolidate(1, 0, NULL)', 'consolidate_crowded(0)', 'freeze_account(99)', 'freeze_account(NULL)', 'close_account(99)', 'set_limits(99, 0, 1)', 'set_limits(1, 0, 9)', 'set_limits(1, 0, 1, 5, 4)',
    'set_limits(1, 0, 1, -9223372036854775808)', 'transfer_many(NULL)', 'transfer_many(''{}'')', 'transfer_many(''[1]'')', 'transfer_many(''[{"movement": []}]'')', 'transfer_many(''[{}]'')', 'transfer_many(''[{"movements": []}]'')', 'balance_at(1, 0, 1, NULL)']) call;
SELECT * FROM awa_ledger.verify();

-- keys: the same request has the same answer; what is given counts, not what it means
SELECT * FROM awa_ledger.transfer('[{"from": 1, "to": 2, "asset": 1, "amount": 1}]', 'k');
SELECT * FROM awa_ledger.transfer('[{"amount": 1, "from": 1, "to": 2, "asset": 1}]', 'k');
SELECT call, pg_temp.said(call) FROM unnest(ARRAY[
    'transfer(''[{"from": 1, "to": 2, "asset": 1, "amount": 2}]'', ''k'')', 'transfer(''[{"from": 1, "to": 2, "asset": 1, "amount": "1"}]'', ''k'')', 'transfer(''[{"from": 1, "to": 2, "asset": 1, "amount": 1}]'', ''k'', metadata => ''{"x": 1}'')',
    'transfer(''[{"from": 1, "to": 2, "asset": 1, "amount": 1}]'', ''k'', effective_at => ''2020-01-01'')', 'reverse(101, ''k'')']) call;
-- failures are not remembered
SELECT pg_temp.said('transfer(''[{"from": 7, "to": 2, "asset": 1, "amount": 5}]'', ''late'')');
SELECT pg_temp.pay(0, 7, 5);
SELECT * FROM awa_ledger.transfer('[{"from": 7, "to": 2, "asset": 1, "amount": 5}]', 'late');
-- nor what a savepoint took back; a key from within the same transaction counts
BEGIN;
SAVEPOINT a;
SELECT * FROM awa_ledger.transfer('[{"from": 0, "to": 7, "asset": 1, "amount": 5}]', 'saved');
ROLLBACK TO a;
SELECT * FROM awa_ledger.transfer('[{"from": 0, "to": 7, "asset": 1, "amount": 5}]', 'saved');
SELECT * FROM awa_ledger.transfer('[{"from": 0, "to": 7, "asset": 1, "amount": 5}]', 'saved');
COMMIT;
SELECT awa_ledger.balance(7, 0, 1), (SELECT string_agg(request_key || ' ' || transfer_id, ', ' ORDER BY request_key) FROM awa_ledger.transfers);

-- many: each has its outcome, later ones see earlier ones, groups are all or none
SELECT * FROM awa_ledger.transfer_many('[
    {"movements": [{"from": 8, "to": 9, "asset": 1, "amount": 5}]},
    {"movements": [{"from": 0, "to": 8, "asset": 1, "amount": 10}], "idempotency_key": "m1", "metadata": {"a": 1}, "effective_at": "2021-01-01"},
    {"movements": [{"from": 8, "to": 9, "asset": 1, "amount": 7}]},
    {"movements": [{"from": 8, "to": 9, "asset": 1, "amount": 3}], "group": "g"},
    {"movements": [{"from": 8, "to": 9, "asset": 1, "amount": 1}], "group": "g"},
    {"movements": [{"from": 8, "to": 9, "asset": 1, "amount": 2}], "group": "h"},
    {"movements": [{"from": 9, "to": 8, "asset": 1, "amount": 9}], "group": "h"},
    {"movements": {"consumes": ["999:0"]}},
    {"movements": [{"from": 0, "to": 8, "asset": 1, "amount": 10}], "idempotency_key": "m1", "metadata": {"a": 1}, "effective_at": "2021-01-01"},
    {"movements": [{"from": 0, "to": 8, "asset": 1, "amount": 11}], "idempotency_key": "m1"}]');
SELECT awa_ledger.balance(8, 0, 1), awa_ledger.balance(9, 0, 1);
SELECT * FROM awa_ledger.transfer_many('[]');

-- undoing: after the change was merged, and twice; of a reversal; of what was passed on
SELECT pg_temp.pay(0, 3, 500) AS deposit, pg_temp.pay(3, 4, 200) AS payment \gset
SELECT pg_temp.pay(3, 5, 250), pg_temp.pay(4, 5, 150) \g /dev/null
SELECT pg_temp.values_of(3), pg_temp.values_of(4), pg_temp.values_of(5);
SELECT pg_temp.said(format('reverse(%s)', :payment));
SELECT pg_temp.pay(5, 4, 200) \g /dev/null
SELECT replayed FROM awa_ledger.reverse(:payment, 'undo');
SELECT transfer_id - :payment AS later FROM awa_ledger.transfers WHERE reverses = :payment;
SELECT replayed FROM awa_ledger.reverse(:payment, 'undo');
SELECT regexp_replace(pg_temp.said(format('reverse(%s)', :payment)), '\d{3,}', 'N', 'g');
SELECT awa_ledger.balance(3, 0, 1), awa_ledger.balance(4, 0, 1);
SELECT replayed FROM awa_ledger.reverse((SELECT transfer_id FROM awa_ledger.transfers WHERE reverses = :payment));
SELECT awa_ledger.balance(3, 0, 1), awa_ledger.balance(4, 0, 1);
SELECT replayed FROM awa_ledger.reverse(:deposit);

-- merged change near 2^63: what would not fit is left alone
SELECT awa_ledger.create_account(20), awa_ledger.create_account(21);
SELECT count(pg_temp.pay(0, 20, 9223372036854775807 / 2)) FROM generate_series(1, 12);
SELECT pg_temp.pay(20, 21, 5) \g /dev/null
SELECT count(*), max(value) FROM awa_ledger.live_postings WHERE account = 20;
SELECT pg_temp.pay(20, 21, 9223372036854775807) \g /dev/null
SELECT sum(value) FROM awa_ledger.live_postings WHERE account = 20;
SELECT awa_ledger.consolidate(20, 0, 1), count(*) FROM awa_ledger.live_postings WHERE account = 20;
SELECT sum(value), count(*), max(value) FROM awa_ledger.live_postings WHERE account = 20;

-- consolidating: an account, one without a floor (signs are netted), what others hold is left, crowded ones
SELECT awa_ledger.create_account(22), awa_ledger.create_account(23), awa_ledger.create_account(24);
SELECT count(pg_temp.pay(0, 22, n)) FROM generate_series(1, 100) n;
SELECT awa_ledger.reserve(ARRAY(SELECT id FROM awa_ledger.postings_of(22) LIMIT 2), :r);
SELECT awa_ledger.consolidate(22, 0, 1, 50), awa_ledger.consolidate(22, 0, 1, 2), awa_ledger.consolidate(23, 0, 1);
SELECT state, count(*), sum(value) FROM awa_ledger.postings_of(22) GROUP BY state ORDER BY state;
SELECT awa_ledger.consolidate_crowded(), awa_ledger.consolidate_crowded();
SELECT awa_ledger.set_limits(24, 0, 1, NULL);
SELECT pg_temp.pay(24, 23, 10), pg_temp.pay(24, 23, 20), pg_temp.pay(23, 24, 30) \g /dev/null
SELECT awa_ledger.consolidate(24, 0, 1);
SELECT awa_ledger.has_live_postings(24, 0);
SELECT * FROM awa_ledger.verify();

-- whom it is granted to, and where it cannot be called
SET default_transaction_read_only = on;
SELECT call, pg_temp.said(call) FROM unnest(ARRAY['transfer(''[{"from": 0, "to": 1, "asset": 1, "amount": 1}]'')', 'transfer_many(''[]'')', 'reverse(101)', 'consolidate(1, 0, 1)', 'consolidate_crowded()', 'freeze_account(1)', 'unfreeze_account(1)', 'close_account(1)', 'set_limits(1, 0, 1)']) call;
RESET default_transaction_read_only;
