-- Managing single jobs.

CREATE FUNCTION awa.delete_job(job_id bigint) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_delete_job';
COMMENT ON FUNCTION awa.delete_job(bigint) IS
$$Deletes a waiting job as if it had never been; only a count stays. Returns false when no waiting job has that id.
Errors: 22004 null, 55P03 its lane is held by a claim that does not end, 25006 on a standby.$$;
