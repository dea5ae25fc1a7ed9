-- Truth is not changed: UPDATE, DELETE and TRUNCATE of its tables are refused, for their owner as well, and where a
-- restore or a replica switches ordinary triggers off. This stops mistakes, not a malicious owner; verify() tells of
-- protection that was weakened.

CREATE FUNCTION awa_ledger.truth_tables() RETURNS SETOF regclass
    LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('awa_ledger.%s', name)::regclass
    FROM unnest('{assets,accounts,limits,transfers,postings,spends,reservation_log,hold_requests,holds,hold_extensions,
                  hold_outcomes}'::text[]) name
$$;
COMMENT ON FUNCTION awa_ledger.truth_tables() IS 'internal: the tables whose rows are never changed or removed';

CREATE FUNCTION awa_ledger.hot_tables() RETURNS SETOF regclass
    LANGUAGE sql STABLE ROWS 3 SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('awa_ledger.%s', name)::regclass FROM unnest('{live_postings,account_heads,open_holds}'::text[]) name
$$;
COMMENT ON FUNCTION awa_ledger.hot_tables() IS 'internal: the tables that rebuild_live() can make again';

CREATE FUNCTION awa_ledger.refuse_change() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% of %.% is refused', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME USING ERRCODE = '42501',
        DETAIL = 'Its rows are the record of what happened; they are inserted and never changed or removed.',
        HINT = 'Undo a transfer with another one.';
END $$;
COMMENT ON FUNCTION awa_ledger.refuse_change() IS 'trigger: refuses every change of the truth, for everybody';

-- Of rows as well as of statements: a replica's apply worker fires the first, an UPDATE of no row the second.
CREATE FUNCTION awa_ledger.protect() RETURNS int
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    wanted record;
    put_right int := 0;
BEGIN
    FOR wanted IN
        SELECT t.truth, w.name, w.events, t_g.tgenabled
        FROM awa_ledger.truth_tables() t(truth)
             CROSS JOIN (VALUES ('keep_rows', 'UPDATE OR DELETE ON %s FOR EACH ROW'),
                                ('keep_table', 'UPDATE OR DELETE OR TRUNCATE ON %s FOR EACH STATEMENT')) w(name, events)
             LEFT JOIN pg_trigger t_g ON t_g.tgrelid = t.truth AND t_g.tgname = w.name
        WHERE t_g.tgenabled IS DISTINCT FROM 'A'
    LOOP
        IF wanted.tgenabled IS NULL THEN
            EXECUTE format('CREATE TRIGGER %I BEFORE ' || wanted.events || ' EXECUTE FUNCTION awa_ledger.refuse_change()',
                           wanted.name, wanted.truth);
        END IF;
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', wanted.truth, wanted.name);
        put_right := put_right + 1;
    END LOOP;
    RETURN put_right;
END $$;
COMMENT ON FUNCTION awa_ledger.protect() IS
$$Puts back the triggers that keep the truth from being changed, where they were switched off or weakened, as a restore
with --disable-triggers does, or dropped. Returns how many it put right. It removes nothing that others added: verify()
tells of that. awa.after_restore() calls it. Errors: 25006.$$;

SELECT awa_ledger.protect();
