-- The background worker of this database.

CREATE FUNCTION awa.worker_sessions() RETURNS TABLE (pid int, started_at timestamptz, leads boolean)
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    -- objsubid: the classes of our keys, 111 of the worker and 107 of the leader
    SELECT k.pid, a.backend_start, EXISTS (
               SELECT FROM pg_locks l WHERE l.pid = k.pid AND l.locktype = 'advisory' AND l.objsubid = 107 AND l.granted)
    FROM pg_locks k
         LEFT JOIN pg_stat_activity a ON a.pid = k.pid
    WHERE k.locktype = 'advisory' AND k.objsubid = 111 AND k.granted
      AND k.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
$$;
COMMENT ON FUNCTION awa.worker_sessions() IS 'internal, for worker_status: the background worker that is in office, if any';

CREATE FUNCTION awa.start_worker() RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_start_worker';
COMMENT ON FUNCTION awa.start_worker() IS
$$Starts the background worker of this database, which does what CALL maintain() does, as long as the extension is
installed. false: there is one, or (with a warning) max_worker_processes leaves no room for it. In a transaction that wrote
something it begins when that has committed, and not at all if it is rolled back. Two that are started at the same time
become one. CREATE EXTENSION starts it too, unless awa_ring.autostart is off. After a crash of the server it comes back by
itself; after a restart only where the library is preloaded.
Errors: 25006 on a standby or in a read-only transaction.$$;

CREATE FUNCTION awa.stop_worker() RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_stop_worker';
COMMENT ON FUNCTION awa.stop_worker() IS
$$Ends the background worker of this database until somebody starts one, or the server is restarted; pause_maintenance
holds its duties for longer. It waits until the worker has left, which is at the end of the step that it is at. false: there
was none. Errors: 55P03 if it did not leave within 10 s, 25006 on a standby or in a read-only transaction.$$;
