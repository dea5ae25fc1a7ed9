-- Rows that came into the rings past the verbs, as a restore's do. While there is such a mark, claims raise an error and
-- maintenance stands still: the rest of the restore may be yet to come, and transaction ids of another cluster mean
-- nothing here. CALL awa.after_restore() puts things right.

CREATE TABLE awa.foreign_loads (
    leaf      text PRIMARY KEY,
    loaded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE awa.foreign_loads IS
    'tables that rows were loaded into past the verbs, by a restore say; emptied by awa.after_restore()';
COMMENT ON COLUMN awa.foreign_loads.leaf IS 'the leaf, or the partitioned table that rows were loaded through';
COMMENT ON COLUMN awa.foreign_loads.loaded_at IS 'when that was first noticed';

CREATE FUNCTION awa.is_own_write() RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'awa_is_own_write';
COMMENT ON FUNCTION awa.is_own_write() IS 'internal: whether a statement of awa_ring itself is at work in this session';

CREATE FUNCTION awa.mark_foreign_load() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- A restore also copies tables that have no rows.
    IF awa.is_own_write()
       OR (SELECT relkind = 'r' FROM pg_class WHERE oid = TG_RELID) AND pg_relation_size(TG_RELID) = 0 THEN
        RETURN NULL;
    END IF;
    INSERT INTO awa.foreign_loads (leaf) VALUES (TG_TABLE_NAME) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION awa.mark_foreign_load() IS
    'trigger: notes that rows were loaded into a leaf past the verbs; see awa.after_restore()';

-- Always, also where a restore or a replica switches ordinary triggers off.
CREATE FUNCTION awa.arm_triggers() RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    armed record;
BEGIN
    FOR armed IN
        SELECT t.tgrelid::regclass AS leaf, t.tgname AS name
        FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        WHERE c.relnamespace = 'awa'::regnamespace AND t.tgenabled <> 'A'
          AND t.tgname IN ('mark_load', 'stamp_xid')
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
        SELECT oid FROM pg_class
        WHERE relnamespace = 'awa'::regnamespace AND (relkind = 'p' OR relkind = 'r' AND relispartition) ORDER BY oid
    LOOP
        EXECUTE format('CREATE TRIGGER mark_load AFTER INSERT ON %s '
                       'FOR EACH STATEMENT EXECUTE FUNCTION awa.mark_foreign_load()', leaf);
    END LOOP;
    PERFORM awa.arm_triggers();
END $$;
