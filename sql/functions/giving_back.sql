-- Attempts that end without success by their workers' word. A stale receipt is told, not raised.

CREATE FUNCTION awa.fail(receipt awa.receipt, error text, retry_after interval = NULL, terminal boolean = false)
RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_fail';
COMMENT ON FUNCTION awa.fail(awa.receipt, text, interval, boolean) IS
$$Ends the attempt as a failure and returns the state the job went to: retryable (there will be another attempt), failed
or dead_letter (its attempts are used up, or terminal), cancelled (another job has its unique key by now); or stale.
error: kept with the job, the first 8,000 bytes of it, for its last 25 errors. retry_after: null = the queue's backoff,
0 = at once; it counts against max_attempts all the same. terminal: there is no use in trying again.
Errors: 22004 null receipt, error or terminal, 22023 retry_after out of range, 55P03 the keys of the attempt were held
for awa_ring.key_wait, 25006.$$;

CREATE FUNCTION awa.fail_many(
    receipts awa.receipt[], errors text[], retry_after interval[] = NULL, terminal boolean[] = NULL)
RETURNS TABLE (receipt awa.receipt, state text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 100 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_fail_many';
COMMENT ON FUNCTION awa.fail_many(awa.receipt[], text[], interval[], boolean[]) IS
$$Ends the attempts of the receipts as failures, as fail does, and tells for each, in order, the state its job went to.
errors is as long as receipts, without nulls; retry_after and terminal are null or as long, a null element = the
default. A receipt named twice: the first place counts, the second answers stale. A null array of receipts is empty.
Errors: as fail; 22023 arrays of different lengths, null receipts, more than one dimension.$$;

CREATE FUNCTION awa.snooze(receipt awa.receipt, delay interval) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_snooze';
COMMENT ON FUNCTION awa.snooze(awa.receipt, interval) IS
$$Puts the job off for the delay: it is scheduled, and this attempt does not count. Returns false when the receipt is
stale. delay: 0 (at once) to 100 years. Errors: 22004, 22023, 55P03 the keys of the attempt were held for
awa_ring.key_wait, 25006.$$;

CREATE FUNCTION awa.release(receipt awa.receipt) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_release';
COMMENT ON FUNCTION awa.release(awa.receipt) IS
$$Gives the job back to its lane, to be claimed by anybody; this attempt does not count. Returns false when the receipt is
stale. Errors: 22004 null, 55P03 the keys of the attempt were held for awa_ring.key_wait, 25006.$$;

CREATE FUNCTION awa.release_many(receipts awa.receipt[]) RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_release_many';
COMMENT ON FUNCTION awa.release_many(awa.receipt[]) IS
$$Gives back the jobs of the receipts, as release does, in one call: for a worker that stops. Returns how many were given
back now; stale ones are counted out, a null array is empty. Errors: 22023, 55P03, 25006.$$;
