-- Why a slot would not be emptied, as far as that is cheap to know: the proof of prune, step by step, where what a step
-- reads is small, and the newest rows elsewhere.

CREATE FUNCTION awa.slot_obstacle(ring text, slot int) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET jit = off SET enable_nestloop = off AS $$
#variable_conflict use_column
DECLARE
    small     CONSTANT bigint := 1048576;
    retention CONSTANT interval := coalesce(current_setting('awa_ring.history_retention', true), '1 h')::interval;
    claims    bigint;
BEGIN
    IF ring = 'lease' THEN
        RETURN (SELECT 'leases' WHERE EXISTS (SELECT FROM awa.leases l WHERE l.lease_slot = slot_obstacle.slot));
    END IF;
    SELECT sum(pg_relation_size(c.oid)) INTO claims
    FROM pg_class c
    WHERE c.relnamespace = 'awa'::regnamespace AND c.relkind = 'r'
      AND c.relname ~ ('^(lease_claim_batches|lease_claims|lease_claim_closures|lease_claim_closure_batches)_'
                       || CASE ring WHEN 'claim' THEN slot_obstacle.slot::text ELSE '\d+' END || '$');
    IF ring = 'claim' THEN
        RETURN CASE WHEN claims <= small AND
            (SELECT sum(b.claimed_count) FROM awa.lease_claim_batches b WHERE b.claim_slot = slot_obstacle.slot)
            IS DISTINCT FROM
            (SELECT sum(x.closed_count) FROM awa.lease_claim_closure_batches x WHERE x.claim_slot = slot_obstacle.slot)
            OR claims <= small AND
            (SELECT count(*) FROM awa.lease_claims c WHERE c.claim_slot = slot_obstacle.slot)
            <> (SELECT count(*) FROM awa.lease_claim_closures x WHERE x.claim_slot = slot_obstacle.slot)
            THEN 'open' END;
    END IF;
    IF (SELECT sum(pg_relation_size(c.oid)) FROM pg_class c
        WHERE c.relnamespace = 'awa'::regnamespace
          AND c.relname IN ('ready_entries_' || slot_obstacle.slot, 'ready_tombstones_' || slot_obstacle.slot,
                            'ready_claim_attempt_batches_' || slot_obstacle.slot)) <= small
       AND EXISTS (SELECT FROM awa.unspent_entries e WHERE e.ready_slot = slot_obstacle.slot) THEN
        RETURN 'pending';
    END IF;
    IF claims <= small AND EXISTS (SELECT FROM awa.open_receipts r WHERE r.ready_slot = slot_obstacle.slot) THEN
        RETURN 'open';
    END IF;
    -- ids rise with time, nearly
    IF (SELECT b.finalized_at FROM awa.receipt_completion_batches b
        WHERE b.ready_slot = slot_obstacle.slot ORDER BY b.batch_id DESC LIMIT 1) > clock_timestamp() - retention
       OR (SELECT max(d.finalized_at) FROM (SELECT e.finalized_at FROM awa.done_entries e
           WHERE e.ready_slot = slot_obstacle.slot LIMIT 1000) d) > clock_timestamp() - retention THEN
        RETURN 'history';
    END IF;
    IF EXISTS (SELECT FROM (SELECT e.lane_id, e.finalized_at FROM awa.done_entries e
                            WHERE e.ready_slot = slot_obstacle.slot AND e.state = 'failed'
                            ORDER BY e.finalized_at DESC LIMIT 1000) d
                           JOIN awa.queues q ON q.queue_id = d.lane_id >> 8
               WHERE d.finalized_at > clock_timestamp() - q.failed_retention) THEN
        RETURN 'failed';
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION awa.slot_obstacle(text, int) IS
$$internal, for ring_status: what prune would stop at in a slot that is not current: pending, open, history, failed or
leases; null = nothing that is cheap to see. Pending and open are looked for in up to 1 MB of evidence only.$$;
