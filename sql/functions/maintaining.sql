-- All duties of maintenance together: running those that are due, holding them, seeing how they went.

CREATE FUNCTION awa.duty_names() RETURNS text[]
    LANGUAGE c IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS 'MODULE_PATHNAME', 'awa_duty_names';
COMMENT ON FUNCTION awa.duty_names() IS 'internal, for duty_status: names of the duties, in the order in which they run';

CREATE PROCEDURE awa.maintain(INOUT outcome text = NULL)
    LANGUAGE c AS 'MODULE_PATHNAME', 'awa_maintain';
COMMENT ON PROCEDURE awa.maintain(text) IS
$$Runs every duty of maintenance that is due, once, in order; call it once a second, say, where no background worker
does. It commits after each step, waits for nobody, and returns sooner or later, whatever there is to do: a duty begins
nothing more after 5 s. A duty that fails stops no other: it raises a warning, is tried again later, and shows in
duty_status. outcome: done (a duty did something), none (there was nothing to do), skipped_locked (another session is at
it), skipped_active(paused), skipped_active(foreign_load) (a restore is under way).
Errors: 25001 in a transaction block, 25006 on a standby or in a read-only transaction.$$;

CREATE PROCEDURE awa.apply_retention(INOUT removed int = NULL)
    LANGUAGE c AS 'MODULE_PATHNAME', 'awa_apply_retention';
COMMENT ON PROCEDURE awa.apply_retention(int) IS
$$Removes failed jobs that were kept for failed_retention of their queue and dead letters that were kept for
dead_letter_retention; commits after each 1,000. Failed jobs that are still in a slot of the queue ring stay until prune
comes to it; completed and cancelled ones always leave with their slot. What somebody is at work on stays for another
time. removed: how many; a count of them stays.
Errors: 25001 in a transaction block, 25006 on a standby or in a read-only transaction.$$;

CREATE FUNCTION awa.pause_maintenance() RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO awa.maintenance_state (duty, paused) SELECT d, true FROM unnest(awa.duty_names()) d
    ON CONFLICT (duty) DO UPDATE SET paused = true WHERE NOT maintenance_state.paused;
END $$;
COMMENT ON FUNCTION awa.pause_maintenance() IS
$$Holds all duties of maintenance, once its transaction has committed: maintain and the background worker do nothing
until resume_maintenance. A duty at work goes on to the end of its turn. Calling a duty by itself works as ever. Jobs
are enqueued, claimed and completed as before, value moves; what is due is not promoted, who is gone is not rescued, and the
rings, and accounts that only receive, grow. A dump does not carry the pause. Errors: 25006 on a standby or in a read-only transaction.$$;

CREATE FUNCTION awa.resume_maintenance() RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE awa.maintenance_state SET paused = false WHERE paused;
END $$;
COMMENT ON FUNCTION awa.resume_maintenance() IS
'Lets maintenance go on that pause_maintenance holds. Errors: 25006 on a standby or in a read-only transaction.';
