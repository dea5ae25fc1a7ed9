-- rebuild_live() makes the hot tables again from the truth; verify() finds every damage that was planted.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
SET datestyle = ISO;
SELECT setval('awa_ledger.id_seq', 1000) \g /dev/null
SELECT awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_asset(2, 'USD', 2), awa_ledger.create_account(1), awa_ledger.create_account(2), awa_ledger.create_account(3);
-- held, partly released, taken by another, spent, spent without a reservation
SELECT awa_ledger.insert_postings(array_fill(1::bigint, ARRAY[9]), '{0,1,2,3,4,5,6,7,8}', '{1,2,2,2,2,3,3,3,3}', array_fill(0::bigint, ARRAY[9]), array_fill(1, ARRAY[9]), '{-36,1,2,3,4,5,6,7,8}');
SELECT awa_ledger.reserve('{1:1,1:2,1:3,1:4,1:5}', 11), awa_ledger.release('{1:1,1:2}', 11), awa_ledger.reserve('{1:2,1:6}', 12), awa_ledger.release('{1:6}', 12), awa_ledger.reserve('{1:6}', 13);
BEGIN;
SELECT awa_ledger.consume('{1:3}', 11, 2), awa_ledger.deactivate('{1:7}', 2), awa_ledger.insert_postings('{2,2}', '{0,1}', '{2,3}', '{0,0}', '{1,1}', '{4,6}');
COMMIT;
-- versions of accounts and holds, as later verbs write them
INSERT INTO awa_ledger.accounts VALUES (2, 0, 2, NULL, '{frozen}'), (3, 0, 2, NULL, '{frozen,vip}'), (3, 0, 3, NULL, '{vip}');
UPDATE awa_ledger.account_heads SET version = 2, frozen = true WHERE account = 2;
UPDATE awa_ledger.account_heads SET version = 3 WHERE account = 3;
SELECT awa_ledger.insert_postings(array_fill(3::bigint, ARRAY[5]), '{0,1,2,3,4}', '{1,1,1,1,1}', array_fill(0::bigint, ARRAY[5]), array_fill(1, ARRAY[5]), '{-17,4,6,6,1}');
SELECT awa_ledger.reserve('{3:1}', 21), awa_ledger.reserve('{3:2}', 22), awa_ledger.reserve('{3:3}', 23);
INSERT INTO awa_ledger.holds (reservation, account, subaccount, asset, amount, created_at, expires_at, job_id, run_lease, transfer_id, idx)
VALUES (21, 1, 0, 1, 4, '2026-01-01', '2026-01-02', 7, 1, 3, 1), (22, 1, 0, 1, 6, '2026-01-01', '2026-01-02', 7, NULL, 3, 2), (23, 1, 0, 1, 6, '2026-01-01', NULL, NULL, NULL, 3, 3), (24, 1, 0, 1, 1, '2026-01-01', '2026-01-02', NULL, NULL, 3, 4);
INSERT INTO awa_ledger.hold_extensions VALUES (21, 1, '2026-01-03', '2026-01-01'), (21, 2, '2026-01-04', '2026-01-02'), (24, 1, '2026-01-03', '2026-01-01');
INSERT INTO awa_ledger.hold_outcomes VALUES (24, 'expired', '2026-01-03');
INSERT INTO awa_ledger.open_holds VALUES (21, '2026-01-04', 7, 1), (22, '2026-01-02', 7, NULL), (23, NULL, NULL, NULL);
SELECT * FROM awa_ledger.verify();
SELECT * FROM awa_ledger.rebuild_live();

CREATE TEMP TABLE before_postings AS TABLE awa_ledger.live_postings;
CREATE TEMP TABLE before_heads AS TABLE awa_ledger.account_heads;
CREATE TEMP TABLE before_holds AS TABLE awa_ledger.open_holds;
CREATE FUNCTION pg_temp.same() RETURNS boolean LANGUAGE sql AS $$
    SELECT NOT EXISTS ((TABLE before_postings EXCEPT ALL TABLE awa_ledger.live_postings) UNION ALL (TABLE awa_ledger.live_postings EXCEPT ALL TABLE before_postings))
       AND NOT EXISTS ((TABLE before_heads EXCEPT ALL TABLE awa_ledger.account_heads) UNION ALL (TABLE awa_ledger.account_heads EXCEPT ALL TABLE before_heads))
       AND NOT EXISTS ((TABLE before_holds EXCEPT ALL TABLE awa_ledger.open_holds) UNION ALL (TABLE awa_ledger.open_holds EXCEPT ALL TABLE before_holds)) $$;
-- emptied
DELETE FROM awa_ledger.live_postings; DELETE FROM awa_ledger.account_heads; DELETE FROM awa_ledger.open_holds;
SELECT * FROM awa_ledger.rebuild_live();
SELECT pg_temp.same();
SELECT * FROM awa_ledger.rebuild_live();
TRUNCATE awa_ledger.live_postings, awa_ledger.account_heads, awa_ledger.open_holds;
SELECT * FROM awa_ledger.rebuild_live();
SELECT pg_temp.same();
-- wrong in every way at once: another value, holder, owner; what is spent, what never was; gone
UPDATE awa_ledger.live_postings SET value = 99 WHERE (transfer_id, idx) = (1, 1);
UPDATE awa_ledger.live_postings SET reservation = NULL WHERE (transfer_id, idx) = (1, 2);
UPDATE awa_ledger.live_postings SET reservation = 77 WHERE (transfer_id, idx) IN ((1, 6), (2, 0));
UPDATE awa_ledger.live_postings SET account = 3 WHERE (transfer_id, idx) = (1, 4);
INSERT INTO awa_ledger.live_postings VALUES (1, 3, 1, 2, 0, 3, NULL), (1, 5, 1, 2, 0, 5, NULL), (9, 9, 1, 2, 0, 5, 11);
DELETE FROM awa_ledger.live_postings WHERE (transfer_id, idx) = (1, 0);
UPDATE awa_ledger.account_heads SET version = 1, frozen = false WHERE account = 2;
UPDATE awa_ledger.account_heads SET closed = true WHERE account = 3;
INSERT INTO awa_ledger.account_heads VALUES (9, 9, 1, false, false, false);
UPDATE awa_ledger.open_holds SET expires_at = '2026-01-03' WHERE reservation = 21;
UPDATE awa_ledger.open_holds SET reservation = 24 WHERE reservation = 22;
SELECT * FROM awa_ledger.verify();
SELECT * FROM awa_ledger.rebuild_live();
SELECT pg_temp.same();
SELECT * FROM awa_ledger.verify();
-- its snapshot must be newer than the lock
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT * FROM awa_ledger.rebuild_live();
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM awa_ledger.rebuild_live();
ROLLBACK;
BEGIN READ ONLY;
SELECT * FROM awa_ledger.rebuild_live();
ROLLBACK;
-- verify() runs in any
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY;
SELECT * FROM awa_ledger.verify();
COMMIT;

-- damage of the truth, one after the other, each told and undone
CREATE PROCEDURE pg_temp.planted(deed text) LANGUAGE plpgsql AS $$
DECLARE
    v record;
    n int := 0;
    truth regclass;
BEGIN
    FOR truth IN SELECT t FROM awa_ledger.truth_tables() t LOOP
        EXECUTE format('ALTER TABLE %s DISABLE TRIGGER keep_rows', truth);
        EXECUTE format('ALTER TABLE %s DISABLE TRIGGER keep_table', truth);
    END LOOP;
    EXECUTE deed;
    RAISE WARNING '%', deed;
    FOR v IN SELECT * FROM awa_ledger.verify() WHERE invariant <> 'truth_is_protected' LOOP
        RAISE WARNING '    % | % | %', v.invariant, v.object, regexp_replace(v.detail, '\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+\S*', '(a time)', 'g');
        n := n + 1;
    END LOOP;
    IF n = 0 THEN RAISE WARNING '    NOTHING TOLD'; END IF;
    RAISE EXCEPTION 'undone';
EXCEPTION WHEN raise_exception THEN NULL;
END $$;
CALL pg_temp.planted('DELETE FROM awa_ledger.postings WHERE (transfer_id, idx) = (1, 1)');
CALL pg_temp.planted('DELETE FROM awa_ledger.postings WHERE (transfer_id, idx) = (1, 3)');
CALL pg_temp.planted('INSERT INTO awa_ledger.postings VALUES (1, 99, 1, 1, 0, 5)');
CALL pg_temp.planted('INSERT INTO awa_ledger.postings VALUES (99, 0, 1, 1, 0, 0)');
CALL pg_temp.planted('UPDATE awa_ledger.postings SET value = value + 1 WHERE (transfer_id, idx) = (1, 8)');
CALL pg_temp.planted('UPDATE awa_ledger.postings SET account = 1 WHERE (transfer_id, idx) = (1, 8)');
CALL pg_temp.planted('UPDATE awa_ledger.postings SET account = 9 WHERE (transfer_id, idx) = (1, 3)');
CALL pg_temp.planted('UPDATE awa_ledger.postings SET asset = 2 WHERE (transfer_id, idx) = (1, 8)');
CALL pg_temp.planted('UPDATE awa_ledger.postings SET asset = 9 WHERE (transfer_id, idx) = (1, 3)');
CALL pg_temp.planted('DELETE FROM awa_ledger.spends WHERE (transfer_id, idx) = (1, 3)');
CALL pg_temp.planted('INSERT INTO awa_ledger.spends SELECT 1, transfer_id, 1 FROM awa_ledger.transfers WHERE transfer_id = 2');
CALL pg_temp.planted('INSERT INTO awa_ledger.spends SELECT 9, transfer_id, 9 FROM awa_ledger.transfers WHERE transfer_id = 2');
CALL pg_temp.planted('UPDATE awa_ledger.spends SET spent_by = 99 WHERE (transfer_id, idx) = (1, 3)');
CALL pg_temp.planted('ALTER TABLE awa_ledger.spends DROP CONSTRAINT spends_pkey; INSERT INTO awa_ledger.spends SELECT * FROM awa_ledger.spends WHERE idx = 3');
CALL pg_temp.planted('ALTER TABLE awa_ledger.postings DROP CONSTRAINT postings_pkey; INSERT INTO awa_ledger.postings SELECT * FROM awa_ledger.postings WHERE (transfer_id, idx) = (1, 3)');
CALL pg_temp.planted('DELETE FROM awa_ledger.transfers WHERE transfer_id = 2');
CALL pg_temp.planted('UPDATE awa_ledger.transfers SET reverses = 99 WHERE transfer_id = 2');
CALL pg_temp.planted('DELETE FROM awa_ledger.assets WHERE asset = 1');
CALL pg_temp.planted('DELETE FROM awa_ledger.accounts WHERE account = 3');
CALL pg_temp.planted('DELETE FROM awa_ledger.accounts WHERE account = 3 AND version = 2');
CALL pg_temp.planted('DELETE FROM awa_ledger.accounts WHERE account = 3 AND version = 3');
CALL pg_temp.planted('UPDATE awa_ledger.accounts SET flags = ''{closed}'' WHERE account = 3 AND version = 3');
CALL pg_temp.planted('INSERT INTO awa_ledger.limits VALUES (9, 0, 1, 1, 0, NULL)');
CALL pg_temp.planted('INSERT INTO awa_ledger.limits VALUES (1, 0, 1, 2, 0, NULL)');
CALL pg_temp.planted('DELETE FROM awa_ledger.reservation_log WHERE seq = 1');
CALL pg_temp.planted('DELETE FROM awa_ledger.reservation_log WHERE op = ''release''');
CALL pg_temp.planted('UPDATE awa_ledger.reservation_log SET reservation = 14 WHERE reservation = 13');
CALL pg_temp.planted('INSERT INTO awa_ledger.reservation_log VALUES (0, 11, ''reserve'', ''{9:9}'')');
CALL pg_temp.planted('INSERT INTO awa_ledger.reservation_log VALUES (99, 11, ''reserve'', ''{1:8}'')');
CALL pg_temp.planted('DELETE FROM awa_ledger.holds WHERE reservation IN (23, 24)');
CALL pg_temp.planted('INSERT INTO awa_ledger.hold_requests VALUES (99, now(), 1, '''', ''k'')');
CALL pg_temp.planted('INSERT INTO awa_ledger.hold_requests VALUES (23, now(), 1, '''', ''k''); UPDATE awa_ledger.transfers SET request_key = ''k'', request_hash = '''' WHERE transfer_id = 1');
CALL pg_temp.planted('INSERT INTO awa_ledger.hold_outcomes VALUES (23, ''voided'', now())');
CALL pg_temp.planted('INSERT INTO awa_ledger.hold_extensions VALUES (22, 1, ''2026-01-09'', now())');
CALL pg_temp.planted('INSERT INTO awa_ledger.hold_extensions VALUES (21, 4, ''2026-01-04'', now())');
CALL pg_temp.planted('INSERT INTO awa_ledger.hold_outcomes VALUES (23, ''posted'', now(), 2)');
CALL pg_temp.planted('UPDATE awa_ledger.holds SET amount = 5 WHERE reservation = 21');
CALL pg_temp.planted('UPDATE awa_ledger.holds SET idx = 4 WHERE reservation = 21');
CALL pg_temp.planted('UPDATE awa_ledger.holds SET idx = 9 WHERE reservation = 21');
CALL pg_temp.planted('INSERT INTO awa_ledger.reservation_log VALUES (99, 21, ''reserve'', ''{1:8}'')');
CALL pg_temp.planted('SELECT setval(''awa_ledger.id_seq'', 5), setval(''awa_ledger.log_seq'', 1, false)');
-- sequences are not transactional; after_restore() moves them beyond what is in use
SELECT invariant, object, detail FROM awa_ledger.verify();
CALL awa.after_restore();
SELECT * FROM awa_ledger.verify();
SELECT last_value FROM awa_ledger.id_seq;
-- rows that are not what a table can hold do not get in
\set VERBOSITY sqlstate
INSERT INTO awa_ledger.assets VALUES (-1, 'x', 0);
INSERT INTO awa_ledger.accounts VALUES (9, 0, 0, NULL);
INSERT INTO awa_ledger.transfers VALUES (0, '3', now(), now(), NULL, 1);
INSERT INTO awa_ledger.postings VALUES (1, -1, 1, 1, 0, 0);
INSERT INTO awa_ledger.postings VALUES (1, 50, 1, 1, 0, -9223372036854775808);
INSERT INTO awa_ledger.spends VALUES (1, 2, 3);
INSERT INTO awa_ledger.limits VALUES (1, 0, 1, 1, 5, 4);
INSERT INTO awa_ledger.reservation_log VALUES (98, 1, 'reserve', '{}');
INSERT INTO awa_ledger.reservation_log VALUES (98, 1, 'other', '{1:1}');
INSERT INTO awa_ledger.holds (reservation, account, subaccount, asset, amount, created_at, transfer_id, idx) VALUES (99, 1, 0, 1, 0, now(), 1, 1);
INSERT INTO awa_ledger.holds (reservation, account, subaccount, asset, amount, created_at, run_lease, transfer_id, idx) VALUES (99, 1, 0, 1, 1, now(), 1, 1, 1);
INSERT INTO awa_ledger.hold_outcomes VALUES (24, 'posted', now());
INSERT INTO awa_ledger.hold_outcomes VALUES (23, 'lost', now());
INSERT INTO awa_ledger.hold_requests VALUES (24, now(), 1, '', '');
INSERT INTO awa_ledger.transfers VALUES (99, '3', now(), now(), NULL, 1, '', '');
INSERT INTO awa_ledger.transfers VALUES (99, '3', now(), now(), NULL, 1, NULL, 'k');
