-- Invariants of claims and closures. The views of violations are the parts of check(): it reads them in one statement.

CREATE VIEW awa.claim_violations AS
-- the arrays, the count and the receipts of a claim batch agree
SELECT 'claim_batch_is_whole' AS invariant,
       format('claim batch %s (claim slot %s)', b.batch_id, b.claim_slot) AS object,
       format('claimed_count %s, receipts %s, jobs %s, run leases %s, positions %s, attempts %s, max attempts %s',
              b.claimed_count, b.receipt_ranges, cardinality(b.job_ids), cardinality(b.run_leases),
              cardinality(b.lane_seqs), cardinality(b.attempts), cardinality(b.max_attempts)) AS detail
FROM awa.lease_claim_batches b
WHERE b.receipt_ranges <> int8multirange(int8range(b.batch_id, b.batch_id + b.claimed_count))
   OR (cardinality(b.job_ids), cardinality(b.run_leases), cardinality(b.lane_seqs), cardinality(b.attempts),
       cardinality(b.max_attempts)) <> (b.claimed_count, b.claimed_count, b.claimed_count, b.claimed_count,
                                        b.claimed_count)
UNION ALL
-- no receipt is claimed twice
SELECT 'receipt_is_claimed_once', format('receipts %s', r.receipts * int8range(lower(r.receipts), r.reached)),
       format('claim %s (claim slot %s) and another', r.batch_id, r.claim_slot)
FROM (SELECT c.claim_slot, c.batch_id, c.receipts, max(upper(c.receipts)) OVER w AS reached
      FROM (SELECT b.claim_slot, b.batch_id, u.receipts
            FROM awa.lease_claim_batches b CROSS JOIN LATERAL unnest(b.receipt_ranges) u(receipts)
            UNION ALL
            SELECT claim_slot, receipt_id, int8range(receipt_id, receipt_id, '[]') FROM awa.lease_claims) c
      WINDOW w AS (ORDER BY lower(c.receipts), c.batch_id, c.claim_slot
                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) r
WHERE r.reached > lower(r.receipts)
UNION ALL
-- count and receipts of a closure agree
SELECT 'closure_batch_is_whole', format('closure batch %s (claim slot %s)', x.batch_id, x.claim_slot),
       format('closed_count %s, receipts %s', x.closed_count, x.receipt_ranges)
FROM awa.lease_claim_closure_batches x
WHERE x.closed_count IS DISTINCT FROM (SELECT sum(upper(r) - lower(r)) FROM unnest(x.receipt_ranges) r)
UNION ALL
-- what is closed was claimed, in this slot and shape
SELECT 'closure_has_claim', format('closure batch %s (claim slot %s)', x.batch_id, x.claim_slot),
       CASE WHEN b.batch_id IS NULL THEN format('there is no claim batch %s', x.claim_batch_id)
            WHEN NOT b.receipt_ranges @> x.receipt_ranges
            THEN format('claim batch %s never had receipts %s', b.batch_id, x.receipt_ranges - b.receipt_ranges)
            ELSE format('claim batch %s is of ready slot %s generation %s, the closure of %s generation %s', b.batch_id,
                        b.ready_slot, b.ready_generation, x.ready_slot, x.ready_generation) END
FROM awa.lease_claim_closure_batches x
     LEFT JOIN awa.lease_claim_batches b ON b.claim_slot = x.claim_slot AND b.batch_id = x.claim_batch_id
WHERE b.batch_id IS NULL OR NOT b.receipt_ranges @> x.receipt_ranges
   OR (b.ready_slot, b.ready_generation) <> (x.ready_slot, x.ready_generation)
UNION ALL
SELECT 'closure_has_claim', format('closure of receipt %s (claim slot %s)', x.receipt_id, x.claim_slot),
       CASE WHEN c.receipt_id IS NULL THEN 'there is no row-local claim of that receipt'
            ELSE format('the claim is of job %s, run lease %s, ready slot %s; the closure of %s, %s, %s',
                        c.job_id, c.run_lease, c.ready_slot, x.job_id, x.run_lease, x.ready_slot) END
FROM awa.lease_claim_closures x
     LEFT JOIN awa.lease_claims c ON c.claim_slot = x.claim_slot AND c.receipt_id = x.receipt_id
WHERE c.receipt_id IS NULL OR (c.job_id, c.run_lease, c.ready_slot) <> (x.job_id, x.run_lease, x.ready_slot)
UNION ALL
-- no receipt has two closure units (row-local ones: by primary key)
SELECT 'receipt_is_closed_once',
       format('receipts %s (claim slot %s)', r.receipts * int8range(lower(r.receipts), r.reached), r.claim_slot),
       format('closure batch %s (%s) and another of claim batch %s', r.batch_id, r.outcome, r.claim_batch_id)
FROM (SELECT x.claim_slot, x.claim_batch_id, x.batch_id, x.outcome, u.receipts, max(upper(u.receipts)) OVER w AS reached
      FROM awa.lease_claim_closure_batches x CROSS JOIN LATERAL unnest(x.receipt_ranges) u(receipts)
      WINDOW w AS (PARTITION BY x.claim_slot, x.claim_batch_id ORDER BY lower(u.receipts), x.batch_id
                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) r
WHERE r.reached > lower(r.receipts)
UNION ALL
-- an open receipt shows in the counts of its slot: one closed twice must not stand in for it
SELECT 'open_receipt_is_counted', format('receipts %s (claim slot %s)', c.receipts - x.receipts, c.claim_slot),
       format('open, though the slot has %s claims and %s closures', c.units, x.units)
FROM (SELECT claim_slot, range_agg(receipt_ranges) AS receipts, sum(claimed_count) AS units
      FROM awa.lease_claim_batches GROUP BY claim_slot) c
     JOIN (SELECT claim_slot, range_agg(receipt_ranges) AS receipts, sum(closed_count) AS units
           FROM awa.lease_claim_closure_batches GROUP BY claim_slot) x USING (claim_slot)
WHERE x.units >= c.units AND NOT isempty(c.receipts - x.receipts)
UNION ALL
-- a frontier is whole, and its snapshots are of this cluster
SELECT 'frontier_is_sane', format('frontier %s (lane %s, claim slot %s)', f.frontier_id, f.lane_id, f.claim_slot),
       CASE WHEN greatest(f.done_xmax, f.cur_xmax) > pg_snapshot_xmax(pg_current_snapshot())
            THEN 'foreign transaction id: its snapshot is later than any of this cluster'
                ELSE 'half of a window, or bounds out of order' END
FROM awa.lane_frontiers f
WHERE num_nulls(f.cur_xmin, f.cur_xmax, f.cur_xip) NOT IN (0, 3) OR num_nulls(f.at_xid, f.at_seq) = 1
   OR (f.at_xid IS NOT NULL AND f.cur_xmax IS NULL) OR f.done_xmin > f.done_xmax OR f.cur_xmin > f.cur_xmax
   OR greatest(f.done_xmax, f.cur_xmax) > pg_snapshot_xmax(pg_current_snapshot());
COMMENT ON VIEW awa.claim_violations IS 'internal, part of check(): what is wrong with claims and closures';
COMMENT ON COLUMN awa.claim_violations.invariant IS 'name of the invariant that does not hold';
COMMENT ON COLUMN awa.claim_violations.object IS 'what it does not hold for';
COMMENT ON COLUMN awa.claim_violations.detail IS 'how';
