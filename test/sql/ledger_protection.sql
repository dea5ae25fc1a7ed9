-- Truth is not changed: not by any role, not by its owner, not where ordinary triggers are off. verify() tells of protection
-- that was weakened, protect() puts it back.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
SELECT setval('awa_ledger.id_seq', 1000) \g /dev/null
SELECT awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_account(1), awa_ledger.create_account(2);
SELECT awa_ledger.insert_postings('{1,1}', '{0,1}', '{1,2}', '{0,0}', '{1,1}', '{-5,5}'), awa_ledger.reserve('{1:1}', 11);
BEGIN;
SELECT awa_ledger.consume('{1:1}', 11, 2), awa_ledger.insert_postings('{2}', '{0}', '{1}', '{0}', '{1}', '{5}');
COMMIT;
INSERT INTO awa_ledger.limits VALUES (1, 0, 1, 1, NULL, NULL); UPDATE awa_ledger.account_heads SET limited = true WHERE account = 1;
INSERT INTO awa_ledger.holds (reservation, account, subaccount, asset, amount, created_at, transfer_id, idx) VALUES (12, 1, 0, 1, 5, now(), 1, 1);
INSERT INTO awa_ledger.hold_requests VALUES (12, now(), 1, '\x00', 'k');
INSERT INTO awa_ledger.hold_extensions VALUES (12, 1, now(), now());
INSERT INTO awa_ledger.hold_outcomes VALUES (12, 'voided', now());
SELECT * FROM awa_ledger.verify();

-- each way of changing each table, as said by PostgreSQL; whether there is a row to change or not
CREATE FUNCTION pg_temp.attempts(but text DEFAULT 'none') RETURNS TABLE (attempt text, said text, hint text) LANGUAGE plpgsql AS $$
DECLARE
    truth  name;
    key    name;
BEGIN
    FOREACH truth IN ARRAY '{assets,accounts,limits,transfers,postings,spends,reservation_log,hold_requests,holds,hold_extensions,hold_outcomes}'::name[] LOOP
        SELECT a.attname INTO key FROM pg_attribute a WHERE a.attrelid = ('awa_ledger.' || truth)::regclass AND a.attnum = 1;
        FOREACH attempt IN ARRAY ARRAY[
            format('UPDATE awa_ledger.%s SET %s = %2$s', truth, key), format('UPDATE awa_ledger.%s SET %s = %2$s WHERE false', truth, key),
            format('DELETE FROM awa_ledger.%s', truth), format('DELETE FROM awa_ledger.%s WHERE false', truth), format('DELETE FROM ONLY awa_ledger.%s', truth),
            format('TRUNCATE awa_ledger.%s', truth), format('TRUNCATE awa_ledger.%s CASCADE', truth),
            format('INSERT INTO awa_ledger.%1$s SELECT * FROM awa_ledger.%1$s ON CONFLICT ON CONSTRAINT %1$s_pkey DO UPDATE SET %2$s = excluded.%2$s', truth, key),
            format('MERGE INTO awa_ledger.%1$s t USING awa_ledger.%1$s s ON t.%2$s = s.%2$s WHEN MATCHED THEN DELETE', truth, key)] LOOP
            CONTINUE WHEN attempt LIKE but || '%';
            BEGIN
                EXECUTE attempt;
                said := 'done';
            EXCEPTION WHEN OTHERS THEN
                GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
                said := SQLSTATE;
            END;
            RETURN NEXT;
        END LOOP;
    END LOOP;
END $$;
SELECT said, hint, count(*) FROM pg_temp.attempts() GROUP BY 1, 2;
SET session_replication_role = replica;
SELECT said, hint, count(*) FROM pg_temp.attempts() GROUP BY 1, 2;
RESET session_replication_role;
-- every granted role
CREATE ROLE regress_ledger_reader;
CREATE ROLE regress_ledger_admin;
SELECT awa_ledger.grant_reader('regress_ledger_reader'), awa_ledger.grant_admin('regress_ledger_admin');
SET ROLE regress_ledger_reader;
SELECT said, count(*) FROM pg_temp.attempts() GROUP BY 1;
SET ROLE regress_ledger_admin;
SELECT said, count(*) FROM pg_temp.attempts() GROUP BY 1;
RESET ROLE;
-- an owner that is no superuser
CREATE ROLE regress_ledger_owner;
GRANT USAGE ON SCHEMA awa_ledger TO regress_ledger_owner;
BEGIN;
DO $$
DECLARE
    truth regclass;
BEGIN
    FOR truth IN SELECT t FROM awa_ledger.truth_tables() t LOOP EXECUTE format('ALTER TABLE %s OWNER TO regress_ledger_owner', truth); END LOOP;
END $$;
SET ROLE regress_ledger_owner;
SELECT said, count(*) FROM pg_temp.attempts() GROUP BY 1;
ROLLBACK;
REVOKE ALL ON SCHEMA awa_ledger FROM regress_ledger_owner;
-- either of the two triggers refuses what it can see: rows, statements
BEGIN;
DO $$
DECLARE
    truth regclass;
BEGIN
    FOR truth IN SELECT t FROM awa_ledger.truth_tables() t LOOP EXECUTE format('ALTER TABLE %s DISABLE TRIGGER keep_table', truth); END LOOP;
END $$;
SELECT split_part(attempt, ' ', 1) AS way, attempt LIKE '%WHERE false' AS no_row, said, count(*) FROM pg_temp.attempts('TRUNCATE') GROUP BY 1, 2, 3 ORDER BY 1, 2;
ROLLBACK;
-- what it says
UPDATE awa_ledger.postings SET value = value + 1;
TRUNCATE awa_ledger.spends;
DROP TABLE awa_ledger.postings;
SELECT * FROM awa_ledger.verify();

-- what was weakened, or put in the way, is told
CREATE PROCEDURE pg_temp.weakened(deed text) LANGUAGE plpgsql AS $$
DECLARE
    v record;
    n int := 0;
BEGIN
    EXECUTE deed;
    FOR v IN SELECT * FROM awa_ledger.verify() LOOP
        RAISE WARNING '% | % | %', v.invariant, v.object, v.detail;
        n := n + 1;
    END LOOP;
    IF n = 0 THEN RAISE WARNING 'nothing told of: %', deed; END IF;
    RAISE EXCEPTION 'undone: %', split_part(deed, E'\n', 1);
EXCEPTION WHEN raise_exception THEN
    RAISE WARNING '%', SQLERRM;
END $$;
\set QUIET on
CALL pg_temp.weakened('ALTER TABLE awa_ledger.postings DISABLE TRIGGER keep_rows');
CALL pg_temp.weakened('ALTER TABLE awa_ledger.postings DISABLE TRIGGER ALL');
CALL pg_temp.weakened('ALTER TABLE awa_ledger.spends ENABLE TRIGGER keep_table');
CALL pg_temp.weakened('ALTER TABLE awa_ledger.spends ENABLE REPLICA TRIGGER keep_table');
CALL pg_temp.weakened('DROP TRIGGER keep_rows ON awa_ledger.assets');
CALL pg_temp.weakened('DROP TRIGGER keep_table ON awa_ledger.holds; CREATE TRIGGER keep_table BEFORE TRUNCATE ON awa_ledger.holds EXECUTE FUNCTION awa_ledger.refuse_change(); ALTER TABLE awa_ledger.holds ENABLE ALWAYS TRIGGER keep_table');
CALL pg_temp.weakened('DROP TRIGGER keep_rows ON awa_ledger.holds; CREATE TRIGGER keep_rows BEFORE UPDATE OR DELETE ON awa_ledger.holds FOR EACH ROW WHEN (OLD.amount > 5) EXECUTE FUNCTION awa_ledger.refuse_change(); ALTER TABLE awa_ledger.holds ENABLE ALWAYS TRIGGER keep_rows');
CALL pg_temp.weakened('CREATE OR REPLACE FUNCTION awa_ledger.refuse_change() RETURNS trigger LANGUAGE plpgsql AS ''BEGIN RETURN OLD; END''');
CALL pg_temp.weakened('CREATE RULE quiet AS ON DELETE TO awa_ledger.postings DO INSTEAD NOTHING');
CALL pg_temp.weakened('CREATE RULE quiet AS ON INSERT TO awa_ledger.live_postings DO ALSO NOTHING');
CALL pg_temp.weakened('CREATE FUNCTION pg_temp.swallow() RETURNS trigger LANGUAGE plpgsql AS ''BEGIN RETURN NULL; END'';
    CREATE TRIGGER swallow BEFORE INSERT ON awa_ledger.spends FOR EACH ROW EXECUTE FUNCTION pg_temp.swallow()');
CALL pg_temp.weakened('ALTER TABLE awa_ledger.transfers ENABLE ROW LEVEL SECURITY');
CALL pg_temp.weakened('CREATE TABLE more () INHERITS (awa_ledger.accounts)');
CALL pg_temp.weakened('ALTER TABLE awa_ledger.hold_requests SET UNLOGGED');
CALL pg_temp.weakened('ALTER TABLE awa_ledger.spends DROP CONSTRAINT spends_pkey');
CALL pg_temp.weakened('UPDATE pg_index SET indisvalid = false WHERE indexrelid = ''awa_ledger.spends_pkey''::regclass');
CALL pg_temp.weakened('ALTER TABLE awa_ledger.spends DROP CONSTRAINT spends_pkey, ADD PRIMARY KEY (transfer_id, idx, spent_by)');
CALL pg_temp.weakened('ALTER TABLE awa_ledger.postings DROP CONSTRAINT postings_pkey, ADD PRIMARY KEY (transfer_id, idx) DEFERRABLE');
CALL pg_temp.weakened('DROP INDEX awa_ledger.transfers_reverses_key');
CALL pg_temp.weakened('DROP INDEX awa_ledger.transfers_request_key');
CALL pg_temp.weakened('DROP INDEX awa_ledger.accounts_code_key; CREATE UNIQUE INDEX ON awa_ledger.accounts (code) WHERE version = 2');
CALL pg_temp.weakened('ALTER TABLE awa_ledger.assets DROP CONSTRAINT assets_code_key');
SELECT format('CALL pg_temp.weakened(%L)', format('DROP INDEX %s', i.indexrelid::regclass))
FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relnamespace = 'awa_ledger'::regnamespace AND NOT i.indisunique ORDER BY 1 \gexec
SELECT format('CALL pg_temp.weakened(%L)', format('ALTER TABLE %s DROP CONSTRAINT %I', c.conrelid::regclass, c.conname))
FROM pg_constraint c WHERE c.connamespace = 'awa_ledger'::regnamespace AND c.contype = 'c' ORDER BY 1 \gexec
CALL pg_temp.weakened('ALTER TABLE awa_ledger.postings DROP CONSTRAINT postings_idx_check, ADD CHECK (idx >= -1)');
CALL pg_temp.weakened('ALTER TABLE awa_ledger.postings OWNER TO regress_ledger_owner');
CALL pg_temp.weakened('CREATE INDEX by_holder ON awa_ledger.live_postings (reservation)');
CALL pg_temp.weakened('GRANT UPDATE, SELECT ON awa_ledger.postings TO PUBLIC');
CALL pg_temp.weakened('GRANT INSERT (code), TRIGGER ON awa_ledger.assets TO regress_ledger_admin');
\set QUIET off
SELECT * FROM awa_ledger.verify();
-- and put right, where it is ours
SELECT awa_ledger.protect();
ALTER TABLE awa_ledger.postings DISABLE TRIGGER ALL;
ALTER TABLE awa_ledger.spends ENABLE TRIGGER keep_rows;
DROP TRIGGER keep_table ON awa_ledger.holds;
SELECT count(*) FROM awa_ledger.verify();
SET ROLE regress_ledger_admin;
SELECT awa_ledger.protect();
RESET ROLE;
SELECT awa_ledger.protect();
SELECT * FROM awa_ledger.verify();
ALTER TABLE awa_ledger.postings DISABLE TRIGGER ALL;
CALL awa.after_restore();
SELECT * FROM awa_ledger.verify();
SELECT awa_ledger.revoke_all('regress_ledger_reader'), awa_ledger.revoke_all('regress_ledger_admin');
DROP ROLE regress_ledger_reader, regress_ledger_admin, regress_ledger_owner;
