-- A transfer on behalf of a job's attempt, with its receipt: as long as the attempt is not over, however that may come about.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
\pset format unaligned
SELECT awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_account(0), awa_ledger.create_account(1), awa_ledger.set_limits(0, 0, 1, NULL);
SELECT awa.create_queue('paying', max_attempts => 3);
CREATE FUNCTION pg_temp.pay(receipt awa.receipt, key text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text; hint text; again boolean;
BEGIN
    SELECT replayed INTO again FROM awa_ledger.transfer('[{"from": 0, "to": 1, "asset": 1, "amount": 1}]', key, receipt => pay.receipt);
    RETURN CASE WHEN again THEN 'replayed' ELSE 'moved' END;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' | ', SQLSTATE, regexp_replace(SQLERRM, '\d+', 'N'), detail, hint);
END $$;
CREATE TEMP TABLE attempts (n bigint, ending text, receipt awa.receipt, job bigint, callback uuid);

-- a live attempt pays, as often as it likes; once for a key
SELECT cardinality(awa.enqueue_many('paying', 'pay', array_fill('1'::jsonb, '{8}')));
INSERT INTO attempts SELECT n, ending, receipt, job_id FROM unnest('{complete,fail,snooze,release,cancel,callback,delete,strict}'::text[]) WITH ORDINALITY e(ending, n)
    JOIN (SELECT row_number() OVER (ORDER BY job_id) AS n, receipt, job_id FROM awa.claim('{paying}', 8)) c USING (n);
SELECT ending, pg_temp.pay(receipt), pg_temp.pay(receipt, 'for ' || ending), pg_temp.pay(receipt, 'for ' || ending) FROM attempts ORDER BY n;
SELECT awa_ledger.balance(1, 0, 1);
-- one that moved out of the rings, because it takes long, is live as before
CALL awa.rotate('claim');
CALL awa.evict('claim');
SELECT s.state, pg_temp.pay(receipt) FROM attempts, awa.receipt_state(receipt) s WHERE ending = 'cancel';
-- one that waits for a callback as well
UPDATE attempts SET callback = awa.wait_external(receipt, '1 h') WHERE ending = 'callback';
SELECT s.state, pg_temp.pay(receipt) FROM attempts, awa.receipt_state(receipt) s WHERE ending = 'callback';

-- over, it pays no more, and changes nothing; nor for a key that was used before
SELECT awa_ledger.balance(1, 0, 1) AS before \gset
SELECT awa.complete_one(receipt) FROM attempts WHERE ending = 'complete';
SELECT awa.fail(receipt, 'no', '1 h') FROM attempts WHERE ending = 'fail';
SELECT awa.snooze(receipt, '1 h') FROM attempts WHERE ending = 'snooze';
SELECT awa.release(receipt) FROM attempts WHERE ending = 'release';
SELECT awa.cancel(job) FROM attempts WHERE ending = 'cancel';
SELECT awa.delete_job(job) FROM attempts WHERE ending = 'delete';
SELECT awa.fail_external(callback, 'no') FROM attempts WHERE ending = 'callback';
SELECT ending, pg_temp.pay(receipt) FROM attempts WHERE ending <> 'strict' ORDER BY n;
SELECT DISTINCT pg_temp.pay(receipt, 'for ' || ending) FROM attempts WHERE ending <> 'strict';
SELECT awa_ledger.balance(1, 0, 1) - :before AS moved;
-- the next attempt, of the job that was given back, has what was paid for the key as its answer
SELECT receipt AS next FROM awa.claim('{paying}') \gset
SELECT pg_temp.pay(:'next', 'for release'), pg_temp.pay(:'next');
-- a worker that was too slow
SELECT awa.enqueue('paying', 'pay', deadline => '10 ms') > 0;
INSERT INTO attempts SELECT 9, 'late', receipt FROM awa.claim('{paying}');
SELECT pg_sleep(0.02), awa.rescue_deadlines();
SELECT pg_temp.pay(receipt) FROM attempts WHERE ending = 'late';

-- paying and completing in one transaction: both, or neither
BEGIN;
SELECT pg_temp.pay(receipt), awa.complete_one(receipt) FROM attempts WHERE ending = 'strict';
ROLLBACK;
SELECT s.state, awa_ledger.balance(1, 0, 1) - :before AS moved FROM attempts, awa.receipt_state(receipt) s WHERE ending = 'strict';
BEGIN;
SELECT pg_temp.pay(receipt), awa.complete_one(receipt) FROM attempts WHERE ending = 'strict';
COMMIT;
SELECT s.state, awa_ledger.balance(1, 0, 1) - :before AS moved, pg_temp.pay(receipt) FROM attempts, awa.receipt_state(receipt) s WHERE ending = 'strict';
-- and in the other order it is over within its own transaction
BEGIN;
SELECT awa.complete_one(:'next'), pg_temp.pay(:'next');
ROLLBACK;
SELECT pg_temp.pay(:'next');
-- receipts that are nobody's
SELECT pg_temp.pay('0:99999:1:99999:1:1'), pg_temp.pay(NULL);
SELECT * FROM awa_ledger.verify();
SELECT count(*) FROM awa.check();
DROP EXTENSION awa_ring CASCADE;
