-- Invariants of entries and of the evidence that they were spent.

CREATE VIEW awa.entry_violations AS
WITH emitted AS MATERIALIZED (
    SELECT ready_slot, lane_id, claim_slot, range_agg(lane_ranges) AS positions
    FROM awa.ready_claim_attempt_batches GROUP BY ready_slot, lane_id, claim_slot
), emitted_all AS MATERIALIZED (
    SELECT ready_slot, lane_id, range_agg(positions) AS positions FROM emitted GROUP BY ready_slot, lane_id
), entered AS MATERIALIZED (
    SELECT ready_slot, lane_id, count(*) AS entries,
           range_agg(int8multirange(int8range(lane_seq, lane_seq, '[]'))) AS positions
    FROM awa.ready_entries GROUP BY ready_slot, lane_id
), frontiers AS MATERIALIZED (
    SELECT DISTINCT ON (lane_id) * FROM awa.lane_frontiers ORDER BY lane_id, frontier_id DESC
)
-- nothing was loaded past the verbs, or it was put right
SELECT 'no_foreign_load' AS invariant, format('leaf %s', l.leaf) AS object,
       'rows were loaded into it past the verbs: CALL awa.after_restore()' AS detail
FROM awa.foreign_loads l
UNION ALL
-- a restore with triggers off leaves them weaker than they were
SELECT DISTINCT 'no_foreign_load', format('leaf %s', c.relname),
       'its triggers do not fire always, as after a restore with triggers off: CALL awa.after_restore()'
FROM pg_trigger t
     JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = 'awa'::regnamespace AND c.relispartition AND t.tgenabled <> 'A'
  AND t.tgname IN ('mark_load', 'stamp_xid')
UNION ALL
-- count, bounds and positions of an attempt batch agree
SELECT 'attempt_batch_is_whole',
       format('attempt batch %s (lane %s, ready slot %s)', a.batch_id, a.lane_id, a.ready_slot),
       format('claimed_count %s, first %s, last %s, positions %s', a.claimed_count, a.first_seq, a.last_seq,
              a.lane_ranges)
FROM awa.ready_claim_attempt_batches a
WHERE (a.claimed_count, a.first_seq, a.last_seq) IS DISTINCT FROM
      ((SELECT sum(upper(r) - lower(r)) FROM unnest(a.lane_ranges) r), lower(a.lane_ranges), upper(a.lane_ranges) - 1)
UNION ALL
-- no position is handed out twice, in whatever slot
SELECT 'entry_is_emitted_once',
       format('positions %s (lane %s, ready slot %s)', r.positions * int8range(lower(r.positions), r.reached),
              r.lane_id, r.ready_slot),
       format('attempt batch %s and another', r.batch_id)
FROM (SELECT a.ready_slot, a.lane_id, a.batch_id, u.positions, max(upper(u.positions)) OVER w AS reached
      FROM awa.ready_claim_attempt_batches a CROSS JOIN LATERAL unnest(a.lane_ranges) u(positions)
      WINDOW w AS (PARTITION BY a.lane_id ORDER BY lower(u.positions), a.batch_id, a.ready_slot
                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) r
WHERE r.reached > lower(r.positions)
UNION ALL
-- no entry of a slot is both handed out and tombstoned
SELECT 'entry_is_spent_one_way', format('entry %s (lane %s, ready slot %s)', t.lane_seq, t.lane_id, t.ready_slot),
       format('tombstoned as %s, and handed out', t.reason)
FROM awa.ready_tombstones t
     JOIN emitted_all m ON m.ready_slot = t.ready_slot AND m.lane_id = t.lane_id
WHERE m.positions @> t.lane_seq
UNION ALL
-- what was handed out or tombstoned was an entry
SELECT 'emission_has_entry',
       format('positions %s (lane %s, ready slot %s)', m.positions - coalesce(e.positions, '{}'), m.lane_id,
              m.ready_slot),
       'handed out, but never entered'
FROM emitted_all m
     LEFT JOIN entered e ON e.ready_slot = m.ready_slot AND e.lane_id = m.lane_id
WHERE NOT coalesce(e.positions, '{}') @> m.positions
UNION ALL
SELECT 'tombstone_has_entry', format('tombstone %s (lane %s, ready slot %s)', t.lane_seq, t.lane_id, t.ready_slot),
       format('there is no such entry of job %s', t.job_id)
FROM awa.ready_tombstones t
     LEFT JOIN awa.ready_entries e
         ON e.ready_slot = t.ready_slot AND e.job_id = t.job_id AND e.lane_seq = t.lane_seq AND e.lane_id = t.lane_id
WHERE e.job_id IS NULL
UNION ALL
-- a position is taken by one entry
SELECT 'position_is_taken_once', format('lane %s, ready slot %s', e.lane_id, e.ready_slot),
       format('%s entries, on %s positions', e.entries, (SELECT sum(upper(r) - lower(r)) FROM unnest(e.positions) r))
FROM entered e
WHERE e.entries <> (SELECT sum(upper(r) - lower(r)) FROM unnest(e.positions) r)
UNION ALL
-- an entry is of a queue
SELECT 'lane_has_queue', format('lane %s, ready slot %s', e.lane_id, e.ready_slot),
       format('%s entries, but no queue %s', e.entries, e.lane_id >> 8)
FROM entered e
WHERE NOT EXISTS (SELECT FROM awa.queues q WHERE q.queue_id = e.lane_id >> 8)
UNION ALL
-- an entry has a transaction id of this cluster, also when it is spent: else it would come out again one day
SELECT 'xid_is_native', format('entry %s (lane %s, ready slot %s)', e.lane_seq, e.lane_id, e.ready_slot),
       format('foreign transaction id %s of job %s', e.xid, e.job_id)
FROM awa.ready_entries e
WHERE e.xid >= pg_snapshot_xmax(pg_current_snapshot()) AND e.xid IS DISTINCT FROM pg_current_xact_id_if_assigned()
UNION ALL
-- an unspent entry is still ahead of its lane's frontier. Without a frontier the next claim starts from the
-- beginning; a window that was rebuilt is tested entry by entry.
SELECT 'entry_is_reachable', format('entry %s (lane %s, ready slot %s)', e.lane_seq, e.lane_id, e.ready_slot),
       format('job %s waits, but frontier %s is past it', e.job_id, f.frontier_id)
FROM frontiers f
     JOIN awa.unspent_entries e ON e.lane_id = f.lane_id
WHERE NOT f.recheck
  AND ((e.xid < f.done_xmax AND e.xid <> ALL (f.done_xip))
       OR (e.xid < f.cur_xmax AND e.xid <> ALL (f.cur_xip) AND (e.xid, e.lane_seq) <= (f.at_xid, f.at_seq)))
UNION ALL
-- an entry that is behind a seal or a drained mark is not read by claims any more: there must be none left
SELECT 'drained_slot_is_spent', format('entry %s (lane %s, ready slot %s)', e.lane_seq, e.lane_id, e.ready_slot),
       CASE WHEN s.drained THEN format('job %s waits in a slot that is marked drained', e.job_id)
            ELSE format('transaction id %s is not below the slot''s seal %s', e.xid, s.sealed_xid) END
FROM awa.queue_ring_slots s
     JOIN awa.unspent_entries e ON e.ready_slot = s.slot
WHERE s.drained OR e.xid >= s.sealed_xid
UNION ALL
-- a claim that is open, or whose ready slot was not pruned since, has its attempt batch: same positions, slot and time
SELECT 'claim_has_attempt_batch', format('claim batch %s (claim slot %s)', c.batch_id, c.claim_slot),
       CASE WHEN a.batch_id IS NULL THEN format('no attempt batch on lane %s in ready slot %s', c.lane_id, c.ready_slot)
            ELSE format('positions, slot or time differ from the attempt batch''s on lane %s in ready slot %s',
                        c.lane_id, c.ready_slot) END
FROM (SELECT b.*, x.receipts IS NOT NULL AND x.receipts @> b.receipt_ranges AS closed
      FROM awa.lease_claim_batches b
           LEFT JOIN awa.closed_receipts x ON x.claim_slot = b.claim_slot AND x.claim_batch_id = b.batch_id) c
     LEFT JOIN awa.ready_claim_attempt_batches a
         ON a.ready_slot = c.ready_slot AND a.lane_id = c.lane_id AND a.batch_id = c.batch_id
WHERE (a.batch_id IS NULL OR (a.claim_slot, a.claimed_at) <> (c.claim_slot, c.claimed_at)
       OR NOT a.lane_ranges @> (SELECT range_agg(int8multirange(int8range(p, p, '[]'))) FROM unnest(c.lane_seqs) p))
  AND (NOT c.closed OR EXISTS (
       SELECT FROM awa.queue_ring_slots s CROSS JOIN awa.queue_ring_generation g
       WHERE s.slot = c.ready_slot AND s.generation = c.ready_generation
         AND (s.sealed_at IS NOT NULL OR s.generation = g.last_value)))
UNION ALL
SELECT 'claim_has_attempt_batch', format('row-local claim %s (claim slot %s)', c.receipt_id, c.claim_slot),
       format('position %s of lane %s in ready slot %s was not handed out', c.lane_seq, c.lane_id, c.ready_slot)
FROM awa.lease_claims c
     LEFT JOIN emitted m ON m.ready_slot = c.ready_slot AND m.lane_id = c.lane_id AND m.claim_slot = c.claim_slot
WHERE NOT coalesce(m.positions, '{}') @> c.lane_seq
  AND (NOT EXISTS (SELECT FROM awa.lease_claim_closures x WHERE x.claim_slot = c.claim_slot
                   AND x.receipt_id = c.receipt_id)
       OR EXISTS (SELECT FROM awa.queue_ring_slots s CROSS JOIN awa.queue_ring_generation g
                  WHERE s.slot = c.ready_slot AND s.generation = c.ready_generation
                    AND (s.sealed_at IS NOT NULL OR s.generation = g.last_value)))
UNION ALL
-- every position of an attempt batch has its claim, unless the claim slot was pruned since
SELECT 'attempt_batch_has_claim',
       format('attempt batch %s (lane %s, ready slot %s)', a.batch_id, a.lane_id, a.ready_slot),
       format('%s positions handed out, %s claims in claim slot %s', a.claimed_count, a.claims, a.claim_slot)
FROM (SELECT a.batch_id, a.lane_id, a.ready_slot, a.claimed_count, a.claim_slot, a.claimed_at,
             coalesce(b.claimed_count, 0)
             + (SELECT count(*) FROM awa.lease_claims c
                WHERE c.claim_slot = a.claim_slot AND c.receipt_id >= a.batch_id
                  AND c.receipt_id < a.batch_id + a.claimed_count AND c.ready_slot = a.ready_slot
                  AND c.lane_id = a.lane_id AND a.lane_ranges @> c.lane_seq) AS claims
      FROM awa.ready_claim_attempt_batches a
           LEFT JOIN awa.lease_claim_batches b ON b.claim_slot = a.claim_slot AND b.batch_id = a.batch_id
               AND b.lane_id = a.lane_id AND b.ready_slot = a.ready_slot
      WHERE b.claimed_count IS DISTINCT FROM a.claimed_count) a
     JOIN awa.claim_ring_slots s ON s.slot = a.claim_slot
     CROSS JOIN awa.claim_ring_generation g
WHERE a.claims <> a.claimed_count AND a.claimed_at >= s.opened_at
  AND (s.sealed_at IS NOT NULL OR s.generation = g.last_value);
COMMENT ON VIEW awa.entry_violations IS 'internal, part of check(): what is wrong with entries and what spent them';
COMMENT ON COLUMN awa.entry_violations.invariant IS 'name of the invariant that does not hold';
COMMENT ON COLUMN awa.entry_violations.object IS 'what it does not hold for';
COMMENT ON COLUMN awa.entry_violations.detail IS 'how';
