-- The invariants, all in one statement: one snapshot, taken after the leaves are locked. Nobody analyses leaves:
-- without nested loops a wrong guess of their size cannot make a join quadratic.

CREATE FUNCTION awa.check() RETURNS TABLE (invariant text, object text, detail text)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET jit = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
#variable_conflict use_column
DECLARE
    low_water bigint;
BEGIN
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        RAISE EXCEPTION 'check() cannot run in a % transaction', upper(current_setting('transaction_isolation'))
            USING ERRCODE = '25000', DETAIL = 'A snapshot older than the evidence shows half of it.',
            HINT = 'Call it in a READ COMMITTED transaction.';
    END IF;
    PERFORM awa.lock_for_reading();
    SELECT m.last_value INTO low_water FROM awa.deferred_low_water m;
    RETURN QUERY
    SELECT v.invariant, v.object, v.detail
    FROM (SELECT * FROM awa.claim_violations
          UNION ALL
          SELECT * FROM awa.entry_violations
          UNION ALL
          SELECT * FROM awa.job_violations
          UNION ALL
          SELECT * FROM awa_ledger.bound_violations
          UNION ALL
          SELECT * FROM awa.deferred_violations(low_water)) v
    ORDER BY v.invariant COLLATE "C", v.object COLLATE "C", v.detail COLLATE "C";
END $$;
COMMENT ON FUNCTION awa.check() IS
$$Tests the invariants of the queue, and that no hold outlives its attempt or job, and returns one row for each violation; no row means that the evidence is sound.
It can be called at any time, under load as well: it keeps nobody waiting but prune. It reads everything, once or
more: seconds for a million jobs.
Errors: 25000 in a REPEATABLE READ or SERIALIZABLE transaction, whose snapshot can be older than the evidence.$$;
