-- What a dump of the database carries: all tables, the hot ones as well, and the sequences. So a ledger that was
-- restored is whole without further ado, unless its triggers were switched off or its sequences left out.

DO $$
DECLARE
    rel regclass;
BEGIN
    FOR rel IN
        SELECT c.oid FROM pg_class c
        WHERE c.relnamespace = 'awa_ledger'::regnamespace AND c.relkind IN ('r', 'S') ORDER BY c.oid
    LOOP
        PERFORM pg_extension_config_dump(rel, '');
    END LOOP;
END $$;

CREATE FUNCTION awa_ledger.after_restore() RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM awa_ledger.protect();
    PERFORM brin_summarize_new_values(c.oid) FROM pg_class c WHERE c.oid = to_regclass('awa_ledger.spends_spent_by');
    PERFORM setval(s.sequence, s.used) FROM awa_ledger.sequence_use s WHERE s.used > s.drawn;
    PERFORM setval('awa_ledger.epoch', e.last_value + 1) FROM awa_ledger.epoch e;
END $$;
COMMENT ON FUNCTION awa_ledger.after_restore() IS
$$internal, part of awa.after_restore(): puts back what a restore weakened or left out, summarizes
what came, and begins an epoch, in which the
transaction ids of the rows that came mean nothing$$;
