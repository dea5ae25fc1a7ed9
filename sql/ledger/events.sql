-- What happened, in an order that never changes.

CREATE VIEW awa_ledger.happenings AS
SELECT t.epoch, t.xid, t.transfer_id AS number, 'transfer'::text AS event, t.committed_at AS happened_at, t.transfer_id,
       NULL::bigint AS account, NULL::bigint AS subaccount, NULL::int AS asset,
       jsonb_build_object('effective_at', t.effective_at, 'reverses', t.reverses, 'metadata', t.metadata) AS detail
FROM awa_ledger.transfers t
UNION ALL
SELECT a.epoch, a.xid, a.change,
       CASE WHEN a.version = 1 THEN 'account_created'
            WHEN 'closed' = ANY (a.flags) THEN 'account_closed'
            WHEN 'frozen' = ANY (a.flags) THEN 'account_frozen'
            ELSE 'account_unfrozen' END,
       a.created_at, NULL, a.account, a.subaccount, NULL,
       jsonb_build_object('version', a.version, 'code', a.code, 'flags', a.flags, 'metadata', a.metadata)
FROM awa_ledger.accounts a
UNION ALL
SELECT l.epoch, l.xid, l.change, 'limits_set', l.set_at, NULL, l.account, l.subaccount, l.asset,
       jsonb_build_object('version', l.version, 'floor', l.floor, 'ceiling', l.ceiling)
FROM awa_ledger.limits l
UNION ALL
-- what a floor keeps back is told by limits_set
SELECT h.epoch, h.xid, h.change, 'hold_made', h.created_at, NULL, h.account, h.subaccount, h.asset,
       jsonb_build_object('reservation', h.reservation, 'amount', h.amount, 'expires_at', h.expires_at, 'purpose', h.purpose,
                          'job_id', h.job_id, 'run_lease', h.run_lease)
FROM awa_ledger.holds h
WHERE NOT h.is_floor
UNION ALL
SELECT e.epoch, e.xid, e.change, 'hold_extended', e.extended_at, NULL, h.account, h.subaccount, h.asset,
       jsonb_build_object('reservation', e.reservation, 'expires_at', e.expires_at)
FROM awa_ledger.hold_extensions e JOIN awa_ledger.holds h USING (reservation)
UNION ALL
SELECT o.epoch, o.xid, o.change, 'hold_' || o.outcome, o.ended_at, o.transfer_id, h.account, h.subaccount, h.asset,
       jsonb_build_object('reservation', o.reservation, 'with_job', o.with_job)
FROM awa_ledger.hold_outcomes o JOIN awa_ledger.holds h USING (reservation)
WHERE NOT h.is_floor;
COMMENT ON VIEW awa_ledger.happenings IS 'internal: the rows of events(), those of transactions that this one sees';
COMMENT ON COLUMN awa_ledger.happenings.epoch IS 'the cluster that it happened in';
COMMENT ON COLUMN awa_ledger.happenings.xid IS 'the transaction, as counted there';
COMMENT ON COLUMN awa_ledger.happenings.number IS 'order within the transaction';
COMMENT ON COLUMN awa_ledger.happenings.event IS 'what happened';
COMMENT ON COLUMN awa_ledger.happenings.happened_at IS 'when';
COMMENT ON COLUMN awa_ledger.happenings.transfer_id IS 'which transfer';
COMMENT ON COLUMN awa_ledger.happenings.account IS 'to which account';
COMMENT ON COLUMN awa_ledger.happenings.subaccount IS 'part of it';
COMMENT ON COLUMN awa_ledger.happenings.asset IS 'in which asset';
COMMENT ON COLUMN awa_ledger.happenings.detail IS 'all else that is known of it';

-- What has been committed by now. This transaction counts as running: what it did is not settled.
CREATE FUNCTION awa_ledger.settled_snapshot() RETURNS pg_snapshot
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN own IS NULL OR own >= pg_snapshot_xmax(seen) THEN seen
                ELSE format('%s:%s:%s', least(pg_snapshot_xmin(seen)::text::numeric, own::text::numeric), pg_snapshot_xmax(seen),
                            (SELECT string_agg(x::text, ',' ORDER BY x)
                             FROM (SELECT pg_snapshot_xip(seen) UNION SELECT own) r(x)))::pg_snapshot END
    FROM (SELECT pg_current_snapshot() AS seen, pg_current_xact_id_if_assigned() AS own) s
$$;
COMMENT ON FUNCTION awa_ledger.settled_snapshot() IS
    'internal: which transactions have ended, this one counted as running';

-- The cursor is a place in a window, as a lane's frontier is: which transactions were dealt with before, which belong to the
-- window, and the last one that was told. A transaction that ends late is in the next window, whatever its number is. A past
-- epoch is one window: no transaction of it is running.
CREATE FUNCTION awa_ledger.events(after text DEFAULT NULL, max_rows int DEFAULT 100)
RETURNS TABLE (cursor text, event text, happened_at timestamptz, transfer_id bigint, account bigint, subaccount bigint,
               asset int, detail jsonb)
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE ROWS 100 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    parts    text[];
    present  int := awa_ledger.current_epoch();
    latest   pg_snapshot := awa_ledger.settled_snapshot();
    era      int := 1;
    done     pg_snapshot := '1:1:';
    win      pg_snapshot;
    at_xid   xid8;
    at_no    bigint;
    is_fresh boolean;
    missing  int := max_rows;
    got      int;
BEGIN
    PERFORM awa_ledger.require('max_rows', max_rows IS NOT NULL);
    IF max_rows NOT BETWEEN 1 AND 10000 THEN
        RAISE EXCEPTION 'invalid value for max_rows: %', max_rows USING ERRCODE = '22023',
            HINT = 'max_rows must be from 1 to 10000.';
    END IF;
    IF pg_is_in_recovery() THEN
        RAISE EXCEPTION 'events() cannot be called on a standby' USING ERRCODE = '25006',
            DETAIL = 'A standby does not know which transactions have ended.', HINT = 'Call it on the primary.';
    END IF;
    IF after IS NOT NULL THEN
        parts := regexp_match(after, '^(\d{1,9})\|(\d+:\d+:[\d,]*)\|(\d+:\d+:[\d,]*)\|(\d{1,19})\|(-?\d{1,19})$');
        IF parts IS NULL THEN
            RAISE EXCEPTION 'invalid cursor: "%"', left(after, 64) USING ERRCODE = '22023',
                HINT = 'Pass the cursor of the last event that you have dealt with, as it came.';
        END IF;
        era := parts[1]; done := parts[2]; win := parts[3]; at_xid := parts[4]; at_no := parts[5];
        IF era > present OR era = present AND pg_snapshot_xmax(win) > pg_snapshot_xmax(latest) THEN
            RAISE EXCEPTION 'the cursor is not of this ledger, or of a later time' USING ERRCODE = '55000',
                DETAIL = format('It is of epoch %s; now is epoch %s.', era, present),
                HINT = 'After a restore, CALL awa.after_restore() once.';
        END IF;
    END IF;
    -- Whoever is seen has a number that was given out, or it is another cluster's.
    IF EXISTS (SELECT FROM awa_ledger.happenings h
               WHERE h.epoch = present AND h.xid >= pg_snapshot_xmax(latest)
                 AND h.xid IS DISTINCT FROM pg_current_xact_id_if_assigned()) THEN
        RAISE EXCEPTION 'the ledger was restored from another cluster, and has not been told' USING ERRCODE = '55000',
            HINT = 'CALL awa.after_restore() once.';
    END IF;
    LOOP
        is_fresh := win IS NULL;
        IF is_fresh THEN
            win := CASE WHEN era = present THEN latest ELSE '9223372036854775807:9223372036854775807:' END;
        END IF;
        RETURN QUERY
        SELECT concat_ws('|', era, done, win, h.xid, h.number), h.event, h.happened_at, h.transfer_id, h.account,
               h.subaccount, h.asset, h.detail
        FROM awa_ledger.happenings h
        WHERE h.epoch = era AND h.xid >= coalesce(at_xid, pg_snapshot_xmin(done)) AND h.xid < pg_snapshot_xmax(win)
          AND pg_visible_in_snapshot(h.xid, win) AND NOT pg_visible_in_snapshot(h.xid, done)
          AND (at_xid IS NULL OR h.xid > at_xid OR h.number > at_no)
        ORDER BY h.xid, h.number
        LIMIT missing;
        GET DIAGNOSTICS got = ROW_COUNT;
        missing := missing - got;
        EXIT WHEN missing = 0 OR era = present AND is_fresh;
        -- The window is told. Of a past epoch everything after it is still to come.
        done := win; win := NULL; at_xid := NULL; at_no := NULL;
        IF era < present AND is_fresh THEN
            era := era + 1; done := '1:1:';
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION awa_ledger.events(text, int) IS
$$What happened in the ledger: transfer, account_created, account_frozen, account_unfrozen, account_closed, limits_set,
hold_made, hold_extended, hold_posted, hold_voided, hold_expired; a row each, in an order that never changes. Only what is settled is told: what transactions did that have ended, and none is ever
skipped because it ended late. after: the cursor of the last event that was dealt with; null = from the beginning.
max_rows: 1..10000. No row: nothing new. A cursor stays good after a dump and restore, when awa.after_restore() was called.
detail: of a transfer effective_at, reverses, metadata; of an account version, code, flags, metadata; of limits version, floor,
 ceiling; of a hold reservation, and what came of it. Errors: 22004 null max_rows, 22023 max_rows out of range, what is no
 cursor; 55000 a cursor of a later time, or after_restore() was not called yet; 25006 on a standby.$$;

CREATE FUNCTION awa_ledger.balance_at(account bigint, subaccount bigint, asset int, at timestamptz) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_balance_at';
COMMENT ON FUNCTION awa_ledger.balance_at(bigint, bigint, int, timestamptz) IS
$$What an account had of an asset at some time, by committed_at of transfers; reserved or not. The answer never changes: a time
that is not before the beginning of every transaction that is moving value just now is refused. It reads all postings that the
account ever had of the asset. Errors: 55000 what was then is not settled yet, or after_restore() was not called yet; 22003 a sum
beyond bigint, 22004 null.$$;
