-- Numbers that are cheap to have: they follow the frontiers and never read a claim. Functions rather than views, so
-- that each step is a short index scan with a plan of its own, whatever the planner thinks of leaves that nobody
-- analyses.

-- Behind a lane's frontier everything was dealt with. What is left, in the order of (xid, lane_seq), are the entries
-- after (start_xid, start_seq), and before it those of transactions that the snapshots of the frontier did not see.
CREATE FUNCTION awa.lane_backlog()
RETURNS TABLE (queue_id int, lane_id int, has_frontier boolean, window_opened_at timestamptz, claimed_total bigint,
               backlog bigint, oldest_at timestamptz)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET jit = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    claim_slots int[];
    ready_slots int[];
    seals       xid8[];
    tombstones  boolean[];
    frontier    awa.lane_frontiers;
    newest      awa.lane_frontiers;
    start_xid   xid8;
    start_seq   bigint;
    unseen      xid8[];
    part        record;
    last_seq    bigint;
BEGIN
    SELECT array_agg(s.slot) INTO claim_slots
    FROM awa.claim_ring_slots s
         JOIN pg_class f ON f.relnamespace = 'awa'::regnamespace AND f.relname = 'lane_frontiers_' || s.slot
    WHERE pg_relation_size(f.oid) > 0;
    SELECT array_agg(s.slot), array_agg(s.sealed_xid), array_agg(pg_relation_size(t.oid) > 0)
    INTO ready_slots, seals, tombstones
    FROM awa.queue_ring_slots s
         JOIN pg_class e ON e.relnamespace = 'awa'::regnamespace AND e.relname = 'ready_entries_' || s.slot
         JOIN pg_class t ON t.relnamespace = 'awa'::regnamespace AND t.relname = 'ready_tombstones_' || s.slot
    WHERE NOT s.drained AND pg_relation_size(e.oid) > 0;

    FOR queue_id, lane_id IN
        SELECT q.queue_id, q.queue_id * 256 + p * 64 + n
        FROM awa.queues q CROSS JOIN generate_series(0, 3) p CROSS JOIN LATERAL generate_series(0, q.shards_used - 1) n
        WHERE q.dropped_at IS NULL
        ORDER BY 2
    LOOP
        frontier := NULL;
        FOR i IN 1 .. coalesce(cardinality(claim_slots), 0) LOOP
            SELECT f.* INTO newest FROM awa.lane_frontiers f
            WHERE f.claim_slot = claim_slots[i] AND f.lane_id = lane_backlog.lane_id
            ORDER BY f.frontier_id DESC LIMIT 1;
            IF FOUND AND (frontier.frontier_id IS NULL OR newest.frontier_id > frontier.frontier_id) THEN
                frontier := newest;
            END IF;
        END LOOP;
        has_frontier := frontier.frontier_id IS NOT NULL;
        window_opened_at := CASE WHEN frontier.cur_xmax IS NOT NULL THEN frontier.opened_at END;
        claimed_total := coalesce(frontier.claimed_total, 0);
        start_xid := coalesce(greatest(frontier.done_xmax, frontier.at_xid), '0');
        start_seq := CASE WHEN frontier.at_xid >= frontier.done_xmax THEN frontier.at_seq ELSE -1 END;
        unseen := ARRAY(SELECT DISTINCT x FROM unnest(frontier.done_xip || frontier.cur_xip) x WHERE x < start_xid);
        backlog := 0;
        oldest_at := NULL;
        FOR i IN 1 .. coalesce(cardinality(ready_slots), 0) LOOP
            CONTINUE WHEN seals[i] <= frontier.done_xmin;
            SELECT count(*) AS seen, count(*) FILTER (WHERE NOT e.gone) AS entries,
                   min(e.run_at) FILTER (WHERE NOT e.gone) AS oldest, min(e.lane_seq) AS low, max(e.lane_seq) AS high
            INTO part
            FROM (SELECT e.lane_seq, e.run_at,
                         tombstones[i] AND EXISTS (SELECT FROM awa.ready_tombstones t
                             WHERE t.ready_slot = ready_slots[i] AND t.lane_id = lane_backlog.lane_id
                                 AND t.lane_seq = e.lane_seq) AS gone
                  FROM awa.ready_entries e
                  WHERE e.ready_slot = ready_slots[i] AND e.lane_id = lane_backlog.lane_id
                    AND (e.xid, e.lane_seq) > (start_xid, start_seq)
                  ORDER BY e.xid, e.lane_seq LIMIT 10000) e;
            IF part.seen = 10000 THEN
                -- more than we look at: as many as fit into the positions up to the last one
                SELECT e.lane_seq INTO last_seq FROM awa.ready_entries e
                WHERE e.ready_slot = ready_slots[i] AND e.lane_id = lane_backlog.lane_id
                ORDER BY e.xid DESC, e.lane_seq DESC LIMIT 1;
                part.entries := part.entries * greatest(1,
                    (last_seq - part.low + 1)::numeric / (part.high - part.low + 1));
            END IF;
            backlog := backlog + part.entries;
            oldest_at := least(oldest_at, part.oldest);
            CONTINUE WHEN cardinality(unseen) = 0;
            SELECT count(*) AS entries, min(e.run_at) AS oldest INTO part
            FROM (SELECT e.run_at
                  FROM awa.ready_entries e
                  WHERE e.ready_slot = ready_slots[i] AND e.lane_id = lane_backlog.lane_id AND e.xid = ANY (unseen)
                    AND NOT coalesce(e.xid < frontier.cur_xmax AND e.xid <> ALL (frontier.cur_xip)
                                     AND (e.xid, e.lane_seq) <= (frontier.at_xid, frontier.at_seq), false)
                    AND NOT (tombstones[i] AND EXISTS (SELECT FROM awa.ready_tombstones t
                             WHERE t.ready_slot = ready_slots[i] AND t.lane_id = lane_backlog.lane_id
                                 AND t.lane_seq = e.lane_seq))
                  LIMIT 10000) e;
            backlog := backlog + part.entries;
            oldest_at := least(oldest_at, part.oldest);
        END LOOP;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION awa.lane_backlog() IS
$$internal, for queue_stats and lane_status: one row for each lane of the queues in use. backlog: entries after the
frontier that are not tombstoned, exact up to 10,000 a slot. oldest_at: when the oldest of those looked at became due,
null = none.$$;

-- Through the indexes only, whatever the statistics say: a queue that is empty must not cost a scan of the others'
-- jobs.
CREATE FUNCTION awa.queue_backlog() RETURNS TABLE (queue_id int, scheduled int, retryable int, dead_letters int)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET jit = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    seen     bigint;
    deferred bigint;
BEGIN
    FOR queue_id IN SELECT q.queue_id FROM awa.queues q WHERE q.dropped_at IS NULL LOOP
        SELECT count(*), count(*) FILTER (WHERE d.state = 'scheduled') INTO seen, scheduled
        FROM (SELECT j.state FROM awa.deferred_jobs j WHERE j.queue_id = queue_backlog.queue_id LIMIT 10000) d;
        deferred := seen;
        IF seen = 10000 THEN
            SELECT count(*) INTO deferred FROM awa.deferred_jobs j WHERE j.queue_id = queue_backlog.queue_id;
            scheduled := scheduled * deferred / seen;
        END IF;
        retryable := deferred - scheduled;
        SELECT count(*) INTO dead_letters FROM awa.dlq_entries j WHERE j.queue_id = queue_backlog.queue_id;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION awa.queue_backlog() IS
'internal, for queue_stats: scheduled and retryable jobs (beyond 10,000 a queue told apart by those looked at) and
dead letters';

CREATE FUNCTION awa.queue_successes() RETURNS TABLE (queue_id int, completed bigint)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp
        SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT u.queue_id, sum(u.jobs)::bigint
    FROM (SELECT lane_id >> 8 AS queue_id, completed_count AS jobs FROM awa.receipt_completion_batches
          UNION ALL
          SELECT lane_id >> 8, 1 FROM awa.done_entries WHERE state = 'completed'
          UNION ALL
          SELECT queue_id, jobs FROM awa.queue_terminal_rollups WHERE outcome = 'completed') u
    GROUP BY u.queue_id;
END $$;
COMMENT ON FUNCTION awa.queue_successes() IS
'internal, for queue_stats: jobs completed, in history that is kept and in rollups of what was pruned; a queue without
any has no row';
