-- What the evidence proves, as sets: building blocks of the views of jobs and of check(). Nobody is granted these.

CREATE VIEW awa.spent_positions AS
SELECT p.ready_slot, p.lane_id, range_agg(p.positions) AS positions
FROM (SELECT ready_slot, lane_id, lane_ranges AS positions FROM awa.ready_claim_attempt_batches
      UNION ALL
      SELECT ready_slot, lane_id, int8multirange(int8range(lane_seq, lane_seq, '[]')) FROM awa.ready_tombstones) p
GROUP BY p.ready_slot, p.lane_id;
COMMENT ON VIEW awa.spent_positions IS 'internal: positions of each lane and slot that were handed out or tombstoned';
COMMENT ON COLUMN awa.spent_positions.ready_slot IS 'slot of the queue ring';
COMMENT ON COLUMN awa.spent_positions.lane_id IS 'the lane';
COMMENT ON COLUMN awa.spent_positions.positions IS 'the positions';

CREATE VIEW awa.unspent_entries AS
SELECT e.ready_slot, e.lane_id, e.xid, e.lane_seq, e.job_id, e.run_lease, e.run_at, e.created_at, e.attempt,
       e.max_attempts, e.unique_states, e.kind, e.args, e.payload, e.own_deadline, e.unique_key
FROM awa.ready_entries e
     LEFT JOIN awa.spent_positions s ON s.ready_slot = e.ready_slot AND s.lane_id = e.lane_id
WHERE s.positions IS NULL OR NOT s.positions @> e.lane_seq;
COMMENT ON VIEW awa.unspent_entries IS
    'internal: entries that were neither handed out nor tombstoned; columns as in ready_entries';
COMMENT ON COLUMN awa.unspent_entries.ready_slot IS 'slot of the queue ring';
COMMENT ON COLUMN awa.unspent_entries.lane_id IS 'lane of the entry';
COMMENT ON COLUMN awa.unspent_entries.xid IS 'top-level transaction that made the entry visible';
COMMENT ON COLUMN awa.unspent_entries.lane_seq IS 'position on the lane';
COMMENT ON COLUMN awa.unspent_entries.job_id IS 'the job';
COMMENT ON COLUMN awa.unspent_entries.run_lease IS 'run lease of the last attempt';
COMMENT ON COLUMN awa.unspent_entries.run_at IS 'when the job became due';
COMMENT ON COLUMN awa.unspent_entries.created_at IS 'when the job was first enqueued';
COMMENT ON COLUMN awa.unspent_entries.attempt IS 'attempts used so far';
COMMENT ON COLUMN awa.unspent_entries.max_attempts IS 'attempts allowed';
COMMENT ON COLUMN awa.unspent_entries.unique_states IS 'states in which unique_key is held, as bits';
COMMENT ON COLUMN awa.unspent_entries.kind IS 'what the job is';
COMMENT ON COLUMN awa.unspent_entries.args IS 'arguments for the worker';
COMMENT ON COLUMN awa.unspent_entries.payload IS
    'metadata, tags, errors, progress, callback_result; null = none of them';
COMMENT ON COLUMN awa.unspent_entries.own_deadline IS 'deadline of this job''s attempts; null = the queue''s';
COMMENT ON COLUMN awa.unspent_entries.unique_key IS 'unique key within the queue; null = none';

CREATE VIEW awa.closed_receipts AS
SELECT claim_slot, claim_batch_id, range_agg(receipt_ranges) AS receipts
FROM awa.lease_claim_closure_batches
GROUP BY claim_slot, claim_batch_id;
COMMENT ON VIEW awa.closed_receipts IS 'internal: receipts of each compact claim that are over';
COMMENT ON COLUMN awa.closed_receipts.claim_slot IS 'slot of the claim ring';
COMMENT ON COLUMN awa.closed_receipts.claim_batch_id IS 'the claim batch';
COMMENT ON COLUMN awa.closed_receipts.receipts IS 'the receipts that are over';

-- OFFSET 0 keeps the difference of sets from being worked out again for every member of the batch.
CREATE VIEW awa.open_receipts AS
SELECT 'compact' AS shape, b.claim_slot, b.batch_id, b.batch_id + m.place - 1 AS receipt_id, b.fence, m.job_id,
       m.run_lease, b.ready_slot, b.ready_generation, b.lane_id, m.lane_seq, m.attempt, m.max_attempts, b.claimed_at,
           b.deadline_at
FROM (SELECT c.claim_slot, c.batch_id, c.fence, c.ready_slot, c.ready_generation, c.lane_id, c.claimed_at,
             c.deadline_at, c.job_ids, c.run_leases, c.lane_seqs, c.attempts, c.max_attempts,
             c.receipt_ranges - coalesce(x.receipts, '{}') AS receipts
      FROM awa.lease_claim_batches c
           LEFT JOIN awa.closed_receipts x ON x.claim_slot = c.claim_slot AND x.claim_batch_id = c.batch_id
      OFFSET 0) b
     CROSS JOIN LATERAL unnest(b.job_ids, b.run_leases, b.lane_seqs, b.attempts, b.max_attempts)
         WITH ORDINALITY AS m(job_id, run_lease, lane_seq, attempt, max_attempts, place)
WHERE NOT isempty(b.receipts) AND b.receipts @> (b.batch_id + m.place - 1)
UNION ALL
SELECT 'row', c.claim_slot, c.receipt_id, c.receipt_id, c.fence, c.job_id, c.run_lease,
       c.ready_slot, c.ready_generation, c.lane_id, c.lane_seq, c.attempt, c.max_attempts, c.claimed_at, c.deadline_at
FROM awa.lease_claims c
WHERE NOT EXISTS (SELECT FROM awa.lease_claim_closures x WHERE x.claim_slot = c.claim_slot
    AND x.receipt_id = c.receipt_id);
COMMENT ON VIEW awa.open_receipts IS 'internal: receipts that were claimed and are not closed, one row each';
COMMENT ON COLUMN awa.open_receipts.shape IS 'compact (member of a claim batch) or row (a claim of its own)';
COMMENT ON COLUMN awa.open_receipts.claim_slot IS 'slot of the claim ring';
COMMENT ON COLUMN awa.open_receipts.batch_id IS 'claim batch; of a row-local claim the receipt itself';
COMMENT ON COLUMN awa.open_receipts.receipt_id IS 'the receipt';
COMMENT ON COLUMN awa.open_receipts.fence IS 'fence of the claim';
COMMENT ON COLUMN awa.open_receipts.job_id IS 'the job';
COMMENT ON COLUMN awa.open_receipts.run_lease IS 'run lease of the attempt';
COMMENT ON COLUMN awa.open_receipts.ready_slot IS 'slot of the queue ring that holds the entry';
COMMENT ON COLUMN awa.open_receipts.ready_generation IS 'generation of ready_slot when claimed';
COMMENT ON COLUMN awa.open_receipts.lane_id IS 'lane of the entry';
COMMENT ON COLUMN awa.open_receipts.lane_seq IS 'position of the entry';
COMMENT ON COLUMN awa.open_receipts.attempt IS 'number of the attempt, 1 = first';
COMMENT ON COLUMN awa.open_receipts.max_attempts IS 'attempts allowed';
COMMENT ON COLUMN awa.open_receipts.claimed_at IS 'when the attempt was claimed';
COMMENT ON COLUMN awa.open_receipts.deadline_at IS 'when the attempt is rescued; null = no deadline';

CREATE VIEW awa.closed_attempts AS
SELECT x.claim_slot, b.batch_id, b.batch_id + m.place - 1 AS receipt_id, b.fence, m.job_id, m.run_lease, b.ready_slot,
       b.lane_id, m.lane_seq, x.outcome
FROM awa.lease_claim_closure_batches x
     JOIN awa.lease_claim_batches b ON b.claim_slot = x.claim_slot AND b.batch_id = x.claim_batch_id
     CROSS JOIN LATERAL unnest(b.job_ids, b.run_leases, b.lane_seqs)
         WITH ORDINALITY AS m(job_id, run_lease, lane_seq, place)
WHERE x.receipt_ranges @> (b.batch_id + m.place - 1)
UNION ALL
SELECT x.claim_slot, c.receipt_id, c.receipt_id, c.fence, c.job_id, c.run_lease, c.ready_slot, c.lane_id, c.lane_seq,
       x.outcome
FROM awa.lease_claim_closures x
     JOIN awa.lease_claims c ON c.claim_slot = x.claim_slot AND c.receipt_id = x.receipt_id;
COMMENT ON VIEW awa.closed_attempts IS 'internal: closed receipts whose claim is still there, one row for each closure';
COMMENT ON COLUMN awa.closed_attempts.claim_slot IS 'slot of the claim ring';
COMMENT ON COLUMN awa.closed_attempts.batch_id IS 'claim batch; of a row-local claim the receipt itself';
COMMENT ON COLUMN awa.closed_attempts.receipt_id IS 'the receipt';
COMMENT ON COLUMN awa.closed_attempts.fence IS 'fence of the claim';
COMMENT ON COLUMN awa.closed_attempts.job_id IS 'the job';
COMMENT ON COLUMN awa.closed_attempts.run_lease IS 'run lease of the attempt';
COMMENT ON COLUMN awa.closed_attempts.ready_slot IS 'slot of the queue ring that holds the entry';
COMMENT ON COLUMN awa.closed_attempts.lane_id IS 'lane of the entry';
COMMENT ON COLUMN awa.closed_attempts.lane_seq IS 'position of the entry';
COMMENT ON COLUMN awa.closed_attempts.outcome IS 'how the attempt ended';

CREATE VIEW awa.compact_successes AS
SELECT b.ready_slot, b.ready_generation, b.batch_id, b.claim_slot, b.lane_id, m.lane_seq, m.job_id, m.run_lease,
       m.attempt, m.claimed_at, b.finalized_at
FROM awa.receipt_completion_batches b
     CROSS JOIN LATERAL unnest(b.job_ids, b.run_leases, b.lane_seqs, b.attempts, b.claimed_at)
         AS m(job_id, run_lease, lane_seq, attempt, claimed_at)
WHERE NOT EXISTS (SELECT FROM awa.receipt_completion_tombstones t
                  WHERE t.ready_slot = b.ready_slot AND t.job_id = m.job_id AND t.run_lease = m.run_lease);
COMMENT ON VIEW awa.compact_successes IS 'internal: compact history without what was deleted from it, one row a job';
COMMENT ON COLUMN awa.compact_successes.ready_slot IS 'slot of the queue ring that holds the entry';
COMMENT ON COLUMN awa.compact_successes.ready_generation IS 'generation of the slot when claimed';
COMMENT ON COLUMN awa.compact_successes.batch_id IS 'the completion batch';
COMMENT ON COLUMN awa.compact_successes.claim_slot IS 'slot of the claim ring that held the claim';
COMMENT ON COLUMN awa.compact_successes.lane_id IS 'lane of the entry';
COMMENT ON COLUMN awa.compact_successes.lane_seq IS 'position of the entry';
COMMENT ON COLUMN awa.compact_successes.job_id IS 'the job';
COMMENT ON COLUMN awa.compact_successes.run_lease IS 'run lease of the attempt';
COMMENT ON COLUMN awa.compact_successes.attempt IS 'number of the attempt, 1 = first';
COMMENT ON COLUMN awa.compact_successes.claimed_at IS 'when the attempt was claimed';
COMMENT ON COLUMN awa.compact_successes.finalized_at IS 'when the job was completed';
