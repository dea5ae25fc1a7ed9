-- check() names every kind of violation. The tables are filled by hand: a sound state first, then one damage at a time,
-- each undone before the next. All of it is rolled back, in a database of its own.
\set home :DBNAME
CREATE DATABASE regress_awa_check;
\c regress_awa_check
SET client_min_messages = warning;
CREATE EXTENSION awa_ring;
SELECT * FROM awa.check();
BEGIN;
INSERT INTO awa.queues (queue_id, queue) VALUES (1, 'mail');
-- ten jobs on lane 320 (queue 1, priority 2): 1 and 2 completed, 3 completed with a result, 4 running, 5 running on its
-- own deadline, 6 cancelled while it waited, 7 failed once and waits again, 8 waits for a callback, 9 and 10 wait
INSERT INTO awa.ready_entries (ready_slot, lane_id, xid, lane_seq, job_id, run_lease, run_at, created_at, attempt,
    max_attempts, kind, args)
SELECT 0, 320, '0', n, n, 0, now(), now(), 0, 25, 'send', '{}' FROM generate_series(1, 10) n;
UPDATE awa.ready_entries SET unique_key = 'nine', unique_states = 31 WHERE job_id = 9;
UPDATE awa.ready_entries SET xid = '100';
INSERT INTO awa.job_unique_claims VALUES (1, 'nine', 9);
INSERT INTO awa.ready_claim_attempt_batches (ready_slot, lane_id, batch_id, ready_generation, first_seq, last_seq,
    claimed_at, claim_slot, claimed_count, lane_ranges)
VALUES (0, 320, 1000, 0, 1, 5, clock_timestamp(), 0, 5, '{[1,6)}'),
    (0, 320, 2000, 0, 7, 8, clock_timestamp(), 0, 2, '{[7,9)}');
INSERT INTO awa.lease_claim_batches (claim_slot, ready_slot, batch_id, fence, ready_generation, claimed_at, lane_id,
    claimed_count, job_ids, run_leases, lane_seqs, attempts, max_attempts, receipt_ranges)
SELECT 0, 0, a.batch_id, 77, 0, a.claimed_at, 320, array_length(j, 1), j,
       array_fill(1::bigint, ARRAY[array_length(j, 1)]), j, array_fill(1::smallint, ARRAY[array_length(j, 1)]),
       array_fill(25::smallint, ARRAY[array_length(j, 1)]),
       int8multirange(int8range(a.batch_id, a.batch_id + array_length(j, 1)))
FROM awa.ready_claim_attempt_batches a JOIN (VALUES (1000, ARRAY[1, 2, 3, 4]::bigint[]),
    (2000, ARRAY[7, 8]::bigint[])) v(id, j) ON id = batch_id;
INSERT INTO awa.lease_claims (claim_slot, ready_slot, receipt_id, fence, job_id, run_lease, ready_generation,
    lane_seq, deadline_at, claimed_at, lane_id, attempt, max_attempts)
SELECT 0, 0, 1004, 78, 5, 1, 0, 5, now() + interval '1 h', claimed_at, 320, 1, 25
    FROM awa.ready_claim_attempt_batches WHERE batch_id = 1000;
INSERT INTO awa.lease_claim_closure_batches (claim_slot, ready_slot, batch_id, claim_batch_id, ready_generation,
    closed_at, closed_count, receipt_ranges, outcome)
VALUES (0, 0, 3000, 1000, 0, now(), 3, '{[1000,1003)}', 'completed'),
       (0, 0, 3001, 2000, 0, now(), 1, '{[2000,2001)}', 'retryable'),
       (0, 0, 3002, 2000, 0, now(), 1, '{[2001,2002)}', 'materialized');
INSERT INTO awa.receipt_completion_batches (ready_slot, lane_id, batch_id, ready_generation, finalized_at,
    claim_slot, completed_count, job_ids, run_leases, lane_seqs, attempts, claimed_at)
VALUES (0, 320, 4000, 0, now(), 0, 2, '{1,2}', '{1,1}', '{1,2}', '{1,1}', ARRAY[now(), now()]);
INSERT INTO awa.done_entries (ready_slot, lane_id, job_id, run_lease, lane_seq, finalized_at, attempt, state,
    outcome, result)
VALUES (0, 320, 3, 1, 3, now(), 1, 'completed', 'completed', '{"sent": true}');
INSERT INTO awa.ready_tombstones (ready_slot, lane_id, lane_seq, job_id, tombstoned_at, reason) VALUES (0, 320, 6,
    6, now(), 'cancelled');
INSERT INTO awa.done_entries (ready_slot, lane_id, job_id, run_lease, lane_seq, finalized_at, attempt, state, outcome)
VALUES (0, 320, 6, 0, 6, now(), 0, 'cancelled', 'cancelled');
INSERT INTO awa.deferred_jobs (job_id, queue_id, priority, shard, state, finalized_at, run_lease, run_at,
    created_at, attempt, max_attempts, kind, args, payload)
VALUES (7, 1, 2, 0, 'retryable', now(), 1, now() + interval '1 min', now(), 1,
    25, 'send', '{}', '{"errors": [{"attempt": 1, "error": "no route"}]}');
DELETE FROM awa.foreign_loads;
INSERT INTO awa.leases (lease_slot, claim_slot, job_id, run_lease, batch_id, receipt_id, fence, ready_slot, lane_id,
    lane_seq, claimed_at, callback_id, callback_timeout_at, run_at, created_at, attempt, max_attempts, state, kind,
    args)
VALUES (0, 0, 8, 1, 2000, 2001, 77, 0, 320, 8, now(), gen_random_uuid(), now() + interval '1 h', now(), now(), 1,
    25, 'waiting_external', 'send', '{}');
INSERT INTO awa.attempt_state VALUES (4, 1, 1003, now(), '{"half": true}');
INSERT INTO awa.dlq_entries (job_id, queue_id, priority, dlq_at, original_run_lease, run_lease, run_at, created_at,
    attempt, max_attempts, dlq_reason, kind, args)
VALUES (11, 1, 2, now(), 25, 25, now(), now(), 25, 25, 'max_attempts_exhausted', 'send', '{}');
INSERT INTO awa.failed_history (job_id, run_lease, queue_id, priority, finalized_at, run_at, created_at, attempt,
    max_attempts, outcome, kind, args)
VALUES (12, 25, 1, 2, now(), now(), now(), 25, 25, 'failed', 'send', '{}');
INSERT INTO awa.lane_frontiers (claim_slot, lane_id, frontier_id, done_xmin, done_xmax, cur_xmin, cur_xmax, at_xid,
    at_seq, opened_at, claimed_total, recheck, carried, done_xip, cur_xip)
VALUES (0, 320, 1500, '50', '50', '101', '101', '100', 5, now(), 5, false, false, '{}', '{}'),
       (0, 320, 2500, '50', '50', '101', '101', '100', 8, now(), 7, false, false, '{}', '{}');

-- the sound state: no violation, and all ways of looking at it agree
SELECT * FROM awa.check();
SELECT * FROM awa.queue_counts('mail');
SELECT job_id, queue, state, priority, attempt, max_attempts, run_lease, last_error, progress, unique_key
    FROM awa.jobs ORDER BY job_id;
SELECT job_id, state, outcome, result, ready_slot, ready_generation, lane_seq FROM awa.terminal_jobs ORDER BY job_id;
SELECT job_id, receipt, queue, kind, shape, heartbeat_at IS NOT NULL AS alive, claim_slot FROM awa.open_claims
    ORDER BY job_id;
SELECT j.job_id, j.state, (SELECT count(*) FROM awa.load_job(j.job_id) l
    WHERE (l.state, l.kind, l.queue, l.attempt, l.run_lease, l.args, l.run_at) = (j.state, j.kind, j.queue,
        j.attempt, j.run_lease, j.args, j.run_at)
      AND (l.claimed_at, l.finalized_at, l.deadline_at, l.heartbeat_at, l.progress, l.last_error, l.unique_key)
          IS NOT DISTINCT FROM (j.claimed_at, j.finalized_at, j.deadline_at, j.heartbeat_at, j.progress,
              j.last_error, j.unique_key)) AS same
FROM awa.jobs j ORDER BY 1;
SELECT job_id, state, outcome, result, errors, last_error FROM awa.load_job(3) UNION ALL SELECT job_id, state,
       outcome, result, errors, last_error FROM awa.load_job(7);
SELECT count(*) FROM awa.load_job(-1);
SELECT count(*) FROM awa.load_job(9223372036854775807);
SELECT queue, paused, available_estimate, scheduled, retryable, dead_letters, oldest_available = now() AS now,
       claimed_total, completed_total FROM awa.queue_stats WHERE queue = 'mail';
SELECT queue, priority, shard, backlog_estimate, window_opened_at = now() AS now, claimer_pid, claimer_since
    FROM awa.lane_status WHERE queue = 'mail';
SELECT job_id, queue, dlq_reason, attempt FROM awa.dead_letters;

-- claims and closures
SAVEPOINT sound;
UPDATE awa.lease_claim_batches SET claimed_count = 3 WHERE batch_id = 2000;
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.lease_claim_batches SET attempts = attempts[1:1] WHERE batch_id = 1000;
SELECT * FROM awa.check() WHERE invariant = 'claim_batch_is_whole';
ROLLBACK TO sound;
INSERT INTO awa.lease_claims SELECT 0, ready_slot, 1003, fence, 77, run_lease, ready_generation, 77, deadline_at,
    claimed_at, lane_id, attempt, max_attempts FROM awa.lease_claims;
SELECT * FROM awa.check() WHERE invariant = 'receipt_is_claimed_once';
ROLLBACK TO sound;
UPDATE awa.lease_claim_closure_batches SET closed_count = 2 WHERE batch_id = 3000;
SELECT * FROM awa.check();
ROLLBACK TO sound;
INSERT INTO awa.lease_claim_closure_batches VALUES (0, 0, 3003, 1000, 0, now(), 2, '{[1002,1004)}', 'rescued');
SELECT * FROM awa.check();
ROLLBACK TO sound;
INSERT INTO awa.lease_claim_closure_batches VALUES (1, 0, 3003, 1000, 0, now(), 1, '{[1003,1004)}', 'rescued');
INSERT INTO awa.lease_claim_closure_batches VALUES (0, 0, 3004, 2000, 0, now(), 1, '{[2002,2003)}', 'rescued');
INSERT INTO awa.lease_claim_closures VALUES (0, 0, 1003, 4, 1, now(), 'rescued'), (0, 0, 1004, 6, 1, now(), 'deleted');
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.lane_frontiers SET at_seq = NULL WHERE frontier_id = 2500;
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.lane_frontiers SET cur_xmax = '9000000000000000000' WHERE frontier_id = 2500;
SELECT * FROM awa.check();
ROLLBACK TO sound;

-- entries
UPDATE awa.ready_claim_attempt_batches SET claimed_count = 3, first_seq = 1 WHERE batch_id = 2000;
SELECT * FROM awa.check();
ROLLBACK TO sound;
INSERT INTO awa.ready_claim_attempt_batches SELECT ready_slot, lane_id, 2100, ready_generation, first_seq, last_seq,
    claimed_at, claim_slot, claimed_count, lane_ranges FROM awa.ready_claim_attempt_batches WHERE batch_id = 2000;
SELECT * FROM awa.check();
ROLLBACK TO sound;
INSERT INTO awa.ready_tombstones VALUES (0, 320, 4, 4, now(), 'purged');
SELECT * FROM awa.check();
ROLLBACK TO sound;
INSERT INTO awa.ready_tombstones VALUES (0, 320, 50, 50, now(), 'purged');
SELECT * FROM awa.check();
ROLLBACK TO sound;
DELETE FROM awa.ready_entries WHERE job_id IN (1, 4);
SELECT * FROM awa.check();
ROLLBACK TO sound;
INSERT INTO awa.ready_entries SELECT (e).* FROM (SELECT e FROM awa.ready_entries e WHERE job_id = 10) x;
UPDATE awa.ready_entries SET job_id = 13, xid = '101' WHERE job_id = 10 AND xid <> '100';
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.ready_entries SET lane_id = 576 WHERE job_id = 10;
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.ready_entries SET xid = '9000000000000000000' WHERE job_id = 10;
SELECT * FROM awa.check();
ROLLBACK TO sound;
-- the frontier is past a waiting entry: within its window, and behind its snapshot
UPDATE awa.lane_frontiers SET at_seq = 9 WHERE frontier_id = 2500;
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.lane_frontiers SET done_xmin = '101', done_xmax = '101', cur_xmin = NULL, cur_xmax = NULL,
    cur_xip = NULL, at_xid = NULL, at_seq = NULL WHERE frontier_id = 2500;
SELECT * FROM awa.check();
UPDATE awa.lane_frontiers SET done_xip = '{100}', done_xmin = '100' WHERE frontier_id = 2500;
SELECT * FROM awa.check();
UPDATE awa.lane_frontiers SET done_xip = '{}', done_xmin = '101', recheck = true WHERE frontier_id = 2500;
SELECT * FROM awa.check();
DELETE FROM awa.lane_frontiers;
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.queue_ring_slots SET drained = true WHERE slot = 0;
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.queue_ring_slots SET sealed_xid = '100' WHERE slot = 0;
SELECT * FROM awa.check();
ROLLBACK TO sound;
-- claims without emission, emission without claims: only what was not pruned since has to be there
DELETE FROM awa.ready_claim_attempt_batches WHERE batch_id = 1000;
SELECT * FROM awa.check() WHERE invariant = 'claim_has_attempt_batch';
ROLLBACK TO sound;
DELETE FROM awa.lease_claim_batches WHERE batch_id = 2000;
DELETE FROM awa.lease_claim_closure_batches WHERE claim_batch_id = 2000;
SELECT * FROM awa.check();
UPDATE awa.claim_ring_slots SET opened_at = clock_timestamp() WHERE slot = 0;
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.lease_claim_batches SET lane_seqs = '{7,9}' WHERE batch_id = 2000;
SELECT * FROM awa.check();
ROLLBACK TO sound;

-- jobs
INSERT INTO awa.deferred_jobs SELECT 9, queue_id, priority, shard, state, finalized_at, run_lease, run_at,
    created_at, attempt, max_attempts, unique_states, kind, args FROM awa.deferred_jobs;
DELETE FROM awa.foreign_loads;
INSERT INTO awa.dlq_entries SELECT 4, queue_id, priority, dlq_at, original_run_lease, run_lease, run_at, created_at,
    attempt, max_attempts, unique_states, dlq_reason, kind, args FROM awa.dlq_entries;
INSERT INTO awa.failed_history SELECT 8, run_lease, queue_id, priority, finalized_at, run_at, created_at, attempt,
    max_attempts, unique_states, outcome, kind, args FROM awa.failed_history;
INSERT INTO awa.done_entries SELECT ready_slot, lane_id, 1, run_lease, 1, finalized_at, claimed_at, run_at,
    created_at, attempt, max_attempts, unique_states, state, outcome FROM awa.done_entries WHERE job_id = 3;
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.lease_claim_batches SET run_leases = '{1,1,1,2}' WHERE batch_id = 1000;
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.receipt_completion_batches SET attempts = '{1}';
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.receipt_completion_batches SET lane_seqs = '{1,22}';
UPDATE awa.done_entries SET lane_seq = 33 WHERE job_id = 3;
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.lease_claim_closure_batches SET outcome = 'rescued' WHERE batch_id = 3000;
SELECT * FROM awa.check();
ROLLBACK TO sound;
DELETE FROM awa.receipt_completion_batches;
DELETE FROM awa.done_entries WHERE job_id = 3;
SELECT * FROM awa.check();
INSERT INTO awa.receipt_completion_tombstones SELECT 0, 320, n, 1, n, now() FROM generate_series(1, 3) n;
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.lease_claim_closure_batches SET outcome = 'released' WHERE batch_id = 3002;
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.leases SET callback_timeout_at = NULL, callback_id = '00000000-0000-0000-0000-000000000001';
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.ready_entries SET attempt = 25 WHERE job_id = 9;
UPDATE awa.deferred_jobs SET attempt = 26;
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.lease_claim_closure_batches SET outcome = 'deleted' WHERE batch_id = 3001;
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.attempt_state SET receipt_id = 1002;
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.job_unique_claims SET job_id = 10;
SELECT * FROM awa.check();
ROLLBACK TO sound;
UPDATE awa.ready_entries SET unique_states = 1 WHERE job_id = 9;
SELECT * FROM awa.check();
ROLLBACK TO sound;

-- a deleted success is gone, and no violation
INSERT INTO awa.receipt_completion_tombstones VALUES (0, 320, 1, 1, 1, now());
SELECT * FROM awa.check();
SELECT completed FROM awa.queue_counts('mail');
SELECT job_id FROM awa.terminal_jobs WHERE state = 'completed' ORDER BY 1;
SELECT count(*) FROM awa.load_job(1);
ROLLBACK TO sound;

-- input
\set SHOW_CONTEXT never
SELECT * FROM awa.queue_counts(NULL);
\echo :LAST_ERROR_SQLSTATE
ROLLBACK TO sound;
SELECT * FROM awa.queue_counts('nothing');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK TO sound;
SELECT * FROM awa.load_job(NULL);
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
\c :home
DROP DATABASE regress_awa_check WITH (FORCE);
