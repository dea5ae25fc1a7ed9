-- Turning and emptying the rings.

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
leases), skipped_locked (somebody reads or writes it), none (there is no slot to empty). Ended jobs are kept readable for
awa_ring.history_retention at least; their counts go on in queue_stats.
Errors: 25001 in a transaction block, 22004, 22023 unknown ring, 25006 on a standby.$$;
