-- What a dump of the database carries. Each leaf is marked, not the partitioned table: a dump of extension tables looks
-- at the marked tables only. Rows that this script inserts, hints (frontiers, the low-water mark), and what maintenance
-- did elsewhere, are left out.

DO $$
DECLARE
    rel record;
BEGIN
    FOR rel IN
        SELECT c.oid::regclass AS name, c.relname, c.relkind, c.relispartition
        FROM pg_class c
        WHERE c.relnamespace = 'awa'::regnamespace AND c.relkind IN ('r', 'S') AND c.relname <> 'deferred_low_water'
        ORDER BY c.oid
    LOOP
        PERFORM pg_extension_config_dump(rel.name,
            CASE WHEN rel.relname LIKE 'lane\_frontiers\_%' OR rel.relname LIKE '%\_ring\_state' OR rel.relname LIKE '%\_ring\_slots'
                 OR rel.relname IN ('foreign_loads', 'maintenance_state')
                 THEN 'WHERE false' ELSE '' END);
    END LOOP;
END $$;
