-- The leaves of the rings, named <table>_<slot>. Vacuum stays away from them: they are emptied by TRUNCATE, and its lock
-- would be in the way. Rows that carry arrays stay uncompressed in the page up to 8 kB; larger ones are compressed with lz4 where the
-- server has it: with pglz that is half of all that a claim and completion of 512 jobs does.

CREATE FUNCTION awa.stamp_entry_xid() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.xid := pg_current_xact_id();
    RETURN NEW;
END $$;
COMMENT ON FUNCTION awa.stamp_entry_xid() IS
    'trigger: an entry''s xid is the transaction that inserts it, also when a restore copies it in; xids of another cluster mean nothing here';

DO $$
DECLARE
    ring record;
    tab  record;
    leaf text;
    col  name;
    lz4  bool := EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals));
BEGIN
    FOR ring IN SELECT * FROM (VALUES ('ready_slot', 16), ('claim_slot', 8), ('lease_slot', 8)) r(slot_column, slots) LOOP
        FOR tab IN
            SELECT c.relname AS name,
                   EXISTS (SELECT FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
                           WHERE a.attrelid = c.oid AND a.attnum > 0 AND t.typlen = -1) AS wide,
                   EXISTS (SELECT FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
                           WHERE a.attrelid = c.oid AND a.attnum > 0 AND t.typelem <> 0 AND t.typlen = -1) AS arrays
            FROM pg_class c JOIN pg_partitioned_table p ON p.partrelid = c.oid
                 JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.partattrs[0]
            WHERE c.relnamespace = 'awa'::regnamespace AND a.attname = ring.slot_column
            ORDER BY c.oid
        LOOP
            -- Leaves take it over.
            FOR col IN
                SELECT attname FROM pg_attribute
                WHERE attrelid = format('awa.%I', tab.name)::regclass AND attnum > 0 AND attstorage = 'x' AND tab.arrays AND lz4
            LOOP
                EXECUTE format('ALTER TABLE awa.%I ALTER %I SET COMPRESSION lz4', tab.name, col);
            END LOOP;
            FOR slot IN 0 .. ring.slots - 1 LOOP
                leaf := tab.name || '_' || slot;
                EXECUTE format('CREATE TABLE awa.%I PARTITION OF awa.%I FOR VALUES IN (%s) WITH (autovacuum_enabled = false%s%s%s)',
                    leaf, tab.name, slot,
                    CASE WHEN tab.wide THEN ', toast.autovacuum_enabled = false' ELSE '' END,
                    CASE WHEN tab.arrays THEN ', toast_tuple_target = 8160' ELSE '' END,
                    CASE WHEN tab.name = 'leases' THEN ', fillfactor = 50' ELSE '' END);
                EXECUTE format('COMMENT ON TABLE awa.%I IS %L', leaf, format('slot %s of %s', slot, tab.name));
            END LOOP;
        END LOOP;
    END LOOP;
END $$;

CREATE TRIGGER stamp_xid BEFORE INSERT ON awa.ready_entries FOR EACH ROW EXECUTE FUNCTION awa.stamp_entry_xid();
