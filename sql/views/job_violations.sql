-- Invariants of jobs: one state each, history that agrees with claims, and what belongs to attempts and keys.

CREATE VIEW awa.job_violations AS
WITH places AS (
    SELECT job_id, format('available (entry %s)', lane_seq) AS place FROM awa.unspent_entries
    UNION ALL
    SELECT job_id, format('running (receipt %s)', receipt_id) FROM awa.open_receipts
    UNION ALL
    SELECT job_id, format('%s (lease of receipt %s)', state, receipt_id) FROM awa.leases
    UNION ALL
    SELECT job_id, format('%s (deferred)', state) FROM awa.deferred_jobs
    UNION ALL
    SELECT job_id, format('completed (completion batch %s)', batch_id) FROM awa.compact_successes
    UNION ALL
    SELECT job_id, format('%s (done, run lease %s)', state, run_lease) FROM awa.done_entries
    UNION ALL
    SELECT job_id, format('failed (history, run lease %s)', run_lease) FROM awa.failed_history
    UNION ALL
    SELECT job_id, 'dead_letter' FROM awa.dlq_entries
), missing AS MATERIALIZED (
    SELECT t.ready_slot, t.lane_id, t.lane_seq, t.job_id, t.reason, t.tombstoned_at
    FROM awa.ready_tombstones t
    WHERE t.reason <> 'deleted' AND NOT EXISTS (SELECT FROM places p WHERE p.job_id = t.job_id)
      AND NOT EXISTS (SELECT FROM awa.receipt_completion_tombstones d
                      WHERE d.ready_slot = t.ready_slot AND d.job_id = t.job_id)
), emitted AS MATERIALIZED (
    SELECT ready_slot, lane_id, range_agg(lane_ranges) AS positions
    FROM awa.ready_claim_attempt_batches GROUP BY ready_slot, lane_id
), held AS MATERIALIZED (
    SELECT job_id, queue_id, state, unique_key,
           (unique_states >> array_position(ARRAY['scheduled', 'available', 'running', 'waiting_external', 'retryable',
                                                  'completed', 'failed', 'cancelled', 'dead_letter'],
                                            state) - 1 & 1) = 1 AS holds
    FROM awa.job_rows WHERE unique_key IS NOT NULL
)
SELECT 'job_is_in_one_state' AS invariant, format('job %s', p.job_id) AS object,
       string_agg(p.place, ', ' ORDER BY p.place COLLATE "C") AS detail
FROM places p
GROUP BY p.job_id
HAVING count(*) > 1
UNION ALL
-- a deleted job is in none
SELECT 'deleted_job_is_gone', format('job %s', t.job_id),
       format('entry %s was tombstoned as deleted, but the job is %s', t.lane_seq, p.place)
FROM awa.ready_tombstones t
     JOIN places p ON p.job_id = t.job_id
WHERE t.reason = 'deleted'
UNION ALL
-- a cancelled one has its end beside the tombstone
SELECT 'cancelled_is_recorded', format('tombstone %s (lane %s, ready slot %s)', m.lane_seq, m.lane_id, m.ready_slot),
       format('job %s was %s, but no history tells of it', m.job_id, m.reason)
FROM missing m
WHERE m.reason IN ('cancelled', 'purged')
UNION ALL
-- one that went elsewhere has another entry, while the slot is there that was current in the minute around
SELECT 'moved_entry_is_somewhere', format('tombstone %s (lane %s, ready slot %s)', m.lane_seq, m.lane_id, m.ready_slot),
       format('job %s was %s, but there is no other entry of it', m.job_id, m.reason)
FROM missing m
WHERE m.reason IN ('carried', 'moved', 'replaced')
  AND EXISTS (SELECT FROM awa.queue_ring_slots s CROSS JOIN awa.queue_ring_generation g
              WHERE s.opened_at <= m.tombstoned_at - CASE WHEN s.generation > 0 THEN '1 min' ELSE '0' END::interval
                AND (s.generation = g.last_value OR s.sealed_at > m.tombstoned_at + '1 min'))
  AND NOT EXISTS (SELECT FROM awa.ready_entries e
                  WHERE e.job_id = m.job_id AND (e.ready_slot, e.lane_seq) <> (m.ready_slot, m.lane_seq))
UNION ALL
-- an open attempt is of an entry, and one further than it
SELECT 'open_claim_has_entry', format('receipt %s (claim slot %s)', r.receipt_id, r.claim_slot),
       CASE WHEN e.job_id IS NULL THEN format('there is no entry %s of job %s on lane %s in ready slot %s',
                                              r.lane_seq, r.job_id, r.lane_id, r.ready_slot)
            ELSE format('attempt %s, run lease %s of job %s, but its entry says %s and %s so far', r.attempt,
                        r.run_lease, r.job_id, e.attempt, e.run_lease) END
FROM awa.open_receipts r
     LEFT JOIN awa.ready_entries e
         ON e.ready_slot = r.ready_slot AND e.job_id = r.job_id AND e.lane_seq = r.lane_seq AND e.lane_id = r.lane_id
WHERE e.job_id IS NULL OR (e.attempt + 1, e.run_lease + 1) <> (r.attempt, r.run_lease)
UNION ALL
-- the arrays and the count of a completion batch agree
SELECT 'completion_batch_is_whole', format('completion batch %s (ready slot %s)', b.batch_id, b.ready_slot),
       format('completed_count %s, jobs %s, run leases %s, positions %s, attempts %s, times %s', b.completed_count,
              cardinality(b.job_ids), cardinality(b.run_leases), cardinality(b.lane_seqs), cardinality(b.attempts),
              cardinality(b.claimed_at))
FROM awa.receipt_completion_batches b
WHERE (cardinality(b.job_ids), cardinality(b.run_leases), cardinality(b.lane_seqs), cardinality(b.attempts),
       cardinality(b.claimed_at))
      <> (b.completed_count, b.completed_count, b.completed_count, b.completed_count, b.completed_count)
UNION ALL
-- a completed job has its entry, which was handed out. (Two steps: the positions of a lane may be megabytes, and are
-- not to be carried into another join.)
SELECT 'completion_has_entry',
       format('job %s (completion batch %s, ready slot %s)', s.job_id, s.batch_id, s.ready_slot),
       CASE WHEN e.job_id IS NULL THEN format('there is no entry %s on lane %s', s.lane_seq, s.lane_id)
            ELSE format('run lease %s, but its entry says %s so far', s.run_lease, e.run_lease) END
FROM awa.compact_successes s
     LEFT JOIN awa.ready_entries e
         ON e.ready_slot = s.ready_slot AND e.job_id = s.job_id AND e.lane_seq = s.lane_seq AND e.lane_id = s.lane_id
WHERE e.job_id IS NULL OR e.run_lease + 1 <> s.run_lease
UNION ALL
SELECT 'completion_was_emitted',
       format('job %s (completion batch %s, ready slot %s)', s.job_id, s.batch_id, s.ready_slot),
       format('position %s on lane %s was not handed out', s.lane_seq, s.lane_id)
FROM awa.compact_successes s
     LEFT JOIN emitted m ON m.ready_slot = s.ready_slot AND m.lane_id = s.lane_id
WHERE NOT coalesce(m.positions, '{}') @> s.lane_seq
UNION ALL
SELECT 'completion_has_entry',
       format('job %s (done, run lease %s, ready slot %s)', d.job_id, d.run_lease, d.ready_slot),
       format('narrow, but there is no entry %s on lane %s', d.lane_seq, d.lane_id)
FROM awa.done_entries d
     LEFT JOIN awa.ready_entries e
         ON e.ready_slot = d.ready_slot AND e.job_id = d.job_id AND e.lane_seq = d.lane_seq AND e.lane_id = d.lane_id
WHERE d.kind IS NULL AND e.job_id IS NULL
UNION ALL
-- compact history and closures tell the same story, while both are there. Whoever deletes a completed job leaves a
-- completion tombstone, in whatever form its history was.
SELECT 'completion_is_closed',
       format('job %s (completion batch %s, ready slot %s)', s.job_id, s.batch_id, s.ready_slot),
       format('receipt %s of run lease %s was closed as %s', c.receipt_id, c.run_lease, c.outcome)
FROM awa.closed_attempts c
     JOIN awa.compact_successes s ON s.job_id = c.job_id AND s.run_lease = c.run_lease
WHERE c.outcome <> 'completed'
UNION ALL
SELECT 'completed_is_recorded', format('job %s (receipt %s, claim slot %s)', c.job_id, c.receipt_id, c.claim_slot),
       format('closed as completed, but ready slot %s knows nothing of it', c.ready_slot)
FROM awa.closed_attempts c
     JOIN awa.ready_entries e
         ON e.ready_slot = c.ready_slot AND e.job_id = c.job_id AND e.lane_seq = c.lane_seq
             AND e.run_lease + 1 = c.run_lease
     LEFT JOIN (SELECT ready_slot, job_id, run_lease FROM awa.compact_successes
                UNION ALL
                SELECT ready_slot, job_id, run_lease FROM awa.done_entries WHERE state = 'completed'
                UNION ALL
                SELECT ready_slot, job_id, run_lease FROM awa.receipt_completion_tombstones) h
         ON h.ready_slot = c.ready_slot AND h.job_id = c.job_id AND h.run_lease = c.run_lease
WHERE c.outcome = 'completed' AND h.job_id IS NULL
UNION ALL
-- an attempt that has a lease left the receipt plane by being materialised
SELECT 'lease_was_materialized',
       format('lease of job %s, run lease %s (lease slot %s)', l.job_id, l.run_lease, l.lease_slot),
       format('its receipt %s was closed as %s', c.receipt_id, c.outcome)
FROM awa.leases l
     JOIN awa.closed_attempts c ON c.claim_slot = l.claim_slot AND c.batch_id = l.batch_id
         AND c.receipt_id = l.receipt_id AND c.fence = l.fence
WHERE c.outcome <> 'materialized'
UNION ALL
-- one that waits says for what, and until when; no other does
SELECT 'lease_is_whole', format('lease of job %s, run lease %s (lease slot %s)', l.job_id, l.run_lease, l.lease_slot),
       format('%s, callback %s, until %s', l.state, l.callback_id, l.callback_timeout_at)
FROM awa.leases l
WHERE num_nulls(l.callback_id, l.callback_timeout_at) <> CASE l.state WHEN 'waiting_external' THEN 0 ELSE 2 END
UNION ALL
-- a job that will be attempted again has an attempt left
SELECT 'attempts_are_left', format('job %s', w.job_id), format('%s, attempt %s of %s', w.state, w.attempt, w.max_attempts)
FROM (SELECT job_id, 'available' AS state, attempt, max_attempts FROM awa.unspent_entries
      UNION ALL
      SELECT job_id, state, attempt, max_attempts FROM awa.deferred_jobs) w
WHERE w.attempt >= w.max_attempts
UNION ALL
-- a deleted attempt was the job's last
SELECT 'deleted_job_is_gone', format('job %s', c.job_id),
       format('its receipt %s was closed as deleted, but the job is %s', c.receipt_id, p.place)
FROM awa.closed_attempts c
     JOIN places p ON p.job_id = c.job_id
WHERE c.outcome = 'deleted'
UNION ALL
-- only open attempts have a state of their own
SELECT 'attempt_state_is_of_open_attempt', format('attempt state of job %s, run lease %s', a.job_id, a.run_lease),
       format('receipt %s is not open', a.receipt_id)
FROM awa.attempt_state a
     LEFT JOIN (SELECT job_id, run_lease, receipt_id FROM awa.open_receipts
                UNION ALL
                SELECT job_id, run_lease, receipt_id FROM awa.leases) o
         ON o.job_id = a.job_id AND o.run_lease = a.run_lease AND o.receipt_id = a.receipt_id
WHERE o.job_id IS NULL
UNION ALL
-- a unique key is held by a job in a state that holds it, and by each such job
SELECT 'unique_key_has_holder', format('unique key %L of queue %s', u.unique_key, u.queue_id),
       format('held by job %s, which is not in a state that holds it', u.job_id)
FROM awa.job_unique_claims u
     LEFT JOIN held h ON h.job_id = u.job_id AND h.queue_id = u.queue_id AND h.unique_key = u.unique_key AND h.holds
WHERE h.job_id IS NULL
UNION ALL
SELECT 'unique_key_is_held', format('job %s', h.job_id),
       format('%s with unique key %L of queue %s, but does not hold it', h.state, h.unique_key, h.queue_id)
FROM held h
     LEFT JOIN awa.job_unique_claims u ON u.queue_id = h.queue_id AND u.unique_key = h.unique_key
         AND u.job_id = h.job_id
WHERE h.holds AND u.job_id IS NULL;
COMMENT ON VIEW awa.job_violations IS
    'internal, part of check(): what is wrong with jobs, their history, attempts and keys';
COMMENT ON COLUMN awa.job_violations.invariant IS 'name of the invariant that does not hold';
COMMENT ON COLUMN awa.job_violations.object IS 'what it does not hold for';
COMMENT ON COLUMN awa.job_violations.detail IS 'how';

-- Promotion looks for due jobs from the low-water mark on. The mark is not transactional: the one that a snapshot has to be
-- true to was read before the snapshot was taken, and it is none any more if it was reset since.
CREATE FUNCTION awa.deferred_violations(low_water bigint) RETURNS TABLE (invariant text, object text, detail text)
    LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT 'deferred_job_is_found', format('job %s', d.job_id),
           format('%s, due at %s, before the low-water mark', d.state, d.run_at)
    FROM awa.deferred_jobs d CROSS JOIN awa.deferred_low_water m
    WHERE low_water >= 1024 AND low_water % 1024 = m.last_value % 1024 AND d.run_at <
          timestamptz '2000-01-01 00:00+00' + (low_water - low_water % 1024) * interval '1 microsecond'
$$;
COMMENT ON FUNCTION awa.deferred_violations(bigint) IS
    'internal: deferred jobs that promotion would not find, if the value of deferred_low_water was low_water; check() returns them';
