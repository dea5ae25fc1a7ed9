-- What is wrong with value: transfers, postings, spends, reservations, and the hot table of them.

CREATE VIEW awa_ledger.value_violations AS
WITH moved AS (
    SELECT transfer_id, asset, sum(created) AS created, sum(consumed) AS consumed
    FROM (SELECT p.transfer_id, p.asset, p.value AS created, 0 AS consumed FROM awa_ledger.postings p
          UNION ALL
          SELECT s.spent_by, p.asset, 0, p.value
          FROM awa_ledger.spends s JOIN awa_ledger.postings p ON p.transfer_id = s.transfer_id AND p.idx = s.idx) m
    GROUP BY transfer_id, asset
), logged AS (
    SELECT l.seq, awa_ledger.transfer_of(i.item) AS transfer_id, awa_ledger.idx_of(i.item) AS idx
    FROM awa_ledger.reservation_log l CROSS JOIN LATERAL unnest(l.items) i(item)
)
-- a transfer creates as much of every asset as it consumes
SELECT 'transfer_is_balanced' AS invariant, format('transfer %s', transfer_id) AS object,
       format('of asset %s it creates %s and consumes %s', asset, created, consumed) AS detail
FROM moved
WHERE created <> consumed
UNION ALL
-- so what is live of an asset comes to nothing, at any time
SELECT 'asset_is_constant', format('asset %s', l.asset), format('the sum of its live postings is %s', sum(l.value))
FROM awa_ledger.live_postings l
GROUP BY l.asset
HAVING sum(l.value) <> 0
UNION ALL
SELECT 'posting_has_transfer', format('posting %s:%s', p.transfer_id, p.idx), format('there is no transfer %s', p.transfer_id)
FROM awa_ledger.postings p
WHERE NOT EXISTS (SELECT FROM awa_ledger.transfers t WHERE t.transfer_id = p.transfer_id)
UNION ALL
SELECT 'posting_has_account', format('posting %s:%s', p.transfer_id, p.idx),
       format('there is no account %s:%s', p.account, p.subaccount)
FROM awa_ledger.postings p
WHERE NOT EXISTS (SELECT FROM awa_ledger.accounts a
                  WHERE a.account = p.account AND a.subaccount = p.subaccount AND a.version = 1)
UNION ALL
SELECT 'posting_has_asset', format('posting %s:%s', p.transfer_id, p.idx), format('there is no asset %s', p.asset)
FROM awa_ledger.postings p
WHERE NOT EXISTS (SELECT FROM awa_ledger.assets a WHERE a.asset = p.asset)
UNION ALL
SELECT 'spend_has_posting', format('spend of posting %s:%s', s.transfer_id, s.idx),
       format('transfer %s consumed it, but there is no such posting', s.spent_by)
FROM awa_ledger.spends s
WHERE NOT EXISTS (SELECT FROM awa_ledger.postings p WHERE p.transfer_id = s.transfer_id AND p.idx = s.idx)
UNION ALL
SELECT 'spend_has_transfer', format('spend of posting %s:%s', s.transfer_id, s.idx), format('there is no transfer %s', s.spent_by)
FROM awa_ledger.spends s
WHERE NOT EXISTS (SELECT FROM awa_ledger.transfers t WHERE t.transfer_id = s.spent_by)
UNION ALL
-- the keys of these tables, in case an index was dropped or lost rows
SELECT 'posting_is_created_once', format('posting %s:%s', p.transfer_id, p.idx), format('there are %s rows of it', count(*))
FROM awa_ledger.postings p
GROUP BY p.transfer_id, p.idx
HAVING count(*) > 1
UNION ALL
SELECT 'posting_is_spent_once', format('posting %s:%s', s.transfer_id, s.idx),
       format('by transfers %s', string_agg(s.spent_by::text, ', ' ORDER BY s.spent_by))
FROM awa_ledger.spends s
GROUP BY s.transfer_id, s.idx
HAVING count(*) > 1
UNION ALL
SELECT 'reversed_is_there', format('transfer %s', t.transfer_id), format('it reverses transfer %s, which is not there', t.reverses)
FROM awa_ledger.transfers t
WHERE t.reverses IS NOT NULL AND NOT EXISTS (SELECT FROM awa_ledger.transfers o WHERE o.transfer_id = t.reverses)
UNION ALL
SELECT 'log_is_of_postings', format('log entry %s', l.seq), format('there is no posting %s:%s', l.transfer_id, l.idx)
FROM logged l
WHERE NOT EXISTS (SELECT FROM awa_ledger.postings p WHERE p.transfer_id = l.transfer_id AND p.idx = l.idx)
UNION ALL
-- the hot table holds what is not spent, with its content and its holder, and nothing else
SELECT CASE WHEN l.transfer_id IS NULL THEN 'unspent_is_live'
            WHEN t.transfer_id IS NULL THEN 'live_is_unspent'
            WHEN l.value <> t.value THEN 'live_is_as_posted'
            ELSE 'reservation_is_logged' END,
       format('posting %s:%s', coalesce(t.transfer_id, l.transfer_id), coalesce(t.idx, l.idx)),
       CASE WHEN l.transfer_id IS NULL
            THEN format('%s of asset %s is owned by %s:%s, but not live', t.value, t.asset, t.account, t.subaccount)
            WHEN t.transfer_id IS NULL
            THEN format('live as %s of asset %s owned by %s:%s, which the truth does not have', l.value, l.asset,
                        l.account, l.subaccount)
            WHEN l.value <> t.value THEN format('live with value %s, it is %s', l.value, t.value)
            ELSE format('live with reservation %s, the log has %s', coalesce(l.reservation::text, 'none'),
                        coalesce(t.reservation::text, 'none')) END
FROM awa_ledger.unspent_postings t
     FULL JOIN awa_ledger.live_postings l
         ON l.account = t.account AND l.subaccount = t.subaccount AND l.asset = t.asset
             AND l.transfer_id = t.transfer_id AND l.idx = t.idx
WHERE t.transfer_id IS NULL OR l.transfer_id IS NULL
   OR (l.value, l.reservation) IS DISTINCT FROM (t.value, t.reservation);
COMMENT ON VIEW awa_ledger.value_violations IS 'internal, part of verify(): what is wrong with value';
COMMENT ON COLUMN awa_ledger.value_violations.invariant IS 'name of the invariant that does not hold';
COMMENT ON COLUMN awa_ledger.value_violations.object IS 'what it does not hold for';
COMMENT ON COLUMN awa_ledger.value_violations.detail IS 'how';
