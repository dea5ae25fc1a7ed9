-- Managing single jobs.

CREATE FUNCTION awa.cancel(job_id bigint, reason text = NULL) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_cancel';
COMMENT ON FUNCTION awa.cancel(bigint, text) IS
$$Cancels a job that waits, to be claimed, for its time or for a callback, or that is being attempted. It ends cancelled,
its receipt is over, and it gives up its unique key; the reason, if one is given, is kept as its last error. The worker of
an attempt hears of it by its next heartbeat, and by a NOTIFY on channel "awa:cancel" with job_id and run_lease as JSON (a
transaction that sent one cannot be prepared). Returns false when the job is over, or there is none.
Errors: 22004 null job_id, 55P03 its lane is held by a claim, the job by somebody who changes it, or its attempt by
somebody who ends it, that does not end in time, 25006 on a standby or in a read-only transaction.$$;

CREATE FUNCTION awa.cancel_many(job_ids bigint[], reason text = NULL) RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_cancel_many';
COMMENT ON FUNCTION awa.cancel_many(bigint[], text) IS
$$Cancels jobs as cancel does, all in this transaction, and returns how many. An id named twice counts once; a null array
is empty. Errors: as cancel; 22023 null or multi-dimensional elements.$$;

CREATE FUNCTION awa.retry(job_id bigint) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_retry';
COMMENT ON FUNCTION awa.retry(bigint) IS
$$Lets a job that failed, or was cancelled, wait anew, at once, under its id: its attempts count from the beginning, its
run lease goes on, its errors stay. Returns false when no such job is in history any more. (Dead letters:
retry_dead_letter.) Errors: 22004 null, 23505 its unique key is held by another job, 42704 its queue was dropped, 25006.$$;

CREATE FUNCTION awa.set_priority(job_id bigint, priority int) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_set_priority';
COMMENT ON FUNCTION awa.set_priority(bigint, int) IS
$$Gives a job that waits, to be claimed or for its time, another priority, 1..4, 1 first. One that waits to be claimed goes
to the end of its new lane. Returns false when no such job waits, or it has that priority.
Errors: 22004 null, 22023 out of range, 55P03 as cancel, 25006.$$;

CREATE FUNCTION awa.move(job_id bigint, queue text) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_move';
COMMENT ON FUNCTION awa.move(bigint, text) IS
$$Moves a job that waits, to be claimed or for its time, to another queue. It keeps its id, priority, attempts and
max_attempts, takes its unique key with it, and goes to the end of a lane there. Returns false when no such job waits, or
it is in that queue. Errors: 22004 null, 42704 unknown queue, 23505 its unique key is held in that queue, 55P03 as cancel,
25006.$$;

CREATE FUNCTION awa.delete_job(job_id bigint) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_delete_job';
COMMENT ON FUNCTION awa.delete_job(bigint) IS
$$Deletes a job as if it had never been, whatever its state: only a count stays. The worker of an attempt hears of it as of
a cancel; its receipt is over. Returns false when there is no job of that id. Errors: as cancel.$$;
