-- Rows that came into the rings past the verbs, as a restore's do. While there is such a mark, claims raise an error and
-- maintenance stands still: the rest of the restore may be yet to come, and transaction ids of another cluster mean
-- nothing here. CALL awa.after_restore() puts things right.

CREATE TABLE awa.foreign_loads (
    leaf      text PRIMARY KEY,
    loaded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE awa.foreign_loads IS 'leaves that rows were loaded into past the verbs, by a restore say; emptied by awa.after_restore()';
COMMENT ON COLUMN awa.foreign_loads.leaf IS 'the leaf';
COMMENT ON COLUMN awa.foreign_loads.loaded_at IS 'when that was first noticed';

CREATE FUNCTION awa.mark_foreign_load() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- A restore copies no rows as well.
    IF pg_relation_size(TG_RELID) > 0 THEN
        INSERT INTO awa.foreign_loads (leaf) VALUES (TG_TABLE_NAME) ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION awa.mark_foreign_load() IS
    'trigger: notes that rows were loaded into a leaf past the verbs; see awa.after_restore()';

-- Always, also where a restore or a replica switches ordinary triggers off. The verbs write without triggers, or through
-- the partitioned tables, which have none.
CREATE FUNCTION awa.arm_triggers() RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    armed record;
BEGIN
    FOR armed IN
        SELECT t.tgrelid::regclass AS leaf, t.tgname AS name
        FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        WHERE c.relnamespace = 'awa'::regnamespace AND t.tgenabled <> 'A'
          AND t.tgname IN ('mark_load', 'stamp_xid', 'forget_low_water', 'queues_changed', 'queues_emptied')
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', armed.leaf, armed.name);
    END LOOP;
END $$;
COMMENT ON FUNCTION awa.arm_triggers() IS
    'internal: makes the triggers of the leaves fire always; a restore with --disable-triggers leaves them weaker';

DO $$
DECLARE
    leaf regclass;
BEGIN
    FOR leaf IN
        -- deferred jobs as well: one that is promoted draws a number that the restore may not have set yet
        SELECT oid FROM pg_class
        WHERE relnamespace = 'awa'::regnamespace AND relkind = 'r' AND (relispartition OR relname = 'deferred_jobs')
        ORDER BY oid
    LOOP
        EXECUTE format('CREATE TRIGGER mark_load AFTER INSERT ON %s FOR EACH STATEMENT EXECUTE FUNCTION awa.mark_foreign_load()', leaf);
    END LOOP;
    PERFORM awa.arm_triggers();
END $$;
