-- Holds that belong to an attempt or a job: every way in which those end frees them, in the same transaction; what is no end keeps
-- them. Rescue is of all queues, so this has a database of its own; time is made to pass by hand.
\set home :DBNAME
CREATE DATABASE regress_awa_bound_holds;
\c regress_awa_bound_holds
SET client_min_messages = warning;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
SELECT awa_ledger.create_asset(1, 'EUR', 2), awa_ledger.create_account(0), awa_ledger.create_account(1), awa_ledger.create_account(2), awa_ledger.set_limits(0, 0, 1, NULL) \g /dev/null
SELECT transfer_id > 0 FROM awa_ledger.transfer('[{"from": 0, "to": 1, "asset": 1, "amount": 1000000}]') \g /dev/null
SELECT awa.create_queue('pay', backoff_base => '1 h'), awa.create_queue('once', max_attempts => 1), awa.create_queue('dead', max_attempts => 1, dead_letter => true), awa.create_queue('late', deadline => '1 h', backoff_base => '1 h'),
       awa.create_queue('deadlate', deadline => '1 h', max_attempts => 1, dead_letter => true), awa.create_queue('spare') \g /dev/null
CREATE PROCEDURE pass(span interval) LANGUAGE sql AS $$
    UPDATE awa.lease_claim_batches SET claimed_at = claimed_at - span, deadline_at = deadline_at - span;
    UPDATE awa.lease_claims SET claimed_at = claimed_at - span, deadline_at = deadline_at - span;
    UPDATE awa.ready_claim_attempt_batches SET claimed_at = claimed_at - span;
    UPDATE awa.leases SET claimed_at = claimed_at - span, deadline_at = deadline_at - span, callback_timeout_at = callback_timeout_at - span;
    UPDATE awa.attempt_state SET heartbeat_at = heartbeat_at - span;
$$;
CREATE FUNCTION legs(amount bigint) RETURNS jsonb LANGUAGE sql AS $$ SELECT jsonb_build_array(jsonb_build_object('from', 1, 'to', 2, 'asset', 1, 'amount', amount)) $$;
CREATE FUNCTION fate(hold bigint) RETURNS text LANGUAGE sql AS
    $$ SELECT concat_ws(' ', coalesce(o.outcome, 'open'), CASE WHEN o.with_job THEN 'with it' END, CASE WHEN l.reservation IS NULL THEN 'free' ELSE 'held' END)
       FROM awa_ledger.holds h LEFT JOIN awa_ledger.hold_outcomes o USING (reservation)
            LEFT JOIN awa_ledger.live_postings l ON l.account = h.account AND l.transfer_id = h.transfer_id AND l.idx = h.idx WHERE h.reservation = hold $$;
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN
    EXECUTE statement INTO answer;
    RETURN concat('done: ', answer);
EXCEPTION WHEN OTHERS THEN
    RETURN concat_ws(' | ', SQLSTATE, regexp_replace(SQLERRM, '-?\d{2,}', 'N', 'g'));
END $$;
-- a job that is being attempted, with a hold of the attempt and one of the job
CREATE TABLE worked (name text PRIMARY KEY, job bigint, receipt awa.receipt, attempts bigint, jobs bigint, token uuid);
CREATE FUNCTION work(name text, queue text, deadline interval DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE r awa.receipt; j bigint;
BEGIN
    PERFORM awa.enqueue(queue, 'pay', args => to_jsonb(name), deadline => deadline);
END $$;
CREATE FUNCTION take(name text, queue text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO worked (name, job, receipt, attempts, jobs)
    SELECT name, c.job_id, c.receipt, awa_ledger.hold(1, 0, 1, 10, '1 d', name, c.receipt), awa_ledger.hold(1, 0, 1, 20, '1 d', name, c.receipt, 'job') FROM awa.claim(ARRAY[queue], 1) c $$;
CREATE FUNCTION fates(name text) RETURNS text LANGUAGE sql AS $$ SELECT format('attempt''s: %s; job''s: %s', fate(attempts), fate(jobs)) FROM worked w WHERE w.name = $1 $$;
-- runs a deed on each in turn; what it answers, and what became of the two holds
CREATE PROCEDURE ways(deeds text[]) LANGUAGE plpgsql AS $$
DECLARE
    deed text[];
    w worked;
    answer text;
BEGIN
    FOREACH deed SLICE 1 IN ARRAY deeds LOOP
        PERFORM work(deed[1], deed[2], deed[4]::interval);
        COMMIT;
        PERFORM take(deed[1], deed[2]);
        COMMIT;
        SELECT * INTO w FROM worked WHERE name = deed[1];
        EXECUTE format('SELECT x::text FROM (%s) x', replace(replace(deed[3], '$R', quote_literal(w.receipt)), '$J', w.job::text)) INTO answer;
        -- in the same transaction
        RAISE WARNING '% (%) %: %', deed[1], deed[2], regexp_replace(answer, '\d+:\d+:\d+:\d+:\d+:-?\d+|\d{3,}', 'N', 'g'), fates(deed[1]);
        COMMIT;
    END LOOP;
END $$;

-- what ends the attempt alone, or the job with it
CALL ways(ARRAY[
    ['complete', 'pay', 'SELECT awa.complete(ARRAY[$R]::awa.receipt[])', NULL],
    ['complete, strict', 'pay', 'SELECT awa.complete(ARRAY[$R]::awa.receipt[], true)', NULL],
    ['complete_one', 'pay', 'SELECT awa.complete_one($R, ''{"a": 1}'')', NULL],
    ['complete_each', 'pay', 'SELECT completed FROM awa.complete_each(ARRAY[$R]::awa.receipt[], ''{"{\"a\": 1}"}'')', NULL],
    ['complete_and_claim', 'pay', 'SELECT count(*) FROM awa.complete_and_claim(ARRAY[$R]::awa.receipt[], ''{spare}'')', NULL],
    ['of a row', 'pay', 'SELECT awa.complete(ARRAY[$R]::awa.receipt[])', '1 d'],
    ['fail', 'pay', 'SELECT awa.fail($R, ''no'')', NULL],
    ['fail for good', 'pay', 'SELECT awa.fail($R, ''no'', terminal => true)', NULL],
    ['fail the last', 'once', 'SELECT awa.fail($R, ''no'')', NULL],
    ['fail, dead', 'dead', 'SELECT awa.fail($R, ''no'')', NULL],
    ['fail_many', 'pay', 'SELECT state FROM awa.fail_many(ARRAY[$R]::awa.receipt[], ''{no}'')', NULL],
    ['snooze', 'pay', 'SELECT awa.snooze($R, ''1 h'')', NULL],
    ['cancel', 'pay', 'SELECT awa.cancel($J, ''why'')', NULL],
    ['cancel_many', 'pay', 'SELECT awa.cancel_many(ARRAY[$J])', NULL],
    ['delete_job', 'pay', 'SELECT awa.delete_job($J)', NULL],
    ['release', 'spare', 'SELECT awa.release($R)', NULL]]);
CALL ways(ARRAY[['cancel, released', 'pay', 'SELECT awa.release($R), awa.cancel($J)', NULL],
    ['delete, released', 'pay', 'SELECT awa.release($R), awa.delete_job($J)', NULL],
    ['cancel, laid aside', 'pay', 'SELECT awa.fail($R, ''no''), awa.cancel($J)', NULL],
    ['purge_queue', 'late', 'SELECT awa.release_many(ARRAY[$R]::awa.receipt[]), awa.purge_queue(''late'')', NULL],
    ['purge_queue, laid aside', 'late', 'SELECT awa.snooze($R, ''1 h''), awa.purge_queue(''late'')', NULL],
    ['drop_queue', 'late', 'SELECT awa.drop_queue(''late'', force => true)', NULL]]);
SELECT awa.create_queue('late', deadline => '1 h', backoff_base => '1 h') \g /dev/null
-- rescue of all kinds, and of the last attempt
CREATE FUNCTION later(call text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE n text; BEGIN CALL pass('2 h'); EXECUTE 'SELECT ' || call INTO n; RETURN n; END $$;
CALL ways(ARRAY[['rescue_stale', 'pay', 'SELECT later(''awa.rescue_stale()'')', NULL],
    ['rescue_stale, the last', 'once', 'SELECT later(''awa.rescue_stale()'')', NULL],
    ['rescue_stale, dead', 'dead', 'SELECT later(''awa.rescue_stale()'')', NULL],
    ['rescue_deadlines', 'late', 'SELECT later(''awa.rescue_deadlines()'')', NULL],
    ['rescue_deadlines, dead', 'deadlate', 'SELECT later(''awa.rescue_deadlines()'')', NULL],
    ['rescue_deadlines of a row', 'pay', 'SELECT later(''awa.rescue_deadlines()'')', '1 h'],
    ['rescue_callbacks', 'pay', 'SELECT awa.wait_external($R, ''1 h'') IS NOT NULL, later(''awa.rescue_callbacks()'')', NULL],
    ['rescue_callbacks, dead', 'dead', 'SELECT awa.wait_external($R, ''1 h'') IS NOT NULL, later(''awa.rescue_callbacks()'')', NULL]]);
-- waiting for a callback is no end; what ends the wait is
CALL ways(ARRAY[['wait_external', 'pay', 'SELECT awa.wait_external($R, ''1 h'') IS NOT NULL', NULL],
    ['heartbeat', 'pay', 'SELECT state FROM awa.heartbeat(ARRAY[$R]::awa.receipt[])', NULL],
    ['complete_external', 'pay', 'SELECT awa.complete_external(awa.wait_external($R, ''1 h''))', NULL],
    ['complete_external, resumed', 'pay', 'SELECT awa.complete_external(awa.wait_external($R, ''1 h''), resume => true)', NULL],
    ['fail_external', 'pay', 'SELECT awa.fail_external(awa.wait_external($R, ''1 h''), ''no'')', NULL],
    ['fail_external, the last', 'once', 'SELECT awa.fail_external(awa.wait_external($R, ''1 h''), ''no'')', NULL],
    ['retry_external', 'pay', 'SELECT awa.retry_external(awa.wait_external($R, ''1 h''))', NULL],
    ['complete while waiting', 'pay', 'SELECT awa.wait_external($R, ''1 h'') IS NOT NULL, awa.complete(ARRAY[$R]::awa.receipt[])', NULL],
    ['cancel while waiting', 'pay', 'SELECT awa.wait_external($R, ''1 h'') IS NOT NULL, awa.cancel($J)', NULL]]);
SELECT fates('wait_external'), awa_ledger.post(attempts, legs(3)) > 0, awa.complete(ARRAY[receipt]), fates('wait_external') FROM worked WHERE name = 'wait_external';
-- eviction is none either: of a claim, and of what waits for its slot
CALL ways(ARRAY[['evicted', 'pay', 'SELECT 1', NULL]]);
CALL awa.rotate('claim');
CALL awa.evict('claim');
SELECT count(*) FROM awa.leases l JOIN worked w ON w.job = l.job_id WHERE w.name = 'evicted';
SELECT fates('evicted'), awa_ledger.post(jobs, legs(20)) > 0, awa.fail(receipt, 'no'), fates('evicted') FROM worked WHERE name = 'evicted';
-- a dead letter's holds are gone before it is tried again or purged
SELECT fates('fail, dead'), awa.retry_dead_letter(job) FROM worked WHERE name = 'fail, dead';
SELECT awa.purge_dead_letters('dead') > 0, count(*) FROM awa_ledger.open_holds;
SELECT * FROM awa_ledger.verify();
SELECT * FROM awa.check();
-- nothing is left but what still goes on: the attempt's that beats, and what belongs to jobs that will be tried again
SELECT string_agg(format('%s: %s', name, fates(name)), E'\n' ORDER BY name COLLATE "C") FROM worked WHERE fate(attempts) ~ 'held' OR fate(jobs) ~ 'held';

-- check() tells of those that outlive what they are bound to
BEGIN;
UPDATE awa_ledger.open_holds o SET run_lease = o.run_lease + 1 FROM worked w WHERE w.name = 'heartbeat' AND o.reservation = w.attempts;
UPDATE awa_ledger.open_holds o SET job_id = (SELECT job FROM worked WHERE name = 'complete') FROM worked w WHERE w.name = 'fail' AND o.reservation = w.jobs;
SELECT invariant, regexp_replace(object, '\d+', 'N'), regexp_replace(detail, '\d{2,}', 'N', 'g') FROM awa.check();
ROLLBACK;

-- a stale worker: nothing it does with money works
CALL ways(ARRAY[['stale', 'pay', 'SELECT later(''awa.rescue_stale()'')', NULL]]);
SELECT call, said(replace(replace(replace(call, '$R', quote_literal(receipt)), '$A', attempts::text), '$J', jobs::text))
FROM worked, unnest(ARRAY['SELECT transfer_id FROM awa_ledger.transfer(legs(1), receipt => $R)', 'SELECT awa_ledger.hold(1, 0, 1, 1, receipt => $R)', 'SELECT awa_ledger.hold(1, 0, 1, 1, receipt => $R, bind => ''job'')', 'SELECT awa_ledger.post($A, legs(1))',
    'SELECT awa_ledger.post($J, legs(1), receipt => $R)', 'SELECT awa_ledger.extend_hold($A, ''1 s'')', 'SELECT awa_ledger.void($A)', 'SELECT awa.complete(ARRAY[$R]::awa.receipt[], strict => true)', 'SELECT awa.complete(ARRAY[$R]::awa.receipt[])']) call WHERE name = 'stale';
SELECT fates('stale');
-- without a receipt the job's hold can be posted, by whoever is at it; not with that of another job
SELECT awa_ledger.create_account(3) \g /dev/null
CALL ways(ARRAY[['another', 'pay', 'SELECT 1', NULL]]);
SELECT said(format('SELECT awa_ledger.post(%s, legs(1), receipt => %L)', s.jobs, a.receipt)), said(format('SELECT awa_ledger.post(%s, legs(1), receipt => %L)', a.attempts, s.receipt)), said(format('SELECT awa_ledger.post(%s, legs(1)) > 0', s.jobs)) FROM worked s, worked a WHERE s.name = 'stale' AND a.name = 'another';

-- post and complete in one transaction; the other way round nothing is left to post
BEGIN;
SELECT awa_ledger.post(attempts, legs(10), receipt => receipt) > 0, awa.complete(ARRAY[receipt], strict => true) FROM worked WHERE name = 'another';
COMMIT;
SELECT fates('another');
CALL ways(ARRAY[['other way', 'pay', 'SELECT 1', NULL]]);
BEGIN;
SELECT awa.complete(ARRAY[receipt], strict => true) FROM worked WHERE name = 'other way';
SELECT awa_ledger.post(attempts, legs(10)) FROM worked WHERE name = 'other way';
ROLLBACK;
SELECT fates('other way');
-- a savepoint takes the end back, with what it freed
BEGIN;
SAVEPOINT s;
SELECT awa.complete(ARRAY[receipt]), fates('other way') FROM worked WHERE name = 'other way';
ROLLBACK TO s;
SELECT fates('other way'), awa_ledger.void(attempts), awa.complete(ARRAY[receipt]), fates('other way') FROM worked WHERE name = 'other way';
COMMIT;
-- in REPEATABLE READ and SERIALIZABLE as well
CALL ways(ARRAY[['rr', 'pay', 'SELECT 1', NULL], ['ser', 'pay', 'SELECT 1', NULL]]);
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT awa.complete(ARRAY[receipt]), fates('rr') FROM worked WHERE name = 'rr';
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT awa.fail(receipt, 'no', terminal => true), fates('ser') FROM worked WHERE name = 'ser';
COMMIT;

-- many at once: of some the holds were posted, of some not; those of others stay
SELECT count(awa.enqueue('spare', 'n')) FROM generate_series(1, 300) \g /dev/null
CREATE TABLE many AS SELECT c.receipt, c.job_id, row_number() OVER () AS n FROM awa.claim('{spare}', 1000) c;
SELECT awa.release(m.receipt) FROM many m JOIN worked w ON w.job = m.job_id;
DELETE FROM many m USING worked w WHERE w.job = m.job_id;
CREATE TABLE held AS SELECT m.n, m.receipt, awa_ledger.hold(1, 0, 1, m.n, '1 d', 'n', m.receipt, CASE m.n % 2 WHEN 0 THEN 'job' ELSE 'attempt' END) AS hold FROM many m WHERE n % 3 > 0 ORDER BY n;
-- of few the holds are looked for one by one, when many are between them
SELECT awa.complete(array_agg(receipt)) FROM many WHERE n IN (1, 2, 298);
SELECT string_agg(fate(hold), ', ' ORDER BY n) FROM held WHERE n IN (1, 2, 298) OR n IN (4, 299);
SELECT count(awa_ledger.post(hold, legs(1))) FROM held WHERE n % 5 = 0;
SELECT awa.complete(array_agg(receipt)) FROM many WHERE n % 7 > 0;
SELECT n % 7 > 0 AS completed, fate(hold), count(*) FROM held GROUP BY 1, 2 ORDER BY 1, 2;
SELECT count(*) FILTER (WHERE state = 'cancelled') FROM many, LATERAL (SELECT CASE WHEN awa.cancel(job_id) THEN 'cancelled' END) c(state) WHERE n % 7 = 0;
SELECT fate(hold), count(*) FROM held GROUP BY 1 ORDER BY 1;

-- keys: that of a hold that ended with its attempt, or came to nothing in it, can be used by the next attempt; not before
CREATE FUNCTION again(receipt awa.receipt, amount bigint DEFAULT 5, bind text DEFAULT 'attempt') RETURNS bigint LANGUAGE sql AS $$ SELECT awa_ledger.hold(1, 0, 1, amount, '1 d', 'k', receipt, bind, 'key ' || bind) $$;
SELECT awa.create_queue('keys', backoff_base => '1 ms', backoff_cap => '1 ms'), awa.enqueue('keys', 'k') > 0;
CREATE TABLE attempts (n int, receipt awa.receipt, a bigint, j bigint);
INSERT INTO attempts SELECT 1, receipt, again(receipt), again(receipt, 6, 'job') FROM awa.claim('{keys}') c;
SELECT again(receipt) = a, again(receipt, 6, 'job') = j, said(format('SELECT again(%L, 7)', receipt)) FROM attempts;
SELECT awa.fail(receipt, 'no'), pg_sleep(0.01), awa.promote_due() FROM attempts;
INSERT INTO attempts SELECT 2, receipt, again(receipt), again(receipt, 6, 'job') FROM awa.claim('{keys}') c;
SELECT n, fate(a), fate(j), j = max(j) OVER () AS same, a = max(a) OVER () AS newest FROM attempts ORDER BY n;
-- voided by hand: the same attempt is answered as before, the next one holds anew; also with another amount
SELECT awa_ledger.void(a), again(receipt) = a, fate(a) FROM attempts WHERE n = 2;
SELECT awa.fail(receipt, 'no'), pg_sleep(0.01), awa.promote_due() FROM attempts WHERE n = 2;
INSERT INTO attempts SELECT 3, receipt, again(receipt, 7), again(receipt, 6, 'job') FROM awa.claim('{keys}') c;
SELECT n, fate(a), fate(j) FROM attempts ORDER BY n;
-- posted: the next attempt is answered with that, and told so
SELECT awa_ledger.post(a, legs(7)) > 0 FROM attempts WHERE n = 3;
SELECT awa.fail(receipt, 'no'), pg_sleep(0.01), awa.promote_due() FROM attempts WHERE n = 3;
INSERT INTO attempts SELECT 4, receipt, again(receipt, 7), again(receipt, 6, 'job') FROM awa.claim('{keys}') c;
SELECT n, a = min(a) FILTER (WHERE n = 3) OVER () AS third, said(format('SELECT awa_ledger.post(%s, legs(7))', a)) FROM attempts ORDER BY n;
SELECT said(format('SELECT awa_ledger.post(%s, legs(7), receipt => %L)', a, receipt)) FROM attempts WHERE n = 4;
-- the job's: free with the job, for anybody and anything
SELECT awa.complete(ARRAY[receipt]), fate(j) FROM attempts WHERE n = 4;
SELECT replayed FROM awa_ledger.transfer(legs(1), 'key job');
SELECT key, use FROM awa_ledger.hold_requests ORDER BY key COLLATE "C", use;
SELECT request_key FROM awa_ledger.transfers WHERE request_key IS NOT NULL;
-- another job is not answered with the hold of this one
SELECT awa.enqueue('keys', 'k') > 0, awa.enqueue('keys', 'k') > 0;
CREATE TABLE two AS SELECT receipt, row_number() OVER () AS n FROM awa.claim('{keys}', 2);
SELECT n, said(format('SELECT again(%L, 9, ''job'') > 0', receipt)), said(format('SELECT awa_ledger.hold(1, 0, 1, 9, idempotency_key => ''of two'', receipt => %L) > 0', receipt)) FROM two ORDER BY n;
SELECT * FROM awa_ledger.verify();
SELECT * FROM awa.check();
SELECT * FROM awa_ledger.rebuild_live();
SELECT awa_ledger.balance(0, 0, 1) + awa_ledger.balance(1, 0, 1) + awa_ledger.balance(2, 0, 1);

-- what it costs attempts without holds: buffers of the completion of 1,000, beside no hold, beside some of other jobs, beside many
-- whose jobs lie between theirs
CREATE FUNCTION buffers_of(receipts awa.receipt[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE format('EXPLAIN (ANALYZE, BUFFERS, FORMAT json) SELECT awa.complete(%L::awa.receipt[])', receipts) INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::int + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::int;
END $$;
-- nothing is held: the table is empty, to the last page
SELECT count(*) FROM (SELECT awa.drop_queue(queue, force => true) FROM awa.list_queues()) d;
SELECT count(*) FROM awa_ledger.open_holds;
VACUUM awa_ledger.open_holds;
SELECT awa.create_queue('free'), awa.create_queue('held') \g /dev/null
CREATE TABLE cost (n serial, what text, buffers int);
-- 1,000 jobs, and so many that have holds, before them or between them
CREATE PROCEDURE measure(what text, before int, amid int) LANGUAGE plpgsql AS $$
DECLARE rs awa.receipt[];
BEGIN
    PERFORM awa.enqueue('held', 'x') FROM generate_series(1, before);
    PERFORM awa.enqueue(CASE WHEN n * amid / (1000 + amid) > (n - 1) * amid / (1000 + amid) THEN 'held' ELSE 'free' END, 'x') FROM generate_series(1, 1000 + amid) n;
    COMMIT;
    PERFORM awa_ledger.hold(1, 0, 1, 1, '1 d', 'x', c.receipt) FROM awa.claim('{held}', 5000) c;
    COMMIT;
    rs := ARRAY(SELECT c.receipt FROM awa.claim('{free}', 1000) c);
    COMMIT;
    INSERT INTO cost (what, buffers) VALUES (what, buffers_of(rs));
    COMMIT;
END $$;
CALL measure('warm', 0, 0);
CALL measure('none', 0, 0);
CALL measure('before', 500, 0);
CALL measure('few between', 0, 50);
CALL measure('between', 0, 500);
SELECT what, CASE WHEN c.buffers - none.buffers < 15 THEN 'a handful more' ELSE format('%s beside %s', c.buffers, none.buffers) END FROM cost c, (SELECT buffers FROM cost WHERE what = 'none') none WHERE what <> 'warm' ORDER BY n;
\c :home
DROP DATABASE regress_awa_bound_holds WITH (FORCE);
