-- A transaction that leaves a transfer unbalanced does not commit, however it ends.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
SELECT setval('awa_ledger.id_seq', 1000) \g /dev/null
SELECT awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_asset(2, 'USD', 2), awa_ledger.create_account(1), awa_ledger.create_account(2);
SELECT awa_ledger.insert_postings('{1,1,1,1}', '{0,1,2,3}', '{1,2,2,2}', '{0,0,0,0}', '{1,1,1,1}', '{-60,10,20,30}');
SELECT awa_ledger.insert_postings('{2,2}', '{0,1}', '{1,2}', '{0,0}', '{2,2}', '{-7,7}');
CREATE FUNCTION pg_temp.create(transfer bigint, idx int, asset int, value bigint) RETURNS int LANGUAGE sql AS
    $$ SELECT awa_ledger.insert_postings(ARRAY[transfer], ARRAY[idx], '{2}', '{0}', ARRAY[asset], ARRAY[value]) $$;

-- created out of nothing, spent into nothing, of another asset, by another transfer
SELECT pg_temp.create(3, 0, 1, 10);
SELECT pg_temp.create(3, 0, 1, -10);
SELECT awa_ledger.deactivate('{1:1}', 3);
SELECT awa_ledger.reserve('{1:1}', 11);
SELECT awa_ledger.consume('{1:1}', 11, 3);
BEGIN;
SELECT awa_ledger.consume('{1:1}', 11, 3), pg_temp.create(3, 0, 1, 11);
COMMIT;
BEGIN;
SELECT awa_ledger.consume('{1:1}', 11, 3), pg_temp.create(3, 0, 2, 10);
COMMIT;
BEGIN;
SELECT awa_ledger.consume('{1:1}', 11, 3), pg_temp.create(4, 0, 1, 10);
COMMIT;
-- two that are wrong by the same amount; the first is named
BEGIN;
SELECT awa_ledger.consume('{1:1}', 11, 3), awa_ledger.deactivate('{1:2}', 4), pg_temp.create(4, 0, 1, 10), pg_temp.create(3, 0, 1, 20);
COMMIT;
-- differences that 64 bits would lose
BEGIN;
SELECT pg_temp.create(3, n, 1, 4611686018427387904) FROM generate_series(0, 3) n;
COMMIT;
SELECT count(*) FROM awa_ledger.transfers;
SELECT * FROM awa_ledger.verify();

-- what is balanced in the end commits: in either order, over several calls, several transfers
BEGIN;
SELECT pg_temp.create(3, 0, 1, 4);
SELECT awa_ledger.consume('{1:1}', 11, 3);
SELECT pg_temp.create(3, 5, 1, 6);
SELECT awa_ledger.deactivate('{3:5}', 4), pg_temp.create(4, 0, 1, 6);
COMMIT;
SELECT id, state, spent_by FROM awa_ledger.postings_of(2, 0, 1, 'all');
-- a transfer that only consumes: what it consumes comes to nothing
BEGIN;
SELECT pg_temp.create(5, 0, 1, 3), pg_temp.create(5, 1, 1, -3);
COMMIT;
SELECT awa_ledger.deactivate('{5:0,5:1}', 6);
SELECT * FROM awa_ledger.verify();

-- what transfer() made in the same transaction is open as well, with what it spent
BEGIN;
SELECT (awa_ledger.transfer('[{"from": 2, "to": 1, "asset": 2, "amount": 7}]')).transfer_id \gset
SELECT awa_ledger.insert_postings(ARRAY[:transfer_id, :transfer_id], '{8,9}', '{1,2}', '{0,0}', '{2,2}', '{-1,1}');
COMMIT;
BEGIN;
SELECT (awa_ledger.transfer('[{"from": 1, "to": 2, "asset": 2, "amount": 7}]')).transfer_id \gset
SELECT awa_ledger.insert_postings(ARRAY[:transfer_id], '{9}', '{2}', '{0}', '{2}', '{1}');
COMMIT;
SELECT * FROM awa_ledger.verify();

-- savepoints: what was rolled back does not count, what was not does
BEGIN;
SAVEPOINT a;
SELECT pg_temp.create(7, 0, 1, 10);
ROLLBACK TO a;
COMMIT;
SELECT count(*) FROM awa_ledger.transfers WHERE transfer_id = 7;
BEGIN;
SELECT awa_ledger.deactivate('{1:2}', 7);
SAVEPOINT a;
SELECT pg_temp.create(7, 0, 1, 20);
RELEASE a;
COMMIT;
BEGIN;
SELECT awa_ledger.deactivate('{1:3}', 8);
SAVEPOINT a;
SELECT pg_temp.create(8, 0, 1, 30);
ROLLBACK TO a;
COMMIT;
-- and the other way: the row of the transfer is made again
BEGIN;
SAVEPOINT a;
SELECT pg_temp.create(8, 0, 1, 31);
ROLLBACK TO a;
SELECT awa_ledger.deactivate('{1:3}', 8), pg_temp.create(8, 0, 1, 30);
COMMIT;
SELECT id, state FROM awa_ledger.posting_states('{1:2,1:3,7:0,8:0}');
-- caught errors are savepoints
DO $$ BEGIN
    BEGIN
        PERFORM pg_temp.create(9, 0, 1, 1);
        RAISE EXCEPTION 'never mind';
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
END $$;
-- prepared transactions are looked at when they are prepared
BEGIN;
SELECT pg_temp.create(9, 0, 1, 1);
PREPARE TRANSACTION 'regress_ledger_unbalanced';
SELECT count(*) FROM pg_prepared_xacts WHERE gid = 'regress_ledger_unbalanced';
BEGIN;
SELECT awa_ledger.deactivate('{8:0}', 9), awa_ledger.insert_postings('{9}', '{0}', '{1}', '{0}', '{1}', '{30}');
PREPARE TRANSACTION 'regress_ledger_balanced';
-- this session's next one is another matter
BEGIN; COMMIT;
COMMIT PREPARED 'regress_ledger_balanced';
SELECT id, state, spent_by FROM awa_ledger.posting_states('{8:0,9:0}');
-- a transaction block that goes on, a procedure that commits, constraints that are checked at once
BEGIN;
SELECT pg_temp.create(10, 0, 1, 1);
COMMIT AND CHAIN;
SELECT pg_temp.create(10, 0, 1, 0);
COMMIT;
DO $$ BEGIN
    PERFORM pg_temp.create(12, 0, 1, 0);
    COMMIT;
    PERFORM pg_temp.create(13, 0, 1, 1);
    COMMIT;
END $$;
DO $$ BEGIN PERFORM pg_temp.create(13, 0, 1, 1); END $$;
BEGIN;
SET CONSTRAINTS ALL IMMEDIATE;
SELECT awa_ledger.deactivate('{9:0}', 14), pg_temp.create(14, 0, 1, 30);
COMMIT;
SELECT transfer_id FROM awa_ledger.transfers WHERE transfer_id > 9 ORDER BY 1;
-- whoever commits: one who may not read the tables, with a search path of his own
CREATE ROLE regress_ledger_saga;
GRANT USAGE ON SCHEMA awa_ledger TO regress_ledger_saga;
GRANT EXECUTE ON FUNCTION awa_ledger.insert_postings(bigint[], int[], bigint[], bigint[], int[], bigint[]) TO regress_ledger_saga;
SET ROLE regress_ledger_saga;
SET search_path = pg_temp;
SELECT awa_ledger.insert_postings('{15}', '{0}', '{1}', '{0}', '{1}', '{30}');
SELECT awa_ledger.insert_postings('{15,15}', '{0,1}', '{1,2}', '{0,0}', '{1,1}', '{30,-30}');
SELECT current_user, current_setting('search_path');
RESET ROLE;
RESET search_path;
DROP OWNED BY regress_ledger_saga;
DROP ROLE regress_ledger_saga;
-- a deferred trigger that uses the primitives comes before the look
CREATE TABLE paid (transfer bigint, amount bigint);
CREATE FUNCTION pay() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM awa_ledger.insert_postings(ARRAY[NEW.transfer], '{0}', '{2}', '{0}', '{1}', ARRAY[NEW.amount]); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER pay AFTER INSERT ON paid DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION pay();
INSERT INTO paid VALUES (16, 5);
BEGIN;
INSERT INTO paid VALUES (16, 30);
SELECT awa_ledger.deactivate('{14:0}', 16);
COMMIT;
DROP TABLE paid;
DROP FUNCTION pay();
-- in every isolation level
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT pg_temp.create(17, 0, 1, 1);
COMMIT;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT awa_ledger.deactivate('{16:0}', 17), pg_temp.create(17, 0, 1, 30);
COMMIT;
SELECT * FROM awa_ledger.verify();
-- thousands of transfers in one transaction
SELECT count(*), sum(awa_ledger.insert_postings(ARRAY[t, t], '{0,1}', '{1,2}', '{0,0}', '{1,1}', ARRAY[-t, t])) FROM generate_series(101, 1000) t;
SELECT sum(awa_ledger.insert_postings(ARRAY[t, t], '{0,1}', '{1,2}', '{0,0}', '{1,1}', ARRAY[-t, t + (t = 50)::int])) FROM generate_series(20, 90) t;
SELECT count(*) FROM awa_ledger.transfers WHERE transfer_id > 17;
SELECT * FROM awa_ledger.verify();
