-- Holds: what is set aside, posted, voided, expired; what they do to balances, limits and keys. Those of jobs: ledger_bound_holds.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
\pset format unaligned
SET timezone = 'UTC';
SET datestyle = ISO;
SELECT setval('awa_ledger.id_seq', 100) \g /dev/null
SELECT awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_asset(2, 'USD', 2);
SELECT count(awa_ledger.create_account(n)) FROM generate_series(0, 19) n;
SELECT awa_ledger.create_account(1, 7), awa_ledger.set_limits(0, 0, 1, NULL), awa_ledger.set_limits(0, 0, 2, NULL);
CREATE FUNCTION pg_temp.legs(payer bigint, receiver bigint, amount bigint, asset int DEFAULT 1) RETURNS jsonb LANGUAGE sql AS
    $$ SELECT jsonb_build_array(jsonb_build_object('from', payer, 'to', receiver, 'asset', asset, 'amount', amount)) $$;
CREATE FUNCTION pg_temp.pay(payer bigint, receiver bigint, amount bigint, asset int DEFAULT 1) RETURNS bigint LANGUAGE sql AS
    $$ SELECT transfer_id FROM awa_ledger.transfer(pg_temp.legs(payer, receiver, amount, asset)) $$;
CREATE FUNCTION pg_temp.values_of(account bigint, asset int DEFAULT 1) RETURNS text LANGUAGE sql AS
    $$ SELECT string_agg(concat(p.value, CASE p.state WHEN 'active' THEN '' ELSE ' ' || p.state END), ', ' ORDER BY p.value, p.id) FROM awa_ledger.postings_of(account, 0, asset) p $$;
CREATE FUNCTION pg_temp.fate(hold bigint) RETURNS text LANGUAGE sql AS
    $$ SELECT concat_ws(' ', coalesce(o.outcome, 'open'), CASE WHEN o.with_job THEN 'with its job' END, CASE WHEN o.transfer_id IS NOT NULL THEN 'with a transfer' END)
       FROM awa_ledger.holds LEFT JOIN awa_ledger.hold_outcomes o USING (reservation) WHERE reservation = hold $$;
CREATE FUNCTION pg_temp.said(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; hint text; answer text;
BEGIN
    EXECUTE 'SELECT x::text FROM ' || call || ' x' INTO answer;
    RETURN concat('done: ', answer);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN regexp_replace(regexp_replace(concat_ws(' | ', SQLSTATE, SQLERRM, nullif(detail, ''), nullif(hint, '')), '\d{4,}-\d\d-\d\d [\d:.]+\+\d\d', 'TIME', 'g'), '(hold|transfer|Reservation) \d{3,18}\M', '\1 N', 'g');
END $$;

-- it counts in the balance, and cannot be spent
SELECT pg_temp.pay(0, 1, 100) > 0;
SELECT awa_ledger.hold(1, 0, 1, 30, '1 hour', 'a chair') AS chair \gset
SELECT pg_temp.values_of(1), awa_ledger.balance(1, 0, 1) AS live, awa_ledger.balance(1, 0, 1, 'active') AS active, awa_ledger.balance(1, 0, 1, 'reserved') AS reserved;
SELECT pg_temp.said('pg_temp.pay(1, 2, 71)'), pg_temp.pay(1, 2, 70) > 0;
-- D12: it tells since when, until when, of whom and what for
SELECT account, subaccount, asset, amount, purpose, expires_at - created_at AS lasts, created_at <= now() + '1 min' AS since, job_id, run_lease, receipt, is_floor FROM awa_ledger.holds WHERE reservation = :chair;
SELECT reservation = :chair, job_id, run_lease FROM awa_ledger.open_holds;
-- posted in part: the rest returns
SELECT awa_ledger.post(:chair, pg_temp.legs(1, 3, 20) || pg_temp.legs(1, 4, 3) || pg_temp.legs(1, 3, 2), '2026-01-01', '{"order": 7}') AS paid \gset
SELECT pg_temp.values_of(1), pg_temp.values_of(3), pg_temp.values_of(4), pg_temp.fate(:chair), (SELECT count(*) FROM awa_ledger.open_holds);
SELECT effective_at, metadata, o.reservation = :chair FROM awa_ledger.transfers JOIN awa_ledger.hold_outcomes o USING (transfer_id) WHERE transfer_id = :paid;
SELECT string_agg(op, ', ' ORDER BY seq) FROM awa_ledger.reservation_log WHERE reservation = :chair;
-- D10: over is over; the same again is another hold
SELECT call, pg_temp.said(format(call, :chair)) FROM unnest(ARRAY['awa_ledger.post(%s, pg_temp.legs(1, 3, 1))', 'awa_ledger.void(%s)', 'awa_ledger.extend_hold(%s, ''1 hour'')']) call;
SELECT pg_temp.pay(0, 1, 95) > 0;
SELECT awa_ledger.hold(1, 0, 1, 30, '1 hour', 'a chair') AS again, awa_ledger.hold(1, 0, 1, 30, '1 hour', 'a chair') AS third \gset
SELECT :again > :chair, :third > :again, pg_temp.values_of(1);
-- all of it, and voided
SELECT awa_ledger.post(:again, pg_temp.legs(1, 3, 30)) > 0, awa_ledger.void(:third), awa_ledger.void(:third);
SELECT pg_temp.values_of(1), pg_temp.fate(:again), pg_temp.fate(:third), (SELECT count(*) FROM awa_ledger.open_holds);
SELECT pg_temp.said(format('awa_ledger.post(%s, pg_temp.legs(1, 3, 1))', :third));
-- not beyond what is held; only from its account in its asset, as legs
SELECT awa_ledger.hold(1, 0, 1, 10) AS ten \gset
SELECT call, pg_temp.said(format(call, :ten)) FROM unnest(ARRAY['awa_ledger.post(%s, pg_temp.legs(1, 3, 11))', 'awa_ledger.post(%s, pg_temp.legs(1, 3, 6) || pg_temp.legs(1, 4, 5))', 'awa_ledger.post(%s, pg_temp.legs(3, 1, 1))',
    'awa_ledger.post(%s, pg_temp.legs(1, 3, 1, 2))', 'awa_ledger.post(%s, ''[{"from": [1, 7], "to": 3, "asset": 1, "amount": 1}]'')', 'awa_ledger.post(%s, ''{"creates": [{"account": 3, "asset": 1, "value": 0}]}'')', 'awa_ledger.post(%s, ''[]'')',
    'awa_ledger.post(%s, pg_temp.legs(1, 99, 1))', 'awa_ledger.post(%s, pg_temp.legs(1, 3, 9223372036854775807) || pg_temp.legs(1, 3, 9223372036854775807))']) call;
SELECT pg_temp.fate(:ten), awa_ledger.post(:ten, '[{"from": 1, "to": [1, 7], "asset": 1, "amount": 4}, {"from": [1, 0], "to": 3, "asset": 1, "amount": "5"}]') > 0;
SELECT pg_temp.values_of(1), awa_ledger.balance(1, 7, 1);

-- D11: one that failed leaves nothing, not its key either
SELECT pg_temp.said('awa_ledger.hold(5, 0, 1, 10, idempotency_key => ''trade 1'')');
SELECT (SELECT count(*) FROM awa_ledger.holds WHERE account = 5), (SELECT count(*) FROM awa_ledger.hold_requests WHERE key = 'trade 1'), (SELECT count(*) FROM awa_ledger.postings WHERE account = 5);
SELECT pg_temp.pay(0, 5, 10) > 0, awa_ledger.hold(5, 0, 1, 10, idempotency_key => 'trade 1') > 0, pg_temp.values_of(5);
-- keys: the first answer, over or not; anything else is refused; another verb as well
SELECT awa_ledger.hold(5, 0, 1, 10, idempotency_key => 'trade 1') = reservation, pg_temp.values_of(5) FROM awa_ledger.open_holds JOIN awa_ledger.holds USING (reservation) WHERE account = 5;
SELECT call, pg_temp.said(call) FROM unnest(ARRAY['awa_ledger.hold(5, 0, 1, 9, idempotency_key => ''trade 1'')', 'awa_ledger.hold(5, 0, 1, 10, ''1 h'', idempotency_key => ''trade 1'')', 'awa_ledger.hold(5, 0, 1, 10, NULL, ''x'', idempotency_key => ''trade 1'')',
    'awa_ledger.hold(6, 0, 1, 10, idempotency_key => ''trade 1'')', 'awa_ledger.transfer(pg_temp.legs(5, 3, 1), ''trade 1'')']) call;
SELECT awa_ledger.void(reservation), awa_ledger.hold(5, 0, 1, 10, idempotency_key => 'trade 1') = reservation, pg_temp.values_of(5) FROM awa_ledger.holds WHERE account = 5;
-- without a key equal holds are as many holds
SELECT awa_ledger.hold(5, 0, 1, 5) <> awa_ledger.hold(5, 0, 1, 5), pg_temp.values_of(5);

-- limits: a credit can be held, what a floor keeps back cannot; for a ceiling what is held is there
SELECT awa_ledger.set_limits(6, 0, 1, -50);
SELECT pg_temp.said('awa_ledger.hold(6, 0, 1, 51)'), awa_ledger.hold(6, 0, 1, 50) > 0, pg_temp.values_of(6), awa_ledger.balance(6, 0, 1);
SELECT pg_temp.said('awa_ledger.set_limits(6, 0, 1, -40)'), awa_ledger.void(reservation), awa_ledger.set_limits(6, 0, 1, -40), pg_temp.values_of(6) FROM awa_ledger.holds WHERE account = 6;
SELECT pg_temp.pay(0, 7, 30) > 0, awa_ledger.set_limits(7, 0, 1, 10), pg_temp.said('awa_ledger.hold(7, 0, 1, 21)'), awa_ledger.hold(7, 0, 1, 20) > 0, pg_temp.values_of(7);
SELECT call, pg_temp.said(format(call, reservation)) FROM awa_ledger.holds, unnest(ARRAY['awa_ledger.post(%s, pg_temp.legs(7, 3, 1))', 'awa_ledger.void(%s)', 'awa_ledger.extend_hold(%s, ''1 hour'')']) call WHERE account = 7 AND is_floor;
SELECT awa_ledger.set_limits(8, 0, 1, 0, 100), pg_temp.pay(0, 8, 90) > 0, awa_ledger.hold(8, 0, 1, 40) > 0, pg_temp.said('pg_temp.pay(0, 8, 11)'), pg_temp.pay(0, 8, 10) > 0;
SELECT pg_temp.values_of(8), pg_temp.said('pg_temp.pay(0, 8, 1)'), awa_ledger.post(reservation, pg_temp.legs(8, 3, 15)) > 0, pg_temp.pay(0, 8, 15) > 0, pg_temp.said('pg_temp.pay(0, 8, 1)') FROM awa_ledger.holds WHERE account = 8;
-- who receives a post has limits, too
SELECT awa_ledger.hold(3, 0, 1, 10) AS ten \gset
SELECT pg_temp.said(format('awa_ledger.post(%s, pg_temp.legs(3, 8, 1))', :ten)), pg_temp.fate(:ten), awa_ledger.void(:ten);
-- without a floor nothing is selected
SELECT awa_ledger.hold(0, 0, 2, 25) AS world \gset
SELECT pg_temp.values_of(0, 2), awa_ledger.balance(0, 0, 2);
SELECT awa_ledger.post(:world, pg_temp.legs(0, 9, 20, 2)) > 0, pg_temp.values_of(0, 2), pg_temp.values_of(9, 2);

-- frozen: nothing is held or posted; it can be voided, and expires
SELECT pg_temp.pay(0, 10, 100) AS paid, awa_ledger.hold(10, 0, 1, 10) AS one, awa_ledger.hold(10, 0, 1, 10, '1 us') AS two, awa_ledger.hold(3, 0, 1, 5) AS three \gset
SELECT awa_ledger.freeze_account(10);
SELECT call, pg_temp.said(format(call, :one, :three)) FROM unnest(ARRAY['awa_ledger.hold(10, 0, 1, 1)', 'awa_ledger.post(%s, pg_temp.legs(10, 3, 1))', 'awa_ledger.post(%2$s, pg_temp.legs(3, 10, 1))', 'awa_ledger.void(%s)', 'awa_ledger.expire_due()']) call;
SELECT pg_temp.fate(:one), pg_temp.fate(:two), pg_temp.fate(:three), pg_temp.values_of(10), awa_ledger.void(:three);
-- closed: not while anything is held
SELECT awa_ledger.unfreeze_account(10) AS unfrozen, awa_ledger.hold(10, 0, 1, 10) AS one \gset
SELECT pg_temp.said('awa_ledger.close_account(10)'), awa_ledger.post(:one, pg_temp.legs(10, 3, 10)) > 0, pg_temp.pay(10, 3, 90) > 0, awa_ledger.close_account(10);
SELECT pg_temp.said('awa_ledger.hold(10, 0, 1, 1)');

-- time: before, at and after. A hold's time is moved, as that is quicker than waiting
CREATE PROCEDURE pg_temp.due_in(hold bigint, span interval) LANGUAGE plpgsql AS $$
BEGIN
    ALTER TABLE awa_ledger.holds DISABLE TRIGGER USER;
    UPDATE awa_ledger.holds SET expires_at = clock_timestamp() + span WHERE reservation = hold;
    UPDATE awa_ledger.open_holds SET expires_at = clock_timestamp() + span WHERE reservation = hold;
    ALTER TABLE awa_ledger.holds ENABLE ALWAYS TRIGGER keep_rows, ENABLE ALWAYS TRIGGER keep_table;
END $$;
SELECT pg_temp.pay(0, 11, 100) AS paid, awa_ledger.hold(11, 0, 1, 10, '1 hour') AS h1, awa_ledger.hold(11, 0, 1, 11, '1 hour') AS h2, awa_ledger.hold(11, 0, 1, 12, '1 hour') AS h3, awa_ledger.hold(11, 0, 1, 13) AS h4, awa_ledger.hold(11, 0, 1, 14, '1 hour') AS h5 \gset
SELECT awa_ledger.expire_due(), pg_temp.values_of(11);
CALL pg_temp.due_in(:h1, '0');
CALL pg_temp.due_in(:h2, '-1 s');
CALL pg_temp.due_in(:h3, '39 s');
-- its time has passed: it cannot be posted or extended, expired or not
SELECT call, pg_temp.said(format(call, :h1)) FROM unnest(ARRAY['awa_ledger.post(%s, pg_temp.legs(11, 3, 1))', 'awa_ledger.extend_hold(%s, ''1 hour'')']) call;
SELECT pg_temp.fate(:h1), pg_temp.fate(:h2), pg_temp.values_of(11);
-- voided then, it has expired
SELECT awa_ledger.void(:h2), pg_temp.fate(:h2), awa_ledger.void(:h2);
SELECT awa_ledger.expire_due(), awa_ledger.expire_due();
SELECT pg_temp.fate(:h1), pg_temp.fate(:h2), pg_temp.fate(:h3), pg_temp.fate(:h4), pg_temp.fate(:h5), pg_temp.values_of(11);
SELECT pg_temp.said(format('awa_ledger.post(%s, pg_temp.legs(11, 3, 1))', :h1)), awa_ledger.void(:h1);
-- extended, it counts from the end it had
SELECT round(extract(epoch FROM awa_ledger.extend_hold(:h3, '1 min') - clock_timestamp()) / 20), round(extract(epoch FROM awa_ledger.extend_hold(:h3, '1 min') - clock_timestamp()) / 20);
SELECT count(*), (SELECT expires_at FROM awa_ledger.open_holds WHERE reservation = :h3) = max(expires_at) FROM awa_ledger.hold_extensions WHERE reservation = :h3;
SELECT pg_temp.said(format('awa_ledger.extend_hold(%s, ''1 hour'')', :h4)), pg_temp.said(format('awa_ledger.extend_hold(%s, ''100 years'')', :h3));
SELECT pg_temp.fate(:h3), awa_ledger.post(:h3, pg_temp.legs(11, 3, 12)) > 0, awa_ledger.post(:h4, pg_temp.legs(11, 3, 13)) > 0;
-- due first, first ended; as many as asked for
SELECT awa_ledger.hold(11, 0, 1, 5, '1 us') AS h6, awa_ledger.hold(11, 0, 1, 6, '2 us') AS h7 \gset
SELECT awa_ledger.expire_due(1), pg_temp.fate(:h6), pg_temp.fate(:h7), awa_ledger.expire_due(1000), awa_ledger.void(:h5);
-- in one transaction; taken back by a savepoint; in REPEATABLE READ what was committed by now counts
BEGIN;
SELECT awa_ledger.hold(11, 0, 1, 5) AS h8 \gset
SAVEPOINT s;
SELECT awa_ledger.post(:h8, pg_temp.legs(11, 3, 1)) > 0;
ROLLBACK TO s;
SELECT awa_ledger.void(:h8), awa_ledger.hold(11, 0, 1, 6) AS h9 \gset
SELECT awa_ledger.post(:h9, pg_temp.legs(11, 3, 1)) > 0;
COMMIT;
SELECT pg_temp.fate(:h8), pg_temp.fate(:h9);
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT awa_ledger.hold(11, 0, 1, 5, '1 hour') AS h10 \gset
SELECT awa_ledger.extend_hold(:h10, '1 s') > now(), awa_ledger.post(:h10, pg_temp.legs(11, 3, 1)) > 0, awa_ledger.void(awa_ledger.hold(11, 0, 1, 5));
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT awa_ledger.post(awa_ledger.hold(11, 0, 1, 5), pg_temp.legs(11, 3, 1)) > 0, awa_ledger.void(awa_ledger.hold(11, 0, 1, 5));
COMMIT;

-- told as it happened
SELECT event, account, asset, detail - 'reservation' - 'expires_at' AS detail, transfer_id IS NOT NULL AS has_transfer FROM awa_ledger.events(max_rows => 10000) WHERE event LIKE 'hold%' AND account IN (1, 11) AND happened_at IS NOT NULL AND (detail ->> 'reservation')::bigint IN (:chair, :third, :h2, :h3);
SELECT count(*) FILTER (WHERE event = 'hold_made') AS made, count(*) FILTER (WHERE event ~ 'posted|voided|expired') AS ended, (SELECT count(*) FROM awa_ledger.holds WHERE NOT is_floor) = count(*) FILTER (WHERE event = 'hold_made') AS all_told FROM awa_ledger.events(max_rows => 10000);

-- arguments
SELECT call, pg_temp.said('awa_ledger.' || call) FROM unnest(ARRAY[
    'hold(NULL, 0, 1, 1)', 'hold(1, NULL, 1, 1)', 'hold(1, 0, NULL, 1)', 'hold(1, 0, 1, NULL)', 'hold(1, 0, 1, 0)', 'hold(1, 0, 1, -1)', 'hold(1, 0, 1, -9223372036854775808)', 'hold(1, 0, 1, 9223372036854775807)', 'hold(1, 0, -1, 1)', 'hold(1, 0, 99, 1)', 'hold(99, 0, 1, 1)', 'hold(1, 99, 1, 1)',
    'hold(1, 0, 1, 1, ''0'')', 'hold(1, 0, 1, 1, ''-1 s'')', 'hold(1, 0, 1, 1, ''101 years'')', 'hold(1, 0, 1, 1, ''178000000 years'')', 'hold(1, 0, 1, 1, NULL, '''')', 'hold(1, 0, 1, 1, NULL, repeat(''x'', 201))', 'hold(1, 0, 1, 1, bind => NULL)', 'hold(1, 0, 1, 1, bind => ''queue'')', 'hold(1, 0, 1, 1, bind => '''')',
    'hold(1, 0, 1, 1, idempotency_key => '''')', 'hold(1, 0, 1, 1, idempotency_key => repeat(''x'', 201))', 'hold(1, 0, 1, 1, receipt => ''0:1:2:3:4:5'')', 'hold(1, 0, 1, 1, receipt => ''x'')',
    'extend_hold(NULL, ''1 s'')', 'extend_hold(1, NULL)', 'extend_hold(1, ''0'')', 'extend_hold(1, ''-1 s'')', 'extend_hold(1, ''101 years'')', 'extend_hold(1, ''1 s'')', 'extend_hold(-1, ''1 s'')', 'extend_hold(9223372036854775807, ''1 s'')',
    'post(NULL, pg_temp.legs(1, 2, 1))', 'post(1, NULL)', 'post(1, pg_temp.legs(1, 2, 0))', 'post(1, pg_temp.legs(1, 2, -1))', 'post(1, ''5'')', 'post(1, pg_temp.legs(1, 2, 1), ''infinity'')', 'post(1, pg_temp.legs(1, 2, 1), metadata => NULL)', 'post(1, pg_temp.legs(1, 2, 1))', 'post(0, pg_temp.legs(1, 2, 1))', 'post(1, pg_temp.legs(1, 2, 1), receipt => ''0:1:2:3:4:5'')',
    'void(NULL)', 'void(1)', 'void(-1)', 'expire_due(NULL)', 'expire_due(0)', 'expire_due(-1)', 'expire_due(1001)']) call;
SELECT awa_ledger.new_ids() AS mine \gset
SELECT pg_temp.said(format('awa_ledger.void(%s)', :mine));
BEGIN READ ONLY;
SELECT call, pg_temp.said('awa_ledger.' || call) FROM unnest(ARRAY['hold(1, 0, 1, 1)', 'extend_hold(1, ''1 s'')', 'post(1, pg_temp.legs(1, 2, 1))', 'void(1)', 'expire_due()']) call;
ROLLBACK;
SELECT * FROM awa_ledger.verify();
SELECT * FROM awa_ledger.rebuild_live();
-- the duty
SELECT awa_ledger.hold(3, 0, 1, 1, '1 us') > 0, awa_ledger.hold(3, 0, 1, 1, '1 us') > 0;
CALL awa.maintain();
SELECT last_outcome, affected_total, (SELECT count(*) FROM awa_ledger.open_holds WHERE expires_at < now()) AS due FROM awa.duty_status WHERE duty = 'expire_holds';
-- open_holds made again
SELECT awa_ledger.extend_hold(awa_ledger.hold(3, 0, 1, 1, '1 hour'), '1 hour') IS NOT NULL;
CREATE TEMP TABLE before AS TABLE awa_ledger.open_holds;
DELETE FROM awa_ledger.open_holds;
UPDATE awa_ledger.live_postings SET reservation = NULL;
SELECT hot_table, inserted > 0 AS inserted, changed > 0 AS changed FROM awa_ledger.rebuild_live();
SELECT count(*) FROM (TABLE before EXCEPT ALL TABLE awa_ledger.open_holds) x;
SELECT * FROM awa_ledger.verify();
