-- Who may do what with the ledger, as grant_functions.sql has it for the queue. Readers may read the tables: they are the books.

CREATE FUNCTION awa_ledger.routines_of(part text) RETURNS text[]
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE part
        -- the type awa_ledger.posting_id: its casts, parts and operators
        WHEN 'anyone' THEN ARRAY[
            'posting_id', 'id_of', 'transfer_of', 'idx_of', 'posting_id_eq', 'posting_id_ne', 'posting_id_lt',
            'posting_id_le', 'posting_id_gt', 'posting_id_ge', 'posting_id_cmp', 'posting_id_hash',
            'posting_id_hash_extended']
        WHEN 'reader' THEN ARRAY[
            'posting_states', 'postings_of', 'balance', 'balance_at', 'events', 'has_live_postings', 'verify']
        -- all that can be called but what is internal
        WHEN 'admin' THEN ARRAY(
            SELECT p.proname::text FROM pg_proc p
            WHERE p.pronamespace = 'awa_ledger'::regnamespace AND p.prorettype <> 'trigger'::regtype
              AND obj_description(p.oid, 'pg_proc') NOT LIKE 'internal%'
            ORDER BY p.proname)
    END
$$;
COMMENT ON FUNCTION awa_ledger.routines_of(text) IS
    'internal: names of the routines that reader, admin or anyone of them may call';

CREATE FUNCTION awa_ledger.grant_part(part text, grantee regrole) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text;
    book regclass;
BEGIN
    PERFORM awa.require_role(grantee);
    EXECUTE format('GRANT USAGE ON SCHEMA awa_ledger TO %s', grantee);
    EXECUTE format('GRANT USAGE ON TYPE awa_ledger.posting_id, awa_ledger.posting TO %s', grantee);
    FOREACH name IN ARRAY awa_ledger.routines_of('anyone') || awa_ledger.routines_of(part) LOOP
        EXECUTE format('GRANT EXECUTE ON ROUTINE awa_ledger.%I TO %s', name, grantee);
    END LOOP;
    FOR book IN SELECT t FROM awa_ledger.truth_tables() t UNION ALL SELECT t FROM awa_ledger.hot_tables() t LOOP
        EXECUTE format('GRANT SELECT ON %s TO %s', book, grantee);
    END LOOP;
END $$;
COMMENT ON FUNCTION awa_ledger.grant_part(text, regrole) IS
    'internal: grants the routines of routines_of, and reading the tables';

CREATE FUNCTION awa_ledger.grant_reader(role regrole) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM awa_ledger.grant_part('reader', grant_reader.role);
END $$;
COMMENT ON FUNCTION awa_ledger.grant_reader(regrole) IS
$$Lets a role read the ledger's tables and call what only reads. What it was granted before stays. role: its name, in double
quotes within the string unless it is all lower case: '"Odd Name"'. Errors: 42704 unknown role, 42602 a name that wants
quotes, 22004 null, 25006.$$;

CREATE FUNCTION awa_ledger.grant_admin(role regrole) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM awa_ledger.grant_part('admin', grant_admin.role);
END $$;
COMMENT ON FUNCTION awa_ledger.grant_admin(regrole) IS
$$Lets a role call everything in the ledger, the primitives as well, and read its tables; it can make others readers and
admins. After an update of the extension call it again for what is new. Errors: as grant_reader.$$;

CREATE FUNCTION awa_ledger.revoke_all(role regrole) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM awa.revoke_in('awa_ledger', revoke_all.role);
END $$;
COMMENT ON FUNCTION awa_ledger.revoke_all(regrole) IS
$$Takes from a role all it was granted in the schema awa_ledger, by the grant functions or otherwise; what it has as a member
of other roles stays. What the role granted on goes with it. Errors: 42704 unknown role, 22004 null, 2B000 another role
granted it something, 25006.$$;

-- PUBLIC has no privilege.
REVOKE ALL ON SCHEMA awa_ledger FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA awa_ledger FROM PUBLIC;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA awa_ledger FROM PUBLIC;
REVOKE ALL ON ALL ROUTINES IN SCHEMA awa_ledger FROM PUBLIC;
REVOKE ALL ON TYPE awa_ledger.posting_id, awa_ledger.posting FROM PUBLIC;
