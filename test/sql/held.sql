-- What is said when somebody else has what a call needs, and does not end; and when evidence is missing. Whoever has it is a
-- prepared transaction, so that one session can tell it all. Nobody is waited for here.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
\set SHOW_CONTEXT never
SET awa_ring.claim_wait = 0;
SET awa_ring.key_wait = 0;
SELECT awa.create_queue('held'), awa.create_queue('letters', max_attempts => 1, dead_letter => true), awa.create_queue('going', max_attempts => 1);
-- what numbers there are in a message depends on what was drawn before
CREATE FUNCTION pg_temp.said(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text;
    detail text;
    hint text;
BEGIN
    EXECUTE call;
    RETURN regexp_replace(call, '[0-9a-f]{8}-[0-9a-f-]{27}|[0-9:-]{6,}|[0-9]+', 'N', 'g') || ': nothing';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(E'\n  ', regexp_replace(call, '[0-9a-f]{8}-[0-9a-f-]{27}|[0-9:-]{6,}|[0-9]+', 'N', 'g') || ': ' || SQLSTATE, regexp_replace(message, '(job|letter) \d+', '\1 N'),
                     nullif(regexp_replace(detail, 'position \d+', 'position N'), ''), nullif(hint, ''));
END $$;
\pset format unaligned
\pset tuples_only on
SELECT awa.enqueue('held', 'running') AS running \gset
SELECT receipt FROM awa.claim('{held}') \gset
SELECT awa.enqueue('held', 'waiting', unique_key => 'waiting') AS waiting \gset
SELECT awa.enqueue('held', 'also waiting') AS also \gset
SELECT awa.enqueue('held', 'scheduled', run_at => now() + interval '1 h', unique_key => 'scheduled') AS scheduled \gset
SELECT awa.enqueue('going', 'over') AS over \gset
SELECT awa.fail(receipt, 'over') FROM awa.claim('{going}');

-- an attempt that somebody is about to end
BEGIN;
SELECT awa.complete_one(:'receipt');
PREPARE TRANSACTION 'ends';
SELECT pg_temp.said(format(call, :'receipt')) FROM unnest(ARRAY['SELECT awa.complete(ARRAY[%L])', 'SELECT awa.complete_one(%L)', 'SELECT * FROM awa.complete_each(ARRAY[%L])',
    'SELECT * FROM awa.complete_and_claim(ARRAY[%L], ''{held}'')', 'SELECT awa.fail(%L, ''x'')', 'SELECT * FROM awa.fail_many(ARRAY[%L], ''{x}'')', 'SELECT awa.snooze(%L, ''1 s'')',
    'SELECT awa.release(%L)', 'SELECT awa.release_many(ARRAY[%L])', 'SELECT awa.wait_external(%L, ''1 s'')']) call;
SELECT pg_temp.said(format(call, :running)) FROM unnest(ARRAY['SELECT awa.cancel(%s)', 'SELECT awa.cancel_many(ARRAY[%s])', 'SELECT awa.delete_job(%s)']) call;
SELECT pg_temp.said('SELECT awa.drop_queue(''held'', force => true)');
SELECT state FROM awa.heartbeat(ARRAY[:'receipt']);
ROLLBACK PREPARED 'ends';
-- … that waits for a callback
SELECT awa.wait_external(:'receipt', '1 h') AS token \gset
BEGIN;
SELECT awa.complete_external(:'token');
PREPARE TRANSACTION 'answers';
SELECT pg_temp.said(format(call, :'token')) FROM unnest(ARRAY['SELECT awa.complete_external(%L)', 'SELECT awa.fail_external(%L, ''x'')', 'SELECT awa.retry_external(%L)', 'SELECT awa.extend_external(%L, ''1 s'')']) call;
ROLLBACK PREPARED 'answers';

-- a job that waits on a lane from which somebody claims
BEGIN;
SELECT kind FROM awa.claim('{held}');
PREPARE TRANSACTION 'claims';
SELECT pg_temp.said(format(call, :waiting)) FROM unnest(ARRAY['SELECT awa.cancel(%s)', 'SELECT awa.cancel_many(ARRAY[%s])', 'SELECT awa.delete_job(%s)', 'SELECT awa.set_priority(%s, 1)', 'SELECT awa.move(%s, ''letters'')']) call;
SELECT pg_temp.said(call) FROM unnest('{SELECT awa.purge_queue(''held''),"SELECT awa.drop_queue(''held'', force => true)","SELECT awa.enqueue(''held'', ''x'', unique_key => ''waiting'', on_conflict => ''replace'')"}'::text[]) call;
SELECT count(*) AS claimed FROM awa.claim('{held}');
ROLLBACK PREPARED 'claims';

-- a deferred job that somebody changes
BEGIN;
SELECT awa.set_priority(:scheduled, 1);
PREPARE TRANSACTION 'changes';
SELECT pg_temp.said(format(call, :scheduled)) FROM unnest(ARRAY['SELECT awa.cancel(%s)', 'SELECT awa.delete_job(%s)', 'SELECT awa.set_priority(%s, 1)', 'SELECT awa.move(%s, ''letters'')']) call;
SELECT pg_temp.said('SELECT awa.enqueue(''held'', ''x'', unique_key => ''scheduled'', on_conflict => ''replace'')');
ROLLBACK PREPARED 'changes';

-- a queue that somebody drops, or produces for
SELECT awa.enqueue('letters', 'dead') AS dead \gset
SELECT awa.fail(receipt, 'died') FROM awa.claim('{letters}');
BEGIN;
SELECT awa.drop_queue('going'), awa.drop_queue('letters');
PREPARE TRANSACTION 'drops';
SELECT pg_temp.said(call) FROM unnest('{"SELECT awa.enqueue(''going'', ''x'')","SELECT awa.enqueue_many(''going'', ''x'', ''{1}'')","SELECT awa.enqueue_jobs(''[{\"queue\": \"going\", \"kind\": \"x\"}]'')",SELECT awa.drop_queue(''going'')}'::text[]) call;
SELECT pg_temp.said(format(call, :waiting)) FROM unnest(ARRAY['SELECT awa.move(%s, ''going'')']) call;
SELECT pg_temp.said(format('SELECT awa.retry(%s)', :over));
SELECT pg_temp.said(format('SELECT awa.retry_dead_letter(%s)', :dead));
SELECT pg_temp.said('SELECT awa.retry_dead_letters(''letters'')');
COMMIT PREPARED 'drops';
SELECT pg_temp.said(format('SELECT awa.retry(%s)', :over));
SELECT pg_temp.said(format('SELECT awa.retry_dead_letter(%s)', :dead));
BEGIN;
SELECT awa.enqueue('held', 'undecided') > 0;
PREPARE TRANSACTION 'produces';
SELECT pg_temp.said(call) FROM unnest('{SELECT awa.drop_queue(''held''),"SELECT awa.drop_queue(''held'', force => true)"}'::text[]) call;
ROLLBACK PREPARED 'produces';
SELECT pg_temp.said('SELECT awa.drop_queue(''held'')');

-- a key that another job holds, in every way of coming back to it
SELECT awa.create_queue('keys', dead_letter => true, max_attempts => 1), awa.create_queue('other');
SELECT awa.enqueue('keys', 'old', unique_key => 'k') AS old \gset
SELECT awa.fail(receipt, 'died') FROM awa.claim('{keys}');
SELECT awa.enqueue('keys', 'older', unique_key => 'k') AS older \gset
SELECT awa.cancel(:older);
SELECT awa.enqueue('keys', 'new', unique_key => 'k') > 0;
SELECT awa.enqueue('other', 'new', unique_key => 'k') AS other \gset
SELECT pg_temp.said(call) FROM unnest(ARRAY['SELECT awa.enqueue(''keys'', ''x'', unique_key => ''k'')', 'SELECT awa.enqueue_many(''keys'', ''x'', ''{1,2}'', unique_keys => ''{l,k}'')',
    'SELECT awa.enqueue_many(''keys'', ''x'', ''{1,2}'', unique_keys => ''{m,m}'')', format('SELECT awa.retry_dead_letter(%s)', :old), 'SELECT awa.retry_dead_letters(''keys'')',
    format('SELECT awa.retry(%s)', :older), format('SELECT awa.move(%s, ''keys'')', :other)]) call;
SELECT receipt AS running FROM awa.claim('{keys}') \gset
SELECT pg_temp.said('SELECT awa.enqueue(''keys'', ''x'', unique_key => ''k'', on_conflict => ''replace'')');
SELECT * FROM awa.check();

-- evidence that is missing: the entry of an attempt, the queue of one, the entry of a job that ended
SELECT awa.enqueue('other', 'lost') AS lost \gset
SELECT awa.cancel(:other);
SELECT receipt AS lost_receipt FROM awa.claim('{other}') \gset
BEGIN;
DELETE FROM awa.ready_entries WHERE kind = 'lost';
SELECT pg_temp.said(format(call, :'lost_receipt')) FROM unnest(ARRAY['SELECT awa.fail(%L, ''x'')', 'SELECT awa.snooze(%L, ''1 s'')', 'SELECT awa.release(%L)', 'SELECT awa.wait_external(%L, ''1 s'')']) call;
SELECT pg_temp.said(format('SELECT awa.cancel(%s)', :lost));
SELECT pg_temp.said(format('SELECT awa.delete_job(%s)', :lost));
ROLLBACK;
BEGIN;
DELETE FROM awa.queues WHERE queue = 'other';
SELECT regexp_replace(pg_temp.said(format(call, :'lost_receipt')), '(queue|lane) \d+', '\1 N', 'g') FROM unnest(ARRAY['SELECT awa.fail(%L, ''x'')', 'SELECT * FROM awa.heartbeat(ARRAY[%L])']) call;
ROLLBACK;
BEGIN;
SELECT awa.cancel(:lost);
DELETE FROM awa.ready_entries WHERE kind = 'lost';
SELECT pg_temp.said(format('SELECT awa.retry(%s)', :lost));
ROLLBACK;
-- rows that were changed, or are locked, past the functions
SELECT state FROM awa.heartbeat(ARRAY[:'lost_receipt']);
BEGIN;
SELECT FROM awa.attempt_state FOR UPDATE;
PREPARE TRANSACTION 'by hand';
SELECT pg_temp.said(format(call, :'lost_receipt')) FROM unnest(ARRAY['SELECT * FROM awa.heartbeat(ARRAY[%L])', 'SELECT awa.complete_one(%L)']) call;
ROLLBACK PREPARED 'by hand';
-- what a restore left
INSERT INTO awa.foreign_loads (leaf) VALUES ('by hand');
SELECT pg_temp.said('SELECT * FROM awa.claim(''{other}'')');
CALL awa.after_restore();
SELECT * FROM awa.check();
