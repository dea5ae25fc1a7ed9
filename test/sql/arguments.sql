-- Null, negative, zero, huge and infinite values of every argument of every function: one line each, with what it means
-- (ok) or how it is refused: SQLSTATE | message | detail | hint.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
SELECT awa.create_queue('arguments');
\pset format unaligned
\pset tuples_only on
\pset footer off
-- calls a function of awa with usual arguments, one of them replaced by each value in turn
CREATE FUNCTION pg_temp.try(function text, usual jsonb, argument text, VARIADIC strange text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    value text;
    call text;
    message text;
    detail text;
    hint text;
BEGIN
    FOREACH value IN ARRAY strange LOOP
        call := (SELECT format('SELECT count(*) FROM awa.%I(%s)', function, string_agg(format('%I => %s', key, a.value), ', ' ORDER BY key COLLATE "C"))
                 FROM jsonb_each_text(usual || jsonb_build_object(argument, value)) a);
        BEGIN
            EXECUTE call;
            RETURN NEXT format('%s(%s => %s): ok', function, argument, value);
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
            -- what PostgreSQL itself says of a call that fits no function changes
            IF SQLSTATE = '42883' THEN message := 'no such function'; hint := ''; END IF;
            RETURN NEXT concat_ws(' | ', format('%s(%s => %s): %s', function, argument, value, SQLSTATE), message, nullif(detail, ''), nullif(hint, ''));
        END;
    END LOOP;
END $$;

-- queues
SELECT pg_temp.try(f, '{"queue": "''arguments''"}', 'queue', 'NULL', '''''', '''nowhere''', 'repeat(''q'', 201)') FROM unnest('{alter_queue,drop_queue,pause_queue,resume_queue,purge_queue,channel,queue_counts}'::text[]) f;
SELECT pg_temp.try('create_queue', '{}', 'queue', 'NULL', '''''', 'repeat(''q'', 201)');
SELECT pg_temp.try(f, '{"queue": "''arguments''"}', 'enqueue_shards', 'NULL', '-2147483648', '-1', '0', '65', '2147483647', '64') FROM unnest('{create_queue,alter_queue}'::text[]) f;
SELECT pg_temp.try(f, '{"queue": "''arguments''"}', 'max_attempts', 'NULL', '-2147483648', '-1', '0', '1001', '2147483647', '1000') FROM unnest('{create_queue,alter_queue}'::text[]) f;
SELECT pg_temp.try(f, '{"queue": "''arguments''"}', a, 'NULL', '''-1 microsecond''', '''0''', '''1 microsecond''', '''100 years''', '''101 years''', '''-178000000 years''', '''178000000 years''', '''1 mon -31 days''')
FROM unnest('{create_queue,alter_queue}'::text[]) f, unnest('{deadline,stale_after,aging,backoff_base,backoff_cap,failed_retention,dead_letter_retention}'::text[]) a;
SELECT pg_temp.try(f, '{"queue": "''arguments''"}', a, 'NULL', 'true') FROM unnest('{create_queue,alter_queue}'::text[]) f, unnest('{dead_letter,notify}'::text[]) a;
SELECT pg_temp.try('alter_queue', '{"queue": "''arguments''"}', 'enqueue_shards', '1'), awa.alter_queue('arguments', deadline => '0', aging => '0');
SELECT awa.create_queue('dropped');
SELECT pg_temp.try('drop_queue', '{"queue": "''dropped''"}', 'force', 'NULL', 'true');

-- producing
SELECT pg_temp.try(f, u::jsonb, 'queue', 'NULL', '''''', '''nowhere''', 'repeat(''q'', 201)') FROM (VALUES ('enqueue', '{"kind": "''k''"}'), ('enqueue_many', '{"kind": "''k''", "args": "''{1}''"}')) v(f, u);
SELECT pg_temp.try(f, u::jsonb, 'kind', 'NULL', '''''', 'repeat(''k'', 201)') FROM (VALUES ('enqueue', '{"queue": "''arguments''"}'), ('enqueue_many', '{"queue": "''arguments''", "args": "''{1}''"}')) v(f, u);
SELECT pg_temp.try('enqueue', '{"queue": "''arguments''", "kind": "''k''"}', 'args', 'NULL', '''null''', 'to_jsonb(repeat(''x'', 1048576))');
SELECT pg_temp.try('enqueue_many', '{"queue": "''arguments''", "kind": "''k''"}', 'args', 'NULL', '''{}''', '''{NULL}''', '''{1,NULL}''', '''{{1},{2}}''', '''{"null"}''', 'ARRAY[to_jsonb(repeat(''x'', 1048576))]');
\set enqueue '(VALUES (''enqueue'', ''{"queue": "''''arguments''''", "kind": "''''k''''"}''::jsonb), (''enqueue_many'', ''{"queue": "''''arguments''''", "kind": "''''k''''", "args": "''''{1}''''"}'')) v(f, u)'
SELECT pg_temp.try(f, u, 'priority', 'NULL', '-2147483648', '-1', '0', '5', '2147483647', '1', '4') FROM :enqueue;
SELECT pg_temp.try(f, u, 'run_at', 'NULL', '''-infinity''', '''4713-01-01 00:00+00 BC''', 'now()', '''infinity''', '''294276-01-01 00:00+00''', 'now() + interval ''1 h''', 'now() + interval ''1 year''', 'now() + interval ''99 years 360 days''', '''2200-01-01 00:00+00''') FROM :enqueue;
SELECT pg_temp.try(f, u, 'max_attempts', 'NULL', '-2147483648', '-1', '0', '1001', '2147483647', '1', '1000') FROM :enqueue;
SELECT pg_temp.try(f, u, 'deadline', 'NULL', '''-1 s''', '''-1 microsecond''', '''0''', '''1 microsecond''', '''1 s''', '''1 year''', '''100 years''', '''101 years''', '''178000000 years''', '''-178000000 years''') FROM :enqueue;
SELECT pg_temp.try('enqueue', u, 'unique_key', 'NULL', '''''', '''u''', '''u''', 'repeat(''u'', 1000)', 'repeat(''u'', 1001)') FROM :enqueue WHERE f = 'enqueue';
SELECT pg_temp.try('enqueue_many', u, 'unique_keys', 'NULL', '''{}''', '''{NULL}''', '''{v}''', '''{v}''', '''{""}''', '''{NULL,NULL}''', '''{{NULL}}''') FROM :enqueue WHERE f = 'enqueue_many';
SELECT pg_temp.try(f, u, 'unique_while', 'NULL', '''{}''', '''{NULL}''', '''{{running}}''', '''{running,completed}''', '''{running,running}''', '''{""}''') FROM :enqueue;
SELECT pg_temp.try('enqueue', u || '{"unique_key": "''w''"}', 'unique_while', 'NULL', '''{}''', '''{running}''', '''{available,waiting_external}''', '''{scheduled,retryable}''', '''{available,running}''') FROM :enqueue WHERE f = 'enqueue';
SELECT pg_temp.try(f, u, 'on_conflict', 'NULL', '''''', '''RAISE''', '''ignore''', '''replace''', 'repeat(''x'', 100)') FROM :enqueue;
SELECT pg_temp.try('enqueue', u, 'ordering_key', 'NULL', '''''', 'repeat(''k'', 100000)') FROM :enqueue WHERE f = 'enqueue';
SELECT pg_temp.try('enqueue_many', u, 'ordering_keys', 'NULL', '''{}''', '''{NULL}''', '''{k}''', '''{k,l}''', '''{{k}}''') FROM :enqueue WHERE f = 'enqueue_many';
SELECT pg_temp.try(f, u, 'metadata', 'NULL', '''{}''', '''null''', '''[]''', '''1''', 'jsonb_build_object(''x'', repeat(''x'', 1048576))') FROM :enqueue;
SELECT pg_temp.try(f, u, 'tags', 'NULL', '''{}''', '''{NULL}''', '''{a,NULL}''', '''{{a},{b}}''', '''{""}''', 'array_fill(''t''::text, ARRAY[20])', 'array_fill(''t''::text, ARRAY[21])', 'ARRAY[repeat(''t'', 201)]', '''[5:5]={t}''') FROM :enqueue;
SELECT pg_temp.try('enqueue_jobs', '{}', 'jobs', 'NULL', '''null''', '''{}''', '''[]''', '''[null]''', '''[{}]''', '''[{"queue": "arguments", "kind": "k", "priority": -1}]''', '''[{"queue": "arguments", "kind": "k", "max_attempts": 99999999999999999999}]''',
    '''[{"queue": "arguments", "kind": "k", "run_at": "infinity"}]''', '''[{"queue": "arguments", "kind": "k", "run_at": "-infinity"}]''');

-- managing
SELECT pg_temp.try(f, '{}', 'job_id', 'NULL', '0', '-1', '9223372036854775807', '9223372036854775808') FROM unnest('{cancel,retry,delete_job}'::text[]) f;
SELECT pg_temp.try('cancel', '{"job_id": "0"}', 'reason', 'NULL', '''''', 'repeat(''r'', 100000)');
SELECT pg_temp.try('cancel_many', '{}', 'job_ids', 'NULL', '''{}''', '''{NULL}''', '''{0,NULL}''', '''{{0},{1}}''', '''{0,0}''', '''[3:3]={0}''');
SELECT pg_temp.try('set_priority', '{"priority": "1"}', 'job_id', 'NULL', '0');
SELECT pg_temp.try('set_priority', '{"job_id": "0"}', 'priority', 'NULL', '-2147483648', '-1', '0', '5', '2147483647', '1', '4');
SELECT pg_temp.try('move', '{"queue": "''arguments''"}', 'job_id', 'NULL', '0');
SELECT pg_temp.try('move', '{"job_id": "0"}', 'queue', 'NULL', '''''', '''nowhere''', 'repeat(''q'', 201)', '''arguments''');

-- claiming
\set claim '(VALUES (''claim'', ''{"queues": "''''{arguments}''''"}''::jsonb), (''complete_and_claim'', ''{"receipts": "NULL", "queues": "''''{arguments}''''"}'')) v(f, u)'
SELECT pg_temp.try(f, u, 'queues', 'NULL', '''{}''', '''{NULL}''', '''{arguments,NULL}''', '''{{arguments},{arguments}}''', '''{""}''', '''{nowhere}''', '''{arguments,arguments}''', '''[7:7]={arguments}''', 'ARRAY[repeat(''q'', 201)]',
    'array_fill(''arguments''::text, ARRAY[1000])', 'array_fill(''arguments''::text, ARRAY[1001])') FROM :claim;
SELECT pg_temp.try(f, u, 'max_batch', 'NULL', '-2147483648', '-1', '0', '10001', '2147483647', '2147483648', '10000') FROM :claim;
SELECT pg_temp.try('claim', u, 'deadline', 'NULL', '''-1 microsecond''', '''0''', '''1 microsecond''', '''100 years''', '''101 years''', '''178000000 years''', '''-178000000 years''') FROM :claim WHERE f = 'claim';
SELECT pg_temp.try('claim_ready_runtime', '{"max_batch": 1}', 'queue', 'NULL', '''''', '''nowhere''', 'repeat(''q'', 201)');
SELECT pg_temp.try('claim_ready_runtime', '{"queue": "''arguments''"}', 'max_batch', 'NULL', '-2147483648', '-1', '0', '10001', '2147483647', '10000');
SELECT pg_temp.try('claim_ready_runtime', '{"queue": "''arguments''", "max_batch": 1}', a, 'NULL', '-1', '-1e-300', '0', '''-0''', '1e-300', '0.001', '3110400000', '3110400001', '4e9', '1e300', '''Infinity''', '''-Infinity''', '''NaN''') FROM unnest('{deadline_secs,aging_secs}'::text[]) a;

-- completing, and what became of receipts
SELECT pg_temp.try(f, u::jsonb, 'receipts', 'NULL', '''{}''', '''{NULL}''', '''{0:0:0:0:0:0,NULL}''', '''{{0:0:0:0:0:0},{0:0:0:0:0:0}}''', '''{x}''', '''{""}''', '''[9:9]={0:0:0:0:0:0}''', '''{-1:-1:-1:-1:-1:-1,0:0:0:0:0:0}''',
    '''{32767:9223372036854775807:9223372036854775807:9223372036854775807:9223372036854775807:9223372036854775807}''', '''{32768:0:0:0:0:0}''', '''{0:9223372036854775808:0:0:0:0}''')
FROM (VALUES ('complete', '{}'), ('complete_each', '{}'), ('complete_and_claim', '{"queues": "''{arguments}''"}'), ('receipt_states', '{}')) v(f, u);
SELECT pg_temp.try(f, '{}', 'receipt', 'NULL', '''0:0:0:0:0:0''', '''-1:-1:-1:-1:-1:-1''', '''32767:9223372036854775807:9223372036854775807:9223372036854775807:9223372036854775807:9223372036854775807''', '''x''', '''''') FROM unnest('{complete_one,receipt_state}'::text[]) f;
SELECT pg_temp.try('complete', '{"receipts": "NULL"}', 'strict', 'NULL', 'true', 'false');
SELECT pg_temp.try('complete', '{"receipts": "''{0:0:0:0:0:0}''"}', 'strict', 'NULL', 'true', 'false');
SELECT pg_temp.try('complete_and_claim', '{"receipts": "''{0:0:0:0:0:0}''", "queues": "''{arguments}''"}', 'strict', 'NULL', 'true', 'false');
SELECT pg_temp.try('complete_one', '{"receipt": "''0:0:0:0:0:0''"}', 'result', 'NULL', '''null''', 'to_jsonb(repeat(''x'', 1048576))');
SELECT pg_temp.try('complete_each', '{"receipts": "''{0:0:0:0:0:0}''"}', 'results', 'NULL', '''{NULL}''', '''{"null"}''', '''{}''', '''{1,2}''', '''{{1}}''', 'ARRAY[to_jsonb(repeat(''x'', 1048576))]');

-- ending attempts without success, heartbeats, callbacks
SELECT pg_temp.try(f, u::jsonb, 'receipts', 'NULL', '''{}''', '''{NULL}''', '''{0:0:0:0:0:0,NULL}''', '''{{0:0:0:0:0:0},{0:0:0:0:0:0}}''', '''{x}''', '''{""}''', '''[9:9]={0:0:0:0:0:0}''', '''{-1:-1:-1:-1:-1:-1,0:0:0:0:0:0}''',
    '''{32767:9223372036854775807:9223372036854775807:9223372036854775807:9223372036854775807:9223372036854775807}''', '''{32768:0:0:0:0:0}''')
FROM (VALUES ('release_many', '{}'), ('heartbeat', '{}'), ('fail_many', '{"errors": "''{e}''"}')) v(f, u);
SELECT pg_temp.try(f, u::jsonb, 'receipt', 'NULL', '''0:0:0:0:0:0''', '''-1:-1:-1:-1:-1:-1''', '''32767:9223372036854775807:9223372036854775807:9223372036854775807:9223372036854775807:9223372036854775807''', '''x''', '''''')
FROM (VALUES ('fail', '{"error": "''e''"}'), ('snooze', '{"delay": "''1 s''"}'), ('release', '{}'), ('wait_external', '{"timeout": "''1 s''"}')) v(f, u);
SELECT pg_temp.try('fail', '{"receipt": "''0:0:0:0:0:0''"}', 'error', 'NULL', '''''', 'repeat(''e'', 10000000)');
SELECT pg_temp.try(f, u::jsonb, a, 'NULL', '''-1 microsecond''', '''0''', '''1 microsecond''', '''100 years''', '''101 years''', '''-178000000 years''', '''178000000 years''', '''1 mon -31 days''')
FROM (VALUES ('fail', '{"receipt": "''0:0:0:0:0:0''", "error": "''e''"}', 'retry_after'), ('snooze', '{"receipt": "''0:0:0:0:0:0''"}', 'delay'), ('wait_external', '{"receipt": "''0:0:0:0:0:0''"}', 'timeout'),
    ('extend_external', '{"token": "''00000000-0000-0000-0000-000000000000''"}', 'timeout')) v(f, u, a);
SELECT pg_temp.try(f, u::jsonb, 'terminal', 'NULL', 'true', 'false') FROM (VALUES ('fail', '{"receipt": "''0:0:0:0:0:0''", "error": "''e''"}'), ('fail_external', '{"token": "''00000000-0000-0000-0000-000000000000''", "error": "''e''"}')) v(f, u);
\set many '''{"receipts": "\'\'{0:0:0:0:0:0,1:0:0:0:0:0}\'\'", "errors": "\'\'{e,f}\'\'"}'''
SELECT pg_temp.try('fail_many', :many, 'errors', 'NULL', '''{}''', '''{e}''', '''{e,NULL}''', '''{{e},{f}}''', '''{"",""}''', '''[4:5]={e,f}''');
SELECT pg_temp.try('fail_many', :many, 'retry_after', 'NULL', '''{}''', '''{NULL,NULL}''', '''{0,-1 s}''', '''{101 years,0}''', '''{1 s}''', '''{{1 s},{1 s}}''');
SELECT pg_temp.try('fail_many', :many, 'terminal', 'NULL', '''{}''', '''{NULL,NULL}''', '''{t,f}''', '''{t}''', '''{{t},{f}}''');
SELECT pg_temp.try('heartbeat', '{"receipts": "''{0:0:0:0:0:0}''"}', 'progress', 'NULL', '''{NULL}''', '''{"null"}''', '''{}''', '''{1,2}''', '''{{1}}''', 'ARRAY[to_jsonb(repeat(''x'', 1048576))]');
SELECT pg_temp.try(f, u::jsonb, 'token', 'NULL', '''00000000-0000-0000-0000-000000000000''', '''ffffffff-ffff-ffff-ffff-ffffffffffff''', '''x''')
FROM (VALUES ('complete_external', '{}'), ('fail_external', '{"error": "''e''"}'), ('retry_external', '{}'), ('extend_external', '{"timeout": "''1 s''"}')) v(f, u);
SELECT pg_temp.try('complete_external', '{"token": "''00000000-0000-0000-0000-000000000000''"}', a, VARIADIC v) FROM (VALUES ('result', ARRAY['NULL', '''null''', 'to_jsonb(repeat(''x'', 1048576))']), ('resume', ARRAY['NULL', 'true', 'false'])) w(a, v);
SELECT pg_temp.try('fail_external', '{"token": "''00000000-0000-0000-0000-000000000000''"}', 'error', 'NULL', '''''', 'repeat(''e'', 10000000)');

-- dead letters
SELECT pg_temp.try('list_dead_letters', '{}', a, VARIADIC v) FROM (VALUES ('queue', ARRAY['NULL', '''''', '''nowhere''', '''arguments''']), ('after', ARRAY['NULL', '-9223372036854775808', '0', '9223372036854775807']),
    ('max_rows', ARRAY['NULL', '-2147483648', '-1', '0', '1', '10000', '10001', '2147483647'])) w(a, v);
SELECT pg_temp.try('retry_dead_letter', '{"job_id": "0"}', a, VARIADIC v) FROM (VALUES ('job_id', ARRAY['NULL', '-9223372036854775808', '0', '9223372036854775807', '9223372036854775808']),
    ('run_at', ARRAY['NULL', '''-infinity''', '''infinity''', 'now() + interval ''99 years''']), ('queue', ARRAY['NULL', '''''', '''nowhere''', '''arguments''', 'repeat(''q'', 201)'])) w(a, v);
SELECT pg_temp.try(f, '{}', a, VARIADIC v) FROM unnest('{retry_dead_letters,purge_dead_letters}'::text[]) f, (VALUES ('queue', ARRAY['NULL', '''''', '''nowhere''', '''arguments''', 'repeat(''q'', 201)']), ('kind', ARRAY['NULL', '''''', '''k''', 'repeat(''k'', 201)']),
    ('everything', ARRAY['NULL', 'true', 'false'])) w(a, v);

-- rings, and single jobs; procedures that commit are called from the top, where no block could catch what they raise
\set ON_ERROR_STOP 0
\set SHOW_CONTEXT never
CALL awa.rotate(NULL); \echo :LAST_ERROR_SQLSTATE
CALL awa.rotate(''); \echo :LAST_ERROR_SQLSTATE
CALL awa.rotate('Queue'); \echo :LAST_ERROR_SQLSTATE
CALL awa.rotate(repeat('r', 21)); \echo :LAST_ERROR_SQLSTATE
CALL awa.prune(NULL); \echo :LAST_ERROR_SQLSTATE
CALL awa.prune(''); \echo :LAST_ERROR_SQLSTATE
CALL awa.prune('Queue'); \echo :LAST_ERROR_SQLSTATE
CALL awa.prune(repeat('r', 21)); \echo :LAST_ERROR_SQLSTATE
CALL awa.rotate('lease', 'what is given as outcome is not looked at');
CALL awa.prune('lease', NULL);
\set ON_ERROR_STOP 1
SELECT pg_temp.try('delete_job', '{}', 'job_id', 'NULL', '-9223372036854775808', '-1', '0', '9223372036854775807', '9223372036854775808');

-- looking, and who may
SELECT pg_temp.try('load_job', '{}', 'job_id', 'NULL', '-9223372036854775808', '-1', '0', '9223372036854775807', '9223372036854775808');
SELECT pg_temp.try(f, '{}', 'role', 'NULL', '''nobody there''', '0', '4294967295', '''''', '''-''') FROM unnest('{grant_producer,grant_worker,grant_reader,grant_admin,revoke_all}'::text[]) f;

-- interval cannot be infinite before PostgreSQL 17: refused one way or the other
SELECT f, a, v, substring(pg_temp.try(f, u || '{"queue": "''arguments''"}', a, v) FROM ': (22007|22023)') IS NOT NULL AS refused
FROM unnest('{create_queue,alter_queue}'::text[]) f, unnest('{deadline,stale_after,aging,backoff_base,backoff_cap,failed_retention,dead_letter_retention}'::text[]) a, unnest('{''infinity'',''-infinity''}'::text[]) v, (SELECT '{}'::jsonb AS u) u
UNION ALL
SELECT f, 'deadline', v, substring(pg_temp.try(f, u, 'deadline', v) FROM ': (22007|22023)') IS NOT NULL
FROM (VALUES ('claim', '{"queues": "''{arguments}''"}'::jsonb), ('enqueue', '{"queue": "''arguments''", "kind": "''k''"}')) c(f, u), unnest('{''infinity'',''-infinity''}'::text[]) v
UNION ALL
SELECT f, 'deadline', v, substring(pg_temp.try(f, u, 'deadline', v) FROM ': (22008|22015|22023)') IS NOT NULL
FROM (VALUES ('claim', '{"queues": "''{arguments}''"}'::jsonb), ('enqueue', '{"queue": "''arguments''", "kind": "''k''"}')) c(f, u), unnest('{make_interval(secs => 1e18),''1000000000000000000 s''::interval}'::text[]) v;
-- nothing of all this did harm
\pset tuples_only off
SELECT * FROM awa.check();
SELECT count(*) FROM awa.list_queues() WHERE queue = 'arguments';
