-- Heartbeats.

CREATE FUNCTION awa.heartbeat(receipts awa.receipt[], progress jsonb[] = NULL)
RETURNS TABLE (receipt awa.receipt, state text, stale_at timestamptz)
    LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 100 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_heartbeat';
COMMENT ON FUNCTION awa.heartbeat(awa.receipt[], jsonb[]) IS
$$Says that the attempts of the receipts go on, and tells for each, in order, whether they do: open (stale_at is when the
attempt is rescued unless it beats again), waiting (for a callback), cancelled (stop working: the job is over), stale (the
attempt is over otherwise, or of nothing known), busy (another transaction was at work on it for a second: ask again).
progress: null or as long as receipts; what is given replaces what was there, null = as it was. The next attempt gets it
with its claim, and the view jobs shows it; a success forgets it. Call it in a transaction of its own.
Errors: 22023 null or multi-dimensional elements, arrays of different lengths, 54000 progress too large, 40P01, 25006.$$;
