-- The verbs that every job goes through are not SECURITY DEFINER: they take the owner's rights themselves, and give them back. What
-- a caller has on his search path gets into none of their statements.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring CASCADE;
CREATE EXTENSION awa_ring;
SELECT awa.create_queue('mail', deadline => '1 h');
CREATE ROLE regress_awa_worker;
SELECT awa.grant_producer('regress_awa_worker'), awa.grant_worker('regress_awa_worker');
SELECT awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_account(1), awa_ledger.create_account(2), awa_ledger.set_limits(1, 0, 1, NULL);
GRANT USAGE ON SCHEMA awa_ledger TO regress_awa_worker;
GRANT EXECUTE ON FUNCTION awa_ledger.transfer(jsonb, text, timestamptz, jsonb, awa.receipt), awa_ledger.transfer_many(jsonb) TO regress_awa_worker;
-- operators and functions that statements of the extension would find, if they looked there
CREATE SCHEMA evil;
GRANT ALL ON SCHEMA evil TO regress_awa_worker;
CREATE FUNCTION evil.same(bigint, bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'hijacked by % as %', session_user, current_user; END $$;
CREATE FUNCTION evil.same(int, int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'hijacked'; END $$;
CREATE FUNCTION evil.same(text, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'hijacked'; END $$;
CREATE FUNCTION evil.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'hijacked'; END $$;
CREATE OPERATOR evil.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = evil.same);
CREATE OPERATOR evil.= (LEFTARG = int, RIGHTARG = int, FUNCTION = evil.same);
CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.same);
CREATE TEMP TABLE held (n int, receipt awa.receipt);
CREATE TEMP TABLE queues (queue text);
GRANT ALL ON held, queues TO regress_awa_worker;
SET ROLE regress_awa_worker;
SET search_path = evil, pg_temp, pg_catalog;
-- (the trap works)
SELECT count(*) FROM held WHERE n = 1;
INSERT INTO held VALUES (1, NULL);
SELECT count(*) FROM held WHERE n = 1;
DELETE FROM held;

-- each way to enqueue, with keys and for later, too
SELECT awa.enqueue('mail', 'plain') > 0, awa.enqueue('mail', 'unique', unique_key => 'a') > 0, awa.enqueue('mail', 'later', run_at => now() + '1 h', unique_key => 'b') > 0;
SELECT awa.enqueue('mail', 'again', unique_key => 'a') > 0;
SELECT array_length(awa.enqueue_many('mail', 'many', ARRAY['1', '2', '3']::jsonb[], unique_keys => ARRAY['c', 'd', 'f']), 1);
SELECT array_length(awa.enqueue_jobs('[{"queue": "mail", "kind": "job", "args": {}, "unique_key": "e"}, {"queue": "mail", "kind": "job", "args": {}}]'), 1);
-- each way to claim and to complete: alone and together, with results and keys; and what went on outside the rings
INSERT INTO held SELECT 1, receipt FROM awa.claim('{mail}');
INSERT INTO held SELECT 2, receipt FROM awa.claim('{mail}', 2);
INSERT INTO held SELECT 3, receipt FROM awa.claim_ready_runtime('mail', 1);
SELECT awa.complete(ARRAY(SELECT receipt FROM held ORDER BY receipt LIMIT 1)), awa.complete_one((SELECT receipt FROM held ORDER BY receipt DESC LIMIT 1), '"sent"');
SELECT completed FROM awa.complete_each(ARRAY(SELECT receipt FROM held ORDER BY receipt));
DELETE FROM held;
INSERT INTO held SELECT 4, receipt FROM awa.claim('{mail}', 1);
SELECT length(awa.wait_external(receipt, '1 h')::text) FROM held;
-- transfers: with a key, again, within a limit, for an attempt; many, of which one is refused
SELECT replayed FROM awa_ledger.transfer('[{"from": 1, "to": 2, "asset": 1, "amount": 9}]', 'key');
SELECT replayed FROM awa_ledger.transfer('[{"from": 1, "to": 2, "asset": 1, "amount": 9}]', 'key');
SELECT replayed FROM held CROSS JOIN LATERAL awa_ledger.transfer('[{"from": 2, "to": 1, "asset": 1, "amount": 1}]', receipt => held.receipt);
SELECT item, replayed, sqlstate FROM awa_ledger.transfer_many('[{"movements": [{"from": 2, "to": 1, "asset": 1, "amount": 2}]},
    {"movements": [{"from": 2, "to": 1, "asset": 1, "amount": 99}]}, {"movements": [{"from": 2, "to": 1, "asset": 1, "amount": 3}], "idempotency_key": "k"}]');
SELECT count(*) FROM held CROSS JOIN LATERAL awa.complete_and_claim(ARRAY[held.receipt], '{mail}', 5);

-- what the caller was he is again, also after an error that was caught
SELECT current_user, current_setting('search_path');
DO $$ BEGIN
    PERFORM awa.complete(ARRAY['0:1:1:1:1:1'::awa.receipt], strict => true);
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING '%, % with %', SQLSTATE, current_user, current_setting('search_path');
END $$;
DO $$ BEGIN
    PERFORM awa.claim('{none}');
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING '%, % with %', SQLSTATE, current_user, current_setting('search_path');
END $$;
SELECT awa.claim('{none}');
SELECT current_user, current_setting('search_path');
-- he has no rights of his own
SELECT count(*) FROM awa.queues;
RESET search_path;
RESET ROLE;
SELECT kind, state FROM awa.jobs ORDER BY job_id;
SELECT * FROM awa.check();
SELECT * FROM awa_ledger.verify();
SELECT awa_ledger.balance(2, 0, 1);
SELECT awa.revoke_all('regress_awa_worker');
SELECT awa_ledger.revoke_all('regress_awa_worker');
DROP OWNED BY regress_awa_worker;
DROP ROLE regress_awa_worker;
DROP SCHEMA evil CASCADE;
DROP EXTENSION awa_ring CASCADE;
