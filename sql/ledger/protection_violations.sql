-- What was weakened of the protection, or put in the way of the ledger.

CREATE VIEW awa_ledger.protection_violations AS
WITH ours AS (
    SELECT t AS rel, true AS truth FROM awa_ledger.truth_tables() t
    UNION ALL
    SELECT t, false FROM awa_ledger.hot_tables() t
)
SELECT 'truth_is_protected' AS invariant, format('table %s', o.rel) AS object,
       CASE WHEN t.oid IS NULL THEN format('it has no trigger %s', w.name)
            WHEN t.tgenabled = 'D' THEN format('its trigger %s is disabled', w.name)
            WHEN t.tgenabled <> 'A' THEN format('its trigger %s does not fire always', w.name)
            ELSE format('its trigger %s is another one', w.name) END AS detail
FROM ours o
     CROSS JOIN (VALUES ('keep_rows', 27), ('keep_table', 58)) w(name, type)
     LEFT JOIN pg_trigger t ON t.tgrelid = o.rel AND t.tgname = w.name
WHERE o.truth
  -- type: row, before, delete, update; before, delete, update, truncate
  AND (t.oid IS NULL OR t.tgenabled <> 'A' OR t.tgtype <> w.type OR t.tgqual IS NOT NULL OR t.tgattr <> ''
       OR t.tgfoid <> 'awa_ledger.refuse_change()'::regprocedure)
UNION ALL
SELECT 'truth_refuses_changes', 'function awa_ledger.refuse_change()', 'it was replaced by another one'
FROM pg_proc p
WHERE p.oid = 'awa_ledger.refuse_change()'::regprocedure
  AND (p.prolang <> (SELECT l.oid FROM pg_language l WHERE l.lanname = 'plpgsql')
       OR p.prosrc !~ '^\s*BEGIN\s+RAISE EXCEPTION')
UNION ALL
SELECT 'table_has_no_other_trigger', format('table %s', o.rel), format('it has a trigger %I', t.tgname)
FROM ours o JOIN pg_trigger t ON t.tgrelid = o.rel
WHERE NOT t.tgisinternal AND NOT (o.truth AND t.tgname IN ('keep_rows', 'keep_table'))
UNION ALL
SELECT 'table_has_no_rule', format('table %s', o.rel), format('it has a rule %I', r.rulename)
FROM ours o JOIN pg_rewrite r ON r.ev_class = o.rel
UNION ALL
SELECT 'table_is_whole', format('table %s', o.rel),
       CASE WHEN c.relrowsecurity OR c.relforcerowsecurity THEN 'row security hides rows of it'
            WHEN c.relpersistence <> 'p' THEN 'it does not outlive a crash'
            ELSE 'it inherits, or is inherited from' END
FROM ours o JOIN pg_class c ON c.oid = o.rel
WHERE c.relrowsecurity OR c.relforcerowsecurity OR c.relpersistence <> 'p'
   OR EXISTS (SELECT FROM pg_inherits i WHERE c.oid IN (i.inhrelid, i.inhparent))
UNION ALL
-- Uniqueness is what keeps a posting from being spent twice, and a transfer from being reversed twice. Without the other
-- indexes what looks for few rows reads the whole table.
SELECT CASE WHEN w.is_unique THEN 'table_has_its_key' ELSE 'table_has_its_index' END, format('table awa_ledger.%s', w.name),
       format('its %sindex on (%s) is gone, changed or not valid', CASE WHEN w.is_unique THEN 'unique ' ELSE '' END, w.columns)
FROM (SELECT k.name, k.columns, k.predicate, true AS is_unique
      FROM (VALUES ('assets', 'asset', NULL), ('assets', 'code', NULL),
             ('accounts', 'account, subaccount, version', NULL), ('accounts', 'code', '(version = 1)'),
             ('limits', 'account, subaccount, asset, version', NULL),
             ('transfers', 'transfer_id', NULL), ('transfers', 'reverses', '(reverses IS NOT NULL)'),
             ('transfers', 'request_key', '(request_key IS NOT NULL)'),
             ('postings', 'transfer_id, idx', NULL), ('spends', 'transfer_id, idx', NULL),
             ('reservation_log', 'seq', NULL), ('hold_requests', 'key, use', NULL), ('holds', 'reservation', NULL),
             ('hold_extensions', 'reservation, extension', NULL), ('hold_outcomes', 'reservation', NULL),
             ('live_postings', 'account, subaccount, asset, transfer_id, idx', NULL),
             ('account_heads', 'account, subaccount', NULL), ('open_holds', 'reservation', NULL)) k(name, columns, predicate)
      UNION ALL
      SELECT i.name, i.columns, i.predicate, false
      FROM (VALUES ('accounts', 'epoch, xid, change', NULL), ('limits', 'epoch, xid, change', NULL),
                   ('holds', 'epoch, xid, change', NULL), ('hold_extensions', 'epoch, xid, change', NULL),
                   ('hold_outcomes', 'epoch, xid, change', NULL),
                   ('transfers', 'epoch, xid, transfer_id', NULL), ('spends', 'spent_by', NULL),
                   ('postings', 'account, subaccount, asset, ((LEAST((transfer_id >> 12), ''2147483647''::bigint))::integer)', NULL),
                   ('open_holds', 'job_id, run_lease', '(job_id IS NOT NULL)'),
                   ('open_holds', 'expires_at', '(expires_at IS NOT NULL)')) i(name, columns, predicate)) w
WHERE NOT EXISTS (
    SELECT FROM pg_index i
    WHERE i.indrelid = format('awa_ledger.%s', w.name)::regclass
      AND i.indisunique = w.is_unique AND i.indimmediate AND i.indisvalid AND i.indisready AND i.indislive
      AND pg_get_expr(i.indpred, i.indrelid) IS NOT DISTINCT FROM w.predicate
      AND (SELECT string_agg(pg_get_indexdef(i.indexrelid, n, false), ', ' ORDER BY n)
           FROM generate_series(1, i.indnatts) n) = w.columns)
UNION ALL
SELECT 'table_has_its_checks', format('table awa_ledger.%s', w.name), format('its constraint %s is gone', w.definition)
FROM (VALUES ('accounts', 'CHECK (((octet_length(code) >= 1) AND (octet_length(code) <= 200)))'),
             ('accounts', 'CHECK ((version >= 1))'), ('assets', 'CHECK ((asset >= 0))'),
             ('assets', 'CHECK (((octet_length(code) >= 1) AND (octet_length(code) <= 200)))'),
             ('assets', 'CHECK (((scale >= 0) AND (scale <= 38)))'), ('limits', 'CHECK ((floor <= ceiling))'),
             ('limits', 'CHECK ((version >= 1))'), ('transfers', 'CHECK ((transfer_id > 0))'),
             ('transfers', 'CHECK (((octet_length(request_key) >= 1) AND (octet_length(request_key) <= 200)))'),
             ('transfers', 'CHECK (((request_key IS NULL) = (request_hash IS NULL)))'),
             ('postings', 'CHECK ((idx >= 0))'), ('postings', 'CHECK ((value > ''-9223372036854775808''::bigint))'),
             ('reservation_log', 'CHECK ((reservation > 0))'), ('reservation_log', 'CHECK ((cardinality(items) > 0))'),
             ('reservation_log', 'CHECK ((op = ANY (ARRAY[''reserve''::text, ''release''::text, ''consume''::text])))'),
             ('hold_requests', 'CHECK (((octet_length(key) >= 1) AND (octet_length(key) <= 200)))'),
             ('hold_requests', 'CHECK ((use >= 1))'), ('holds', 'CHECK ((reservation > 0))'), ('holds', 'CHECK ((amount > 0))'),
             ('holds', 'CHECK (((run_lease IS NULL) OR (job_id IS NOT NULL)))'),
             ('hold_extensions', 'CHECK ((extension >= 1))'),
             ('hold_outcomes', 'CHECK ((outcome = ANY (ARRAY[''posted''::text, ''voided''::text, ''expired''::text])))'))
     w(name, definition)
WHERE NOT EXISTS (
    SELECT FROM pg_constraint c
    WHERE c.conrelid = format('awa_ledger.%s', w.name)::regclass AND c.contype = 'c' AND c.convalidated
      AND pg_get_constraintdef(c.oid) = w.definition)
UNION ALL
SELECT 'hot_index_is_alone', 'table awa_ledger.live_postings', format('it has an index %s as well', i.indexrelid::regclass)
FROM pg_index i
WHERE i.indrelid = 'awa_ledger.live_postings'::regclass AND NOT i.indisprimary
UNION ALL
SELECT 'table_is_written_by_its_owner', format('table %s', o.rel),
       format('%s may %s', coalesce(quote_ident(r.rolname), 'PUBLIC'), string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type))
FROM ours o
     JOIN pg_class c ON c.oid = o.rel
     CROSS JOIN LATERAL (SELECT x.grantee, x.privilege_type FROM aclexplode(c.relacl) x
                         UNION
                         SELECT x.grantee, x.privilege_type
                         FROM pg_attribute t CROSS JOIN LATERAL aclexplode(t.attacl) x WHERE t.attrelid = c.oid) a
     LEFT JOIN pg_roles r ON r.oid = a.grantee
WHERE a.grantee <> c.relowner AND a.privilege_type <> 'SELECT'
GROUP BY o.rel, r.rolname
UNION ALL
SELECT 'table_is_written_by_its_owner', format('table %s', o.rel),
       format('it belongs to %I, the ledger to %I', pg_get_userbyid(c.relowner), pg_get_userbyid(n.nspowner))
FROM ours o JOIN pg_class c ON c.oid = o.rel JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relowner <> n.nspowner;
COMMENT ON VIEW awa_ledger.protection_violations IS
    'internal, part of verify(): what was weakened of the protection of the tables, or put in their way';
COMMENT ON COLUMN awa_ledger.protection_violations.invariant IS 'name of the invariant that does not hold';
COMMENT ON COLUMN awa_ledger.protection_violations.object IS 'what it does not hold for';
COMMENT ON COLUMN awa_ledger.protection_violations.detail IS 'how';
