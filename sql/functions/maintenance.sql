-- Due jobs; attempts that are due to end; turning and emptying the rings.

CREATE FUNCTION awa.promote_due() RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_promote_due';
COMMENT ON FUNCTION awa.promote_due() IS
$$Makes jobs whose time has come claimable, in the order of their due times, and returns how many: at most 10,000 a call,
so call it again, in another transaction, until it returns 0. What another call is at work on is passed by: several can
run at the same time. A job that needs its unique key and finds it held by another ends cancelled, and counts. While a
restore is under way it does nothing. Errors: 25006 on a standby or in a read-only transaction.$$;

CREATE FUNCTION awa.rescue_stale() RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_rescue_stale';
COMMENT ON FUNCTION awa.rescue_stale() IS
$$Ends attempts whose worker is presumed dead: those that were claimed, and beat last, longer ago than stale_after of their
queue. Their jobs go on as after a failure: the attempt counts; one without attempts left fails, or becomes a dead letter.
Returns how many attempts it ended, at most awa_ring.rescue_limit; call it again, in another transaction, until it returns 0.
It waits for nobody: an attempt that somebody is at work on is left for another time, and time begins anew for it. While a
restore is under way it does nothing. Errors: 25006 on a standby or in a read-only transaction.$$;

CREATE FUNCTION awa.rescue_deadlines() RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_rescue_deadlines';
COMMENT ON FUNCTION awa.rescue_deadlines() IS
$$Ends attempts whose deadline has passed, whether they beat or not; else as rescue_stale.$$;

CREATE FUNCTION awa.rescue_callbacks() RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_rescue_callbacks';
COMMENT ON FUNCTION awa.rescue_callbacks() IS
$$Ends attempts that waited for a callback longer than they were to; else as rescue_stale.$$;

CREATE PROCEDURE awa.rotate(ring text, INOUT outcome text = NULL)
    LANGUAGE c AS 'MODULE_PATHNAME', 'awa_rotate';
COMMENT ON PROCEDURE awa.rotate(text, text) IS
$$Turns a ring (queue, claim or lease) to its next slot, whatever the age of the current one. A slot that a transaction
still writes to is stepped over. outcome: rotated, skipped_idle (the current slot holds nothing), skipped_busy (no slot
is empty and free of writers), skipped_locked (maintenance is at work on the ring).
Errors: 25001 in a transaction block, 22004, 22023 unknown ring, 25006 on a standby.$$;

CREATE PROCEDURE awa.prune(ring text, INOUT outcome text = NULL)
    LANGUAGE c AS 'MODULE_PATHNAME', 'awa_prune';
COMMENT ON PROCEDURE awa.prune(text, text) IS
$$Empties every slot of a ring (queue, claim or lease) that is proven to hold nothing live; commits after each step.
outcome: pruned (at least one slot), or why the oldest was not: skipped_active(open | pending | history | failed |
frontiers | leases), skipped_locked (somebody reads or writes it), none (there is no slot to empty). Ended jobs are kept
readable for awa_ring.history_retention at least; their counts go on in queue_stats. Failed jobs that their queue wants kept
longer move to a table of their own first, and the frontiers of lanes to the current slot.
Errors: 25001 in a transaction block, 22004, 22023 unknown ring, 25006 on a standby.$$;

CREATE PROCEDURE awa.evict(ring text, INOUT moved int = NULL)
    LANGUAGE c AS 'MODULE_PATHNAME', 'awa_evict';
COMMENT ON PROCEDURE awa.evict(text, int) IS
$$Moves what is live out of every slot of a ring (queue, claim or lease) that is not current, so that prune can empty it;
commits after each step. Attempts that run go on in leases outside the rings, with the same receipt; jobs that wait go to the
current slot and keep their place on their lane. What somebody is at work on stays for another time. moved: how many.
Errors: as prune.$$;

CREATE PROCEDURE awa.after_restore()
    LANGUAGE c AS 'MODULE_PATHNAME', 'awa_after_restore';
COMMENT ON PROCEDURE awa.after_restore() IS
$$To be called after rows of a dump were restored into the rings: until then claims raise 55000. Entries whose transaction
id is of another cluster are appended again under one of this, frontiers are dropped (the next claims rebuild them), and
sequences are moved beyond what was loaded; then the background worker is started, unless awa_ring.autostart is off. Safe
to call at any time.
Errors: 25001 in a transaction block, 25006 on a standby.$$;

CREATE FUNCTION awa.reset_frontiers() RETURNS int
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    dropped int;
BEGIN
    DELETE FROM awa.lane_frontiers;
    GET DIAGNOSTICS dropped = ROW_COUNT;
    PERFORM awa.reset_low_water();
    RETURN dropped;
END $$;
COMMENT ON FUNCTION awa.reset_frontiers() IS
$$Drops the frontiers of all lanes, and the mark that promotion starts from, and returns how many frontiers there were. They
are hints: the next claim on a lane rebuilds its own from the evidence, and the next promotion looks at all that is deferred,
which takes longer. For repair; nothing is lost, nothing is handed out twice.$$;
