-- Who may do what. Every list names routines by name: a name has one signature.

CREATE FUNCTION awa.routines_of(part text) RETURNS text[]
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE part
        -- the type awa.receipt: its casts, operators and aggregates
        WHEN 'anyone' THEN ARRAY[
            'receipt', 'receipt_eq', 'receipt_ne', 'receipt_lt', 'receipt_le', 'receipt_gt', 'receipt_ge',
            'receipt_cmp', 'receipt_hash', 'receipt_hash_extended', 'receipt_smaller', 'receipt_larger', 'min', 'max']
        WHEN 'producer' THEN ARRAY[
            'enqueue', 'enqueue_many', 'enqueue_jobs', 'channel']
        WHEN 'worker' THEN ARRAY[
            'claim', 'claim_ready_runtime', 'wait_for_jobs',
            'complete', 'complete_one', 'complete_each', 'complete_and_claim',
            'fail', 'fail_many', 'snooze', 'release', 'release_many', 'heartbeat',
            'wait_external', 'complete_external', 'fail_external', 'retry_external', 'extend_external',
            'receipt_state', 'receipt_states', 'channel']
        WHEN 'reader' THEN ARRAY[
            'list_queues', 'queue_counts', 'load_job', 'list_dead_letters', 'receipt_state', 'receipt_states', 'check',
            'channel',
            -- what the views call
            'ring_jobs', 'lane_claimers', 'lane_backlog', 'queue_backlog', 'queue_successes', 'slot_obstacle',
            'duty_names', 'worker_sessions']
        -- all that can be called but what is internal
        WHEN 'admin' THEN ARRAY(
            SELECT p.proname::text FROM pg_proc p
            WHERE p.pronamespace = 'awa'::regnamespace
              AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
              AND p.proname NOT IN ('lock_for_reading', 'routines_of', 'require_role', 'grant_part', 'arm_triggers',
                                    'revoke_in')
            ORDER BY p.proname)
    END
$$;
COMMENT ON FUNCTION awa.routines_of(text) IS
    'internal: names of the routines that producer, worker, reader, admin or anyone of them may call';

CREATE FUNCTION awa.require_role(role regrole) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF require_role.role IS NULL THEN
        RAISE EXCEPTION 'role must not be null' USING ERRCODE = '22004',
            HINT = 'Give the name of a role; one that is not all lower case is quoted: ''"Odd Name"''.';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles r WHERE r.oid = require_role.role) THEN
        RAISE EXCEPTION 'there is no role of oid %', require_role.role::oid USING ERRCODE = '42704',
            HINT = 'Give the name of a role; one that is not all lower case is quoted: ''"Odd Name"''.';
    END IF;
END $$;
COMMENT ON FUNCTION awa.require_role(regrole) IS 'internal: raises an error unless there is such a role';

CREATE FUNCTION awa.grant_part(part text, grantee regrole) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text;
BEGIN
    PERFORM awa.require_role(grantee);
    EXECUTE format('GRANT USAGE ON SCHEMA awa TO %s', grantee);
    EXECUTE format('GRANT USAGE ON TYPE awa.receipt, awa.claimed_job TO %s', grantee);
    FOREACH name IN ARRAY awa.routines_of('anyone') || awa.routines_of(part) LOOP
        EXECUTE format('GRANT EXECUTE ON ROUTINE awa.%I TO %s', name, grantee);
    END LOOP;
    IF part IN ('reader', 'admin') THEN
        EXECUTE format('GRANT SELECT ON awa.jobs, awa.terminal_jobs, awa.dead_letters, awa.open_claims, '
                       'awa.queue_stats, awa.lane_status, awa.ring_status, awa.duty_status, '
                       'awa.worker_status TO %s', grantee);
    END IF;
END $$;
COMMENT ON FUNCTION awa.grant_part(text, regrole) IS
    'internal: grants the routines of routines_of, and the views to readers and admins';

CREATE FUNCTION awa.grant_producer(role regrole) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM awa.grant_part('producer', grant_producer.role);
END $$;
COMMENT ON FUNCTION awa.grant_producer(regrole) IS
$$Lets a role enqueue. What it was granted before stays. role: its name, in double quotes within the string unless it is
all lower case: '"Odd Name"'. Errors: 42704 unknown role, 42602 a name that wants quotes, 22004 null, 25006.$$;

CREATE FUNCTION awa.grant_worker(role regrole) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM awa.grant_part('worker', grant_worker.role);
END $$;
COMMENT ON FUNCTION awa.grant_worker(regrole) IS
$$Lets a role claim jobs and end their attempts. What it was granted before stays. Errors: as grant_producer.$$;

CREATE FUNCTION awa.grant_reader(role regrole) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM awa.grant_part('reader', grant_reader.role);
END $$;
COMMENT ON FUNCTION awa.grant_reader(regrole) IS
$$Lets a role read the views, which show the arguments of every job, and call what only reads. What it was granted
before stays. Errors: as grant_producer.$$;

CREATE FUNCTION awa.grant_admin(role regrole) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM awa.grant_part('admin', grant_admin.role);
END $$;
COMMENT ON FUNCTION awa.grant_admin(regrole) IS
$$Lets a role call everything and read the views; it can make others producers, workers, readers and admins. After an
update of the extension call it again for what is new. Errors: as grant_producer.$$;

CREATE FUNCTION awa.revoke_in(space regnamespace, role regrole) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    held record;
BEGIN
    PERFORM awa.require_role(revoke_in.role);
    FOR held IN
        SELECT 'ROUTINE ' || p.oid::regprocedure AS object
        FROM pg_proc p WHERE p.pronamespace = space AND p.proowner <> revoke_in.role
            AND EXISTS (SELECT FROM aclexplode(p.proacl) a WHERE a.grantee = revoke_in.role)
        UNION ALL
        -- with its columns
        SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || c.oid::regclass
        FROM pg_class c WHERE c.relnamespace = space AND c.relowner <> revoke_in.role
            AND (EXISTS (SELECT FROM aclexplode(c.relacl) a WHERE a.grantee = revoke_in.role)
                 OR EXISTS (SELECT FROM pg_attribute t CROSS JOIN LATERAL aclexplode(t.attacl) a
                            WHERE t.attrelid = c.oid AND a.grantee = revoke_in.role))
        UNION ALL
        SELECT 'TYPE ' || t.oid::regtype
        FROM pg_type t WHERE t.typnamespace = space AND t.typowner <> revoke_in.role
            AND EXISTS (SELECT FROM aclexplode(t.typacl) a WHERE a.grantee = revoke_in.role)
        UNION ALL
        SELECT 'SCHEMA ' || space
        FROM pg_namespace n WHERE n.oid = space AND n.nspowner <> revoke_in.role
            AND EXISTS (SELECT FROM aclexplode(n.nspacl) a WHERE a.grantee = revoke_in.role)
    LOOP
        EXECUTE format('REVOKE ALL ON %s FROM %s CASCADE', held.object, revoke_in.role);
    END LOOP;
    -- REVOKE takes what the owner granted. What somebody else did, who may grant on, is left and not to be passed over.
    SELECT a.grantor::regrole AS grantor, a.object INTO held
    FROM (SELECT x.*, 'routine ' || p.oid::regprocedure AS object
          FROM pg_proc p CROSS JOIN LATERAL aclexplode(p.proacl) x
          WHERE p.pronamespace = space AND p.proowner <> revoke_in.role
          UNION ALL
          SELECT x.*, 'table ' || c.oid::regclass
          FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) x
          WHERE c.relnamespace = space AND c.relowner <> revoke_in.role
          UNION ALL
          SELECT x.*, 'column ' || t.attname || ' of table ' || c.oid::regclass
          FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid CROSS JOIN LATERAL aclexplode(t.attacl) x
          WHERE c.relnamespace = space AND c.relowner <> revoke_in.role
          UNION ALL
          SELECT x.*, 'type ' || t.oid::regtype
          FROM pg_type t CROSS JOIN LATERAL aclexplode(t.typacl) x
          WHERE t.typnamespace = space AND t.typowner <> revoke_in.role
          UNION ALL
          SELECT x.*, 'schema ' || space
          FROM pg_namespace n CROSS JOIN LATERAL aclexplode(n.nspacl) x
          WHERE n.oid = space AND n.nspowner <> revoke_in.role) a
    WHERE a.grantee = revoke_in.role
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'role % has privileges on % that role % granted', revoke_in.role, held.object, held.grantor
            USING ERRCODE = '2B000', HINT = format('Revoke them as %s, or SELECT %s.revoke_all(%L) first.',
                                                   held.grantor, space, held.grantor);
    END IF;
END $$;
COMMENT ON FUNCTION awa.revoke_in(regnamespace, regrole) IS
    'internal: takes from a role all it was granted in a schema';

CREATE FUNCTION awa.revoke_all(role regrole) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM awa.revoke_in('awa', revoke_all.role);
END $$;
COMMENT ON FUNCTION awa.revoke_all(regrole) IS
$$Takes from a role all it was granted in the schema awa, by the grant functions or otherwise; what it has as a member
of other roles stays. What the role granted on goes with it. Errors: 42704 unknown role, 22004 null, 2B000 another role
granted it something, 25006.$$;
