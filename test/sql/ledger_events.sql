-- What happened, told in pages; and balances of the past.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
\pset format unaligned
SELECT setval('awa_ledger.id_seq', 100) \g /dev/null
CREATE FUNCTION pg_temp.pay(payer bigint, receiver bigint, amount bigint) RETURNS bigint LANGUAGE sql AS
    $$ SELECT transfer_id FROM awa_ledger.transfer(jsonb_build_array(jsonb_build_object('from', payer, 'to', receiver, 'asset', 1, 'amount', amount))) $$;
SELECT count(*) FROM awa_ledger.events();
SELECT awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_account(0, flags => '{world}'), awa_ledger.create_account(1, code => 'ann'), awa_ledger.create_account(2, 3);
SELECT awa_ledger.set_limits(0, 0, 1, NULL);
SELECT * FROM awa_ledger.transfer('[{"from": 0, "to": 1, "asset": 1, "amount": 50}]', metadata => '{"a": 1}', effective_at => '2020-01-01');
SELECT awa_ledger.freeze_account(1), awa_ledger.unfreeze_account(1);
SELECT reversal FROM awa_ledger.reverse(101);
SELECT awa_ledger.close_account(1);
-- 40, 41, 46: in order, once each
SELECT event, transfer_id, account, subaccount, asset, detail - 'effective_at', happened_at <= clock_timestamp() AS past FROM awa_ledger.events();
-- 35, 47: pages of two: the same, and then nothing
CREATE FUNCTION pg_temp.pages(size int, after text DEFAULT NULL) RETURNS TABLE (page int, events text, last text) LANGUAGE plpgsql AS $$
BEGIN
    last := after;
    FOR n IN 1 .. 1000 LOOP
        page := n;
        SELECT string_agg(concat(e.event, ' ', coalesce(e.transfer_id, e.account)), ', '), coalesce(max(e.cursor) FILTER (WHERE e.n = e.count), last)
        INTO events, last
        FROM (SELECT *, row_number() OVER () AS n, count(*) OVER () AS count FROM awa_ledger.events(last, size)) e;
        RETURN NEXT;
        EXIT WHEN events IS NULL;
    END LOOP;
END $$;
SELECT page, events FROM pg_temp.pages(2);
SELECT (SELECT string_agg(events, ', ' ORDER BY page) FROM pg_temp.pages(1)) = (SELECT string_agg(events, ', ' ORDER BY page) FROM pg_temp.pages(100)) AS same;
-- what this transaction did is not settled
SELECT last FROM pg_temp.pages(100) ORDER BY page DESC LIMIT 1 \gset
BEGIN;
SELECT pg_temp.pay(0, 0 + awa_ledger.create_account(3)::int * 3, 5);
SELECT count(*) FROM awa_ledger.events(:'last');
COMMIT;
SELECT event, coalesce(transfer_id, account) FROM awa_ledger.events(:'last');
-- what a savepoint took back never happened
BEGIN;
SAVEPOINT a;
SELECT pg_temp.pay(0, 3, 6);
ROLLBACK TO a;
SELECT pg_temp.pay(0, 3, 7);
COMMIT;
SELECT event, transfer_id FROM awa_ledger.events(:'last') OFFSET 2;
-- after a restore, which begins an epoch: nothing twice, nothing left out
SELECT last AS all_told FROM pg_temp.pages(100) ORDER BY page DESC LIMIT 1 \gset
CALL awa.after_restore();
SELECT count(*) FROM awa_ledger.events(:'all_told');
SELECT pg_temp.pay(0, 3, 8), pg_temp.pay(0, 3, 9);
SELECT event, transfer_id FROM awa_ledger.events(:'all_told');
SELECT event, coalesce(transfer_id, account) FROM awa_ledger.events(:'last');
CALL awa.after_restore();
SELECT pg_temp.pay(0, 3, 10);
SELECT page, events FROM pg_temp.pages(3, :'last');
SELECT count(*) = (SELECT count(*) FROM awa_ledger.happenings) FROM awa_ledger.events();
-- what is no cursor, or of no time of this ledger
\set VERBOSITY terse
SELECT * FROM awa_ledger.events('x');
SELECT * FROM awa_ledger.events('');
SELECT * FROM awa_ledger.events('1|1:1:|5:3:|4|7');
SELECT * FROM awa_ledger.events('9|1:1:|9:9:|4|7');
SELECT * FROM awa_ledger.events(replace(:'all_told', '1|', '3|'), 10) LIMIT 0;
SELECT * FROM awa_ledger.events('3|1:1:|999999999:999999999:|4|7');
SELECT * FROM awa_ledger.events(max_rows => 0);
SELECT * FROM awa_ledger.events(max_rows => NULL);
\set VERBOSITY default
-- a page of a long history reads its own rows
SELECT count(pg_temp.pay(0, 3, 1)) FROM generate_series(1, 300);
CREATE FUNCTION pg_temp.reads(call text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || call INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::int + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::int;
END $$;
SELECT pg_temp.reads('SELECT * FROM awa_ledger.events(NULL, 10)') AS first_call \g /dev/null
SELECT pg_temp.reads('SELECT * FROM awa_ledger.events(NULL, 10)') < 200 AS few;

-- 53, 54: balances of the past, at any time, for ever
SELECT awa_ledger.create_account(10), awa_ledger.create_account(11);
SELECT pg_temp.pay(0, 10, 100) AS one \gset
SELECT clock_timestamp() AS t1 \gset
SELECT pg_temp.pay(10, 11, 30), pg_temp.pay(10, 11, 20) \g /dev/null
SELECT clock_timestamp() AS t2 \gset
SELECT pg_temp.pay(11, 10, 50) \g /dev/null
SELECT awa_ledger.new_ids() AS r \gset
SELECT awa_ledger.reserve(ARRAY(SELECT id FROM awa_ledger.postings_of(10)), :r) > 0;
SELECT at, awa_ledger.balance_at(10, 0, 1, at) AS ten, awa_ledger.balance_at(11, 0, 1, at) AS eleven, awa_ledger.balance_at(10, 0, 2, at) AS other
FROM (SELECT 'before' AS name, '2020-01-01'::timestamptz AS at UNION ALL SELECT 't1', :'t1' UNION ALL SELECT 't2', :'t2' UNION ALL SELECT 'now', clock_timestamp()) times \g (tuples_only) | sed 's/^[^|]*|//'
-- at the moment of a transfer it has happened
SELECT awa_ledger.balance_at(10, 0, 1, committed_at), awa_ledger.balance_at(10, 0, 1, committed_at - interval '1 us') FROM awa_ledger.transfers WHERE transfer_id = :one;
DO $$
BEGIN
    PERFORM awa_ledger.balance_at(10, 0, 1, clock_timestamp() + interval '1 s');
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING '%: %', SQLSTATE, regexp_replace(SQLERRM, 'at .* is', 'at T is');
END $$;
-- what this transaction did counts for it
BEGIN;
SELECT pg_temp.pay(0, 10, 1000) \g /dev/null
SELECT awa_ledger.balance_at(10, 0, 1, clock_timestamp());
ROLLBACK;
SELECT awa_ledger.balance_at(10, 0, 1, clock_timestamp());
SELECT count(pg_temp.pay(0, 11, 9223372036854775807)) FROM generate_series(1, 2);
SELECT awa_ledger.balance_at(11, 0, 1, clock_timestamp());
SELECT * FROM awa_ledger.verify();
