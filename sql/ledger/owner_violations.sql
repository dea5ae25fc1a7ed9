-- What is wrong with accounts, limits and ids.

CREATE VIEW awa_ledger.sequence_use AS
SELECT 'awa_ledger.id_seq'::regclass AS sequence,
       (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM awa_ledger.id_seq) AS drawn,
       greatest((SELECT max(transfer_id) FROM awa_ledger.transfers),
                (SELECT max(reservation) FROM awa_ledger.reservation_log),
                (SELECT max(reservation) FROM awa_ledger.holds)) AS used
UNION ALL
SELECT 'awa_ledger.log_seq',
       (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM awa_ledger.log_seq),
       (SELECT max(seq) FROM awa_ledger.reservation_log);
COMMENT ON VIEW awa_ledger.sequence_use IS 'internal: how far the sequences were drawn, and the greatest numbers in use';
COMMENT ON COLUMN awa_ledger.sequence_use.sequence IS 'the sequence';
COMMENT ON COLUMN awa_ledger.sequence_use.drawn IS 'the greatest number that was drawn';
COMMENT ON COLUMN awa_ledger.sequence_use.used IS 'the greatest number in use; null = none';

CREATE VIEW awa_ledger.owner_violations AS
SELECT 'account_versions_have_no_gap' AS invariant, format('account %s:%s', a.account, a.subaccount) AS object,
       format('it has %s versions, the greatest is %s', count(*), max(a.version)) AS detail
FROM awa_ledger.accounts a
GROUP BY a.account, a.subaccount
HAVING count(*) <> max(a.version) OR count(DISTINCT a.version) <> count(*)
UNION ALL
SELECT 'head_is_newest', format('account %s:%s', coalesce(t.account, h.account), coalesce(t.subaccount, h.subaccount)),
       CASE WHEN h.account IS NULL THEN 'it has no head'
            WHEN t.account IS NULL THEN 'there is a head, but no such account'
            ELSE format('its head says version %s, frozen %s, closed %s, limited %s; '
                        'its newest version is %s, frozen %s, closed %s, limited %s',
                        h.version, h.frozen, h.closed, h.limited, t.version, t.frozen, t.closed, t.limited) END
FROM awa_ledger.newest_accounts t
     FULL JOIN awa_ledger.account_heads h ON h.account = t.account AND h.subaccount = t.subaccount
WHERE t.account IS NULL OR h.account IS NULL
   OR (h.version, h.frozen, h.closed, h.limited) IS DISTINCT FROM (t.version, t.frozen, t.closed, t.limited)
UNION ALL
SELECT 'closed_is_empty', format('account %s:%s', t.account, t.subaccount), 'it is closed and has live postings'
FROM awa_ledger.newest_accounts t
WHERE t.closed AND EXISTS (SELECT FROM awa_ledger.unspent_postings u
                           WHERE u.account = t.account AND u.subaccount = t.subaccount)
UNION ALL
SELECT 'limit_versions_have_no_gap', format('limits of account %s:%s, asset %s', l.account, l.subaccount, l.asset),
       format('there are %s versions, the greatest is %s', count(*), max(l.version))
FROM awa_ledger.limits l
GROUP BY l.account, l.subaccount, l.asset
HAVING count(*) <> max(l.version) OR count(DISTINCT l.version) <> count(*)
UNION ALL
SELECT 'limit_has_account', format('limits of account %s:%s, asset %s', l.account, l.subaccount, l.asset),
       'there is no such account or asset'
FROM awa_ledger.limits l
WHERE NOT EXISTS (SELECT FROM awa_ledger.accounts a
                  WHERE a.account = l.account AND a.subaccount = l.subaccount AND a.version = 1)
   OR NOT EXISTS (SELECT FROM awa_ledger.assets a WHERE a.asset = l.asset)
UNION ALL
-- A floor is made of postings; what the primitives did may be beyond it, or beyond the ceiling.
SELECT 'limits_are_kept', format('account %s:%s, asset %s', l.account, l.subaccount, l.asset),
       CASE WHEN l.floor IS NOT NULL AND coalesce(h.below, 0) <> greatest(-l.floor, 0)
            THEN format('its floor is %s, but its postings below 0 come to %s', l.floor, -coalesce(h.below, 0))
            WHEN coalesce(h.kept, 0) <> greatest(l.floor, 0)
            THEN format('its floor is %s, but %s is kept back', l.floor, coalesce(h.kept, 0))
            ELSE format('its ceiling is %s, but it has %s', l.ceiling, h.live) END
FROM (SELECT DISTINCT ON (account, subaccount, asset) * FROM awa_ledger.limits
      ORDER BY account, subaccount, asset, version DESC) l
     LEFT JOIN (SELECT p.account, p.subaccount, p.asset, sum(p.value) AS live, sum(-p.value) FILTER (WHERE p.value < 0) AS below,
                       sum(p.value) FILTER (WHERE f.is_floor) AS kept
                FROM awa_ledger.live_postings p LEFT JOIN awa_ledger.holds f ON f.reservation = p.reservation
                GROUP BY p.account, p.subaccount, p.asset) h USING (account, subaccount, asset)
WHERE NOT EXISTS (SELECT FROM awa_ledger.account_heads a
                  WHERE a.account = l.account AND a.subaccount = l.subaccount AND a.closed)
  AND (l.floor IS NOT NULL AND coalesce(h.below, 0) <> greatest(-l.floor, 0)
       OR coalesce(h.kept, 0) <> greatest(l.floor, 0) OR h.live > l.ceiling)
UNION ALL
-- Ids come from the sequences. What was loaded without them would be drawn again.
SELECT 'id_was_drawn', format('sequence %s', s.sequence), format('it is at %s, but %s is in use', s.drawn, s.used)
FROM awa_ledger.sequence_use s
WHERE s.used > s.drawn;
COMMENT ON VIEW awa_ledger.owner_violations IS
    'internal, part of verify(): what is wrong with accounts, limits and ids';
COMMENT ON COLUMN awa_ledger.owner_violations.invariant IS 'name of the invariant that does not hold';
COMMENT ON COLUMN awa_ledger.owner_violations.object IS 'what it does not hold for';
COMMENT ON COLUMN awa_ledger.owner_violations.detail IS 'how';
