-- All violations, in one statement: one snapshot. Estimates of tables that were just filled may be far off; without
-- nested loops that cannot make a join quadratic.

CREATE FUNCTION awa_ledger.verify() RETURNS TABLE (invariant text, object text, detail text)
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET jit = off SET enable_nestloop = off SET work_mem = '64MB' SET row_security = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT v.invariant, v.object, v.detail
    FROM (SELECT * FROM awa_ledger.value_violations
          UNION ALL
          SELECT * FROM awa_ledger.owner_violations
          UNION ALL
          SELECT * FROM awa_ledger.hold_violations
          UNION ALL
          SELECT * FROM awa_ledger.protection_violations) v
    ORDER BY v.invariant COLLATE "C", v.object COLLATE "C", v.detail COLLATE "C";
END $$;
COMMENT ON FUNCTION awa_ledger.verify() IS
$$Tests the invariants of the ledger and returns one row for each violation; no row means that it is sound: every transfer
is balanced, every asset comes to 0, the hot tables are what the truth says, and the protection of the truth is in place.
It can be called at any time, in any isolation level, under load as well; it locks nothing and reads everything.
A wrong hot table is put right by rebuild_live(), weak protection by protect().$$;
