-- What is wrong with holds: each that is not over has its posting, and no other has.

CREATE VIEW awa_ledger.hold_violations AS
WITH reserved AS MATERIALIZED (
    SELECT r.transfer_id, r.idx, r.reservation
    FROM awa_ledger.last_reservations r
    WHERE r.reservation IS NOT NULL
      AND NOT EXISTS (SELECT FROM awa_ledger.spends s WHERE s.transfer_id = r.transfer_id AND s.idx = r.idx)
)
SELECT 'hold_has_its_posting' AS invariant, format('hold %s', h.reservation) AS object,
       CASE WHEN p.transfer_id IS NULL THEN format('there is no posting %s:%s', h.transfer_id, h.idx)
            WHEN r.reservation IS DISTINCT FROM h.reservation
            THEN format('posting %s:%s is spent, or reserved by %s', h.transfer_id, h.idx, coalesce(r.reservation::text, 'nobody'))
            ELSE format('it is of %s of asset %s of account %s:%s; posting %s:%s is of %s of asset %s of account %s:%s', h.amount,
                        h.asset, h.account, h.subaccount, h.transfer_id, h.idx, p.value, p.asset, p.account, p.subaccount) END
       AS detail
FROM awa_ledger.unended_holds u
     JOIN awa_ledger.holds h ON h.reservation = u.reservation
     LEFT JOIN awa_ledger.postings p ON p.transfer_id = h.transfer_id AND p.idx = h.idx
     LEFT JOIN reserved r ON r.transfer_id = h.transfer_id AND r.idx = h.idx
WHERE (r.reservation, p.value, p.asset, p.account, p.subaccount)
      IS DISTINCT FROM (h.reservation, h.amount, h.asset, h.account, h.subaccount)
UNION ALL
SELECT 'hold_has_its_posting', format('hold %s', h.reservation),
       format('posting %s:%s is reserved by it as well', r.transfer_id, r.idx)
FROM reserved r
     JOIN awa_ledger.holds h ON h.reservation = r.reservation
WHERE (r.transfer_id, r.idx) <> (h.transfer_id, h.idx)
UNION ALL
SELECT 'ended_hold_is_free', format('hold %s', o.reservation), format('%s, but posting %s:%s is reserved by it', o.outcome,
       r.transfer_id, r.idx)
FROM awa_ledger.hold_outcomes o
     JOIN reserved r ON r.reservation = o.reservation
UNION ALL
SELECT 'posted_hold_is_spent', format('hold %s', h.reservation),
       format('posted with transfer %s, but posting %s:%s was spent by %s', coalesce(o.transfer_id::text, 'none'), h.transfer_id,
              h.idx, coalesce(s.spent_by::text, 'none'))
FROM awa_ledger.hold_outcomes o
     JOIN awa_ledger.holds h ON h.reservation = o.reservation
     LEFT JOIN awa_ledger.spends s ON s.transfer_id = h.transfer_id AND s.idx = h.idx
WHERE o.outcome = 'posted' AND s.spent_by IS DISTINCT FROM o.transfer_id
UNION ALL
SELECT 'outcome_has_hold', format('hold %s', o.reservation), format('%s, but there is no such hold', o.outcome)
FROM awa_ledger.hold_outcomes o
WHERE NOT EXISTS (SELECT FROM awa_ledger.holds h WHERE h.reservation = o.reservation)
UNION ALL
SELECT 'request_has_hold', format('idempotency key %L', r.key), format('it came to hold %s, which is not there', r.reservation)
FROM awa_ledger.hold_requests r
WHERE NOT EXISTS (SELECT FROM awa_ledger.holds h WHERE h.reservation = r.reservation)
UNION ALL
-- No index spans both tables. What was not posted may have given its key back.
SELECT 'key_is_used_once', format('idempotency key %L', r.key),
       format('it came to hold %s and to transfer %s', r.reservation, t.transfer_id)
FROM awa_ledger.hold_requests r
     JOIN awa_ledger.transfers t ON t.request_key = r.key
     LEFT JOIN awa_ledger.hold_outcomes o ON o.reservation = r.reservation
WHERE o.outcome IS NULL OR o.outcome = 'posted'
UNION ALL
SELECT 'extensions_have_no_gap', format('hold %s', x.reservation),
       format('there are %s extensions, the greatest is %s', count(*), max(x.extension))
FROM awa_ledger.hold_extensions x
GROUP BY x.reservation
HAVING count(*) <> max(x.extension) OR count(DISTINCT x.extension) <> count(*)
    OR NOT EXISTS (SELECT FROM awa_ledger.holds h WHERE h.reservation = x.reservation)
UNION ALL
SELECT 'open_hold_is_open', format('hold %s', coalesce(t.reservation, h.reservation)),
       CASE WHEN h.reservation IS NULL THEN 'it is not over, but not among the open ones'
            WHEN t.reservation IS NULL THEN 'it is among the open ones, but over or unknown'
            ELSE format('open until %s for job %s, run lease %s; it is until %s for job %s, run lease %s', h.expires_at,
                        h.job_id, h.run_lease, t.expires_at, t.job_id, t.run_lease) END
FROM awa_ledger.unended_holds t
     FULL JOIN awa_ledger.open_holds h ON h.reservation = t.reservation
WHERE t.reservation IS NULL OR h.reservation IS NULL
   OR (h.expires_at, h.job_id, h.run_lease) IS DISTINCT FROM (t.expires_at, t.job_id, t.run_lease);
COMMENT ON VIEW awa_ledger.hold_violations IS 'internal, part of verify(): what is wrong with holds';
COMMENT ON COLUMN awa_ledger.hold_violations.invariant IS 'name of the invariant that does not hold';
COMMENT ON COLUMN awa_ledger.hold_violations.object IS 'what it does not hold for';
COMMENT ON COLUMN awa_ledger.hold_violations.detail IS 'how';
