-- Queues: create, change, pause, drop.

CREATE FUNCTION awa.create_queue(
    queue text, enqueue_shards int = 1, max_attempts int = 25, deadline interval = NULL, stale_after interval = '90 s',
    aging interval = NULL, backoff_base interval = '1 s', backoff_cap interval = '24 h', dead_letter boolean = false,
    notify boolean = false, failed_retention interval = '72 h', dead_letter_retention interval = '30 d'
) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_create_queue';
COMMENT ON FUNCTION awa.create_queue(text, int, int, interval, interval, interval, interval, interval, boolean, boolean, interval, interval) IS
$$Creates a queue. Returns true, or false when a queue of that name exists: it stays as it is (see alter_queue).
queue: 1 to 200 bytes. enqueue_shards 1..64. max_attempts 1..1000. deadline, aging: null or an interval of 0 = none.
stale_after, backoff_base, backoff_cap, failed_retention, dead_letter_retention: greater than 0. notify: enqueueing
sends a NOTIFY on the queue's channel (see channel); a transaction that did so cannot be prepared (PREPARE TRANSACTION).
Errors: 22004 null where a value is required, 22023 out of range, 25006 on a standby.$$;

CREATE FUNCTION awa.alter_queue(
    queue text, enqueue_shards int = NULL, max_attempts int = NULL, deadline interval = NULL, stale_after interval = NULL,
    aging interval = NULL, backoff_base interval = NULL, backoff_cap interval = NULL, dead_letter boolean = NULL,
    notify boolean = NULL, failed_retention interval = NULL, dead_letter_retention interval = NULL
) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_alter_queue';
COMMENT ON FUNCTION awa.alter_queue(text, int, int, interval, interval, interval, interval, interval, boolean, boolean, interval, interval) IS
$$Changes settings of a queue; null leaves a setting as it is, an interval of 0 means none for deadline and aging.
Returns whether anything changed. Fewer shards hide no job: lanes that were in use stay in view.
Errors: 42704 unknown queue, 22004, 22023, 25006.$$;

CREATE FUNCTION awa.drop_queue(queue text, force boolean = false) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_drop_queue';
COMMENT ON FUNCTION awa.drop_queue(text, boolean) IS
$$Drops a queue that has no unfinished job. force: its jobs are cancelled, waiting ones and those being attempted, whose
workers hear of it as of a cancel. Its history stays readable under its name, which may be used again; so do its dead
letters. Returns true. Errors: 42704 unknown queue, 55006 unfinished jobs, or a transaction that produces for it, 55P03 a
lane is held by a claim, or an attempt by somebody who ends it, that does not end in time, 22004, 25006.$$;

CREATE FUNCTION awa.pause_queue(queue text) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_pause_queue';
COMMENT ON FUNCTION awa.pause_queue(text) IS
$$Pauses a queue: claims return nothing; enqueueing goes on, and so do running attempts. While it lasts nobody is
woken for the queue: enqueueing sends no NOTIFY; resume_queue sends one.
Returns true, or false when it was paused already. Errors: 42704 unknown queue, 22004, 25006.$$;

CREATE FUNCTION awa.resume_queue(queue text) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_resume_queue';
COMMENT ON FUNCTION awa.resume_queue(text) IS
$$Ends the pause of a queue and, if its setting notify is on, sends one NOTIFY for what came meanwhile.
Returns true, or false when it was not paused. Errors: 42704 unknown queue, 22004, 25006.$$;

CREATE FUNCTION awa.purge_queue(queue text) RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_purge_queue';
COMMENT ON FUNCTION awa.purge_queue(text) IS
$$Cancels every job of a queue that is waiting (ready, scheduled or retryable); running attempts go on.
Returns how many. Jobs that other transactions enqueued but have not committed stay.
Errors: 42704 unknown queue, 55P03 a lane is held by a transaction that does not end, 22004, 25006.$$;

CREATE FUNCTION awa.channel(queue text) RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_channel';
COMMENT ON FUNCTION awa.channel(text) IS
$$The channel to LISTEN on for a queue whose setting notify is on: 'awa:' and the queue's id; quote it as an identifier.
Errors: 42704 unknown queue, 22004.$$;
