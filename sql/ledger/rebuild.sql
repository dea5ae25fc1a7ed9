-- Making the hot tables again from the truth.

-- Who holds a posting is the last word of the log on it. (Log numbers of one posting rise in the order of events.)
CREATE VIEW awa_ledger.last_reservations AS
SELECT DISTINCT ON (i.item) awa_ledger.transfer_of(i.item) AS transfer_id, awa_ledger.idx_of(i.item) AS idx,
       CASE l.op WHEN 'reserve' THEN l.reservation END AS reservation
FROM awa_ledger.reservation_log l CROSS JOIN LATERAL unnest(l.items) i(item)
ORDER BY i.item USING OPERATOR(awa_ledger.<), l.seq DESC;
COMMENT ON VIEW awa_ledger.last_reservations IS 'internal: the last word of reservation_log on each posting that it names';
COMMENT ON COLUMN awa_ledger.last_reservations.transfer_id IS 'the posting: its transfer';
COMMENT ON COLUMN awa_ledger.last_reservations.idx IS 'the posting: its place';
COMMENT ON COLUMN awa_ledger.last_reservations.reservation IS 'who holds it; null = nobody';

CREATE VIEW awa_ledger.unspent_postings AS
SELECT p.transfer_id, p.idx, p.asset, p.account, p.subaccount, p.value, r.reservation
FROM awa_ledger.postings p
     LEFT JOIN awa_ledger.last_reservations r ON r.transfer_id = p.transfer_id AND r.idx = p.idx
WHERE NOT EXISTS (SELECT FROM awa_ledger.spends s WHERE s.transfer_id = p.transfer_id AND s.idx = p.idx);
COMMENT ON VIEW awa_ledger.unspent_postings IS 'internal: what live_postings must hold, as the truth has it';
COMMENT ON COLUMN awa_ledger.unspent_postings.transfer_id IS 'the posting: its transfer';
COMMENT ON COLUMN awa_ledger.unspent_postings.idx IS 'the posting: its place';
COMMENT ON COLUMN awa_ledger.unspent_postings.asset IS 'of what';
COMMENT ON COLUMN awa_ledger.unspent_postings.account IS 'the owner';
COMMENT ON COLUMN awa_ledger.unspent_postings.subaccount IS 'the part of the owner';
COMMENT ON COLUMN awa_ledger.unspent_postings.value IS 'how much';
COMMENT ON COLUMN awa_ledger.unspent_postings.reservation IS 'who holds it; null = active';

CREATE VIEW awa_ledger.newest_accounts AS
SELECT DISTINCT ON (a.account, a.subaccount) a.account, a.subaccount, a.version, 'frozen' = ANY (a.flags) AS frozen,
       'closed' = ANY (a.flags) AS closed,
       EXISTS (SELECT FROM awa_ledger.limits l
               WHERE l.account = a.account AND l.subaccount = a.subaccount) AS limited
FROM awa_ledger.accounts a
ORDER BY a.account, a.subaccount, a.version DESC;
COMMENT ON VIEW awa_ledger.newest_accounts IS 'internal: what account_heads must hold, as the truth has it';
COMMENT ON COLUMN awa_ledger.newest_accounts.account IS 'the account';
COMMENT ON COLUMN awa_ledger.newest_accounts.subaccount IS 'part of it';
COMMENT ON COLUMN awa_ledger.newest_accounts.version IS 'its greatest version';
COMMENT ON COLUMN awa_ledger.newest_accounts.frozen IS 'whether that is frozen';
COMMENT ON COLUMN awa_ledger.newest_accounts.closed IS 'whether that is closed';
COMMENT ON COLUMN awa_ledger.newest_accounts.limited IS 'whether it has limits of its own';

CREATE VIEW awa_ledger.unended_holds AS
SELECT h.reservation, coalesce(x.expires_at, h.expires_at) AS expires_at, h.job_id, h.run_lease
FROM awa_ledger.holds h
     LEFT JOIN (SELECT DISTINCT ON (e.reservation) e.reservation, e.expires_at
                FROM awa_ledger.hold_extensions e ORDER BY e.reservation, e.extension DESC) x USING (reservation)
WHERE NOT EXISTS (SELECT FROM awa_ledger.hold_outcomes o WHERE o.reservation = h.reservation);
COMMENT ON VIEW awa_ledger.unended_holds IS 'internal: what open_holds must hold, as the truth has it';
COMMENT ON COLUMN awa_ledger.unended_holds.reservation IS 'the hold';
COMMENT ON COLUMN awa_ledger.unended_holds.expires_at IS 'until when';
COMMENT ON COLUMN awa_ledger.unended_holds.job_id IS 'the job that it ends with';
COMMENT ON COLUMN awa_ledger.unended_holds.run_lease IS 'the attempt that it ends with';

-- Only differences are written: whoever has an older snapshot goes on seeing what it saw.
CREATE FUNCTION awa_ledger.rebuild_live() RETURNS TABLE (hot_table text, inserted int, changed int, removed int)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET jit = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
#variable_conflict use_column
BEGIN
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        RAISE EXCEPTION 'rebuild_live() cannot run in a % transaction', upper(current_setting('transaction_isolation'))
            USING ERRCODE = '25000', DETAIL = 'Its snapshot may be older than the truth.',
            HINT = 'Call it in a READ COMMITTED transaction.';
    END IF;
    -- Keeps writers out, and other rebuilds; readers go on. Each statement below has a snapshot of its own, newer than
    -- the lock. Accounts first, as those who create one and then its postings have it: they do not deadlock with this.
    LOCK TABLE awa_ledger.account_heads, awa_ledger.live_postings, awa_ledger.open_holds IN SHARE ROW EXCLUSIVE MODE;

    RETURN QUERY
    WITH difference AS MATERIALIZED (
        SELECT t.transfer_id, t.idx, t.asset, t.account, t.subaccount, t.value, t.reservation, l.ctid AS at
        FROM awa_ledger.unspent_postings t
             FULL JOIN awa_ledger.live_postings l
                 ON l.account = t.account AND l.subaccount = t.subaccount AND l.asset = t.asset
                     AND l.transfer_id = t.transfer_id AND l.idx = t.idx
        WHERE t.transfer_id IS NULL OR l.transfer_id IS NULL
           OR (l.value, l.reservation) IS DISTINCT FROM (t.value, t.reservation)
    ), removed AS (
        DELETE FROM awa_ledger.live_postings l USING difference d
        WHERE l.ctid = d.at AND d.transfer_id IS NULL RETURNING 1
    ), changed AS (
        UPDATE awa_ledger.live_postings l SET value = d.value, reservation = d.reservation FROM difference d
        WHERE l.ctid = d.at AND d.transfer_id IS NOT NULL RETURNING 1
    ), inserted AS (
        INSERT INTO awa_ledger.live_postings (transfer_id, idx, asset, account, subaccount, value, reservation)
        SELECT d.transfer_id, d.idx, d.asset, d.account, d.subaccount, d.value, d.reservation
        FROM difference d WHERE d.at IS NULL
        ORDER BY d.account, d.subaccount, d.asset, d.transfer_id, d.idx RETURNING 1
    )
    SELECT 'live_postings', (SELECT count(*)::int FROM inserted), (SELECT count(*)::int FROM changed),
           (SELECT count(*)::int FROM removed);

    RETURN QUERY
    WITH difference AS MATERIALIZED (
        SELECT t.account, t.subaccount, t.version, t.frozen, t.closed, t.limited, h.ctid AS at
        FROM awa_ledger.newest_accounts t
             FULL JOIN awa_ledger.account_heads h ON h.account = t.account AND h.subaccount = t.subaccount
        WHERE t.account IS NULL OR h.account IS NULL
           OR (h.version, h.frozen, h.closed, h.limited) IS DISTINCT FROM (t.version, t.frozen, t.closed, t.limited)
    ), removed AS (
        DELETE FROM awa_ledger.account_heads h USING difference d
        WHERE h.ctid = d.at AND d.account IS NULL RETURNING 1
    ), changed AS (
        UPDATE awa_ledger.account_heads h SET version = d.version, frozen = d.frozen, closed = d.closed, limited = d.limited
        FROM difference d WHERE h.ctid = d.at AND d.account IS NOT NULL RETURNING 1
    ), inserted AS (
        INSERT INTO awa_ledger.account_heads (account, subaccount, version, frozen, closed, limited)
        SELECT d.account, d.subaccount, d.version, d.frozen, d.closed, d.limited FROM difference d WHERE d.at IS NULL RETURNING 1
    )
    SELECT 'account_heads', (SELECT count(*)::int FROM inserted), (SELECT count(*)::int FROM changed),
           (SELECT count(*)::int FROM removed);

    RETURN QUERY
    WITH difference AS MATERIALIZED (
        SELECT t.reservation, t.expires_at, t.job_id, t.run_lease, h.ctid AS at
        FROM awa_ledger.unended_holds t
             FULL JOIN awa_ledger.open_holds h ON h.reservation = t.reservation
        WHERE t.reservation IS NULL OR h.reservation IS NULL
           OR (h.expires_at, h.job_id, h.run_lease) IS DISTINCT FROM (t.expires_at, t.job_id, t.run_lease)
    ), removed AS (
        DELETE FROM awa_ledger.open_holds h USING difference d
        WHERE h.ctid = d.at AND d.reservation IS NULL RETURNING 1
    ), changed AS (
        UPDATE awa_ledger.open_holds h SET expires_at = d.expires_at, job_id = d.job_id, run_lease = d.run_lease
        FROM difference d WHERE h.ctid = d.at AND d.reservation IS NOT NULL RETURNING 1
    ), inserted AS (
        INSERT INTO awa_ledger.open_holds (reservation, expires_at, job_id, run_lease)
        SELECT d.reservation, d.expires_at, d.job_id, d.run_lease FROM difference d WHERE d.at IS NULL RETURNING 1
    )
    SELECT 'open_holds', (SELECT count(*)::int FROM inserted), (SELECT count(*)::int FROM changed),
           (SELECT count(*)::int FROM removed);
END $$;
COMMENT ON FUNCTION awa_ledger.rebuild_live() IS
$$Brings the hot tables to what the truth says and returns how many rows of each it inserted, changed and removed; zeros
when they were right. It waits for transactions that have changed postings, and keeps others waiting until its own
transaction ends; readers go on, and older snapshots see what they saw. It reads the whole ledger.
Errors: 25000 in a REPEATABLE READ or SERIALIZABLE transaction, 40P01 beside a transaction that has changed postings and
then creates an account, 25006.$$;
