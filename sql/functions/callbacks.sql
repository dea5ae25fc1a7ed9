-- Waiting for somebody outside. The attempt leaves the rings; its token, or its receipt, ends it.

CREATE FUNCTION awa.wait_external(receipt awa.receipt, timeout interval) RETURNS uuid
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_wait_external';
COMMENT ON FUNCTION awa.wait_external(awa.receipt, interval) IS
$$Lets the attempt wait for a callback and returns its token, or null when the receipt is stale. Whoever has the token
ends the wait: complete_external, fail_external, retry_external. The receipt stays good as well; whichever comes first
counts. A waiting attempt has no deadline and needs no heartbeat; when the timeout has passed, the attempt counts as
failed. An attempt that waits already keeps its token, and its timeout begins anew. timeout: up to 100 years.
Errors: 22004, 22023, 55P03 the keys of the attempt were held for awa_ring.key_wait, 25006.$$;

CREATE FUNCTION awa.complete_external(token uuid, result jsonb = NULL, resume boolean = false) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_complete_external';
COMMENT ON FUNCTION awa.complete_external(uuid, jsonb, boolean) IS
$$Ends the wait of an attempt with a success. resume false: the job is completed, with the result if given. resume true:
the job goes back to its lane, and its next claim shows the result as callback_result; the attempt does not count.
Returns false when nobody waits for the token. Errors: 22004, 54000 result too large, 55P03, 25006.$$;

CREATE FUNCTION awa.fail_external(token uuid, error text, terminal boolean = false) RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_fail_external';
COMMENT ON FUNCTION awa.fail_external(uuid, text, boolean) IS
$$Ends the wait of an attempt with a failure, as fail does, and returns the state the job went to: retryable, failed,
dead_letter or cancelled; or stale when nobody waits for the token. Errors: 22004, 55P03, 25006.$$;

CREATE FUNCTION awa.retry_external(token uuid) RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_retry_external';
COMMENT ON FUNCTION awa.retry_external(uuid) IS
$$Ends the wait of an attempt and gives the job back to its lane at once; the attempt counts. Returns the state the job
went to: available; failed or dead_letter when its attempts are used up; cancelled when another job has its unique key by
now; or stale when nobody waits for the token. Errors: 22004, 55P03, 25006.$$;

CREATE FUNCTION awa.extend_external(token uuid, timeout interval) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_extend_external';
COMMENT ON FUNCTION awa.extend_external(uuid, interval) IS
$$Lets the wait for a callback end the timeout from now. Returns false when nobody waits for the token.
timeout: up to 100 years. Errors: 22004, 22023, 55P03, 25006.$$;
