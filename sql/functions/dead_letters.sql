-- Dead letters: jobs that used up their attempts, or failed for good, in a queue that keeps them for a person.

CREATE FUNCTION awa.list_dead_letters(queue text = NULL, after bigint = NULL, max_rows int = 100)
RETURNS SETOF awa.dead_letters
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE ROWS 100 SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    wanted int[];
BEGIN
    IF list_dead_letters.max_rows IS NULL THEN
        RAISE EXCEPTION 'max_rows must not be null' USING ERRCODE = '22004', HINT = 'Give a number from 1 to 10000.';
    END IF;
    IF list_dead_letters.max_rows NOT BETWEEN 1 AND 10000 THEN
        RAISE EXCEPTION 'invalid value for max_rows: %', list_dead_letters.max_rows USING ERRCODE = '22023',
            HINT = 'max_rows must be from 1 to 10000.';
    END IF;
    IF list_dead_letters.queue IS NULL THEN
        RETURN QUERY
        SELECT d.* FROM awa.dead_letters d WHERE d.job_id > coalesce(list_dead_letters.after, -9223372036854775808)
        ORDER BY d.job_id LIMIT list_dead_letters.max_rows;
        RETURN;
    END IF;
    -- a name may have been used again: the letters of dropped queues go by it as well
    SELECT array_agg(q.queue_id) INTO wanted FROM awa.queues q WHERE q.queue = list_dead_letters.queue;
    IF wanted IS NULL THEN
        RAISE EXCEPTION 'queue "%" does not exist', list_dead_letters.queue USING ERRCODE = '42704',
            HINT = 'Names are case-sensitive: see awa.list_queues().';
    END IF;
    RETURN QUERY
    SELECT d.* FROM awa.dead_letters d
    WHERE d.job_id IN (SELECT e.job_id FROM awa.dlq_entries e
                       WHERE e.queue_id = ANY (wanted)
                         AND e.job_id > coalesce(list_dead_letters.after, -9223372036854775808)
                       ORDER BY e.job_id LIMIT list_dead_letters.max_rows)
    ORDER BY d.job_id;
END $$;
COMMENT ON FUNCTION awa.list_dead_letters(text, bigint, int) IS
$$Dead letters as the view dead_letters shows them, in the order of their job ids, one page a call. queue: null = of all;
a name finds those of dropped queues of that name too. after: the job_id of the last row of the page before; null = from
the beginning. max_rows 1..10000. Errors: 42704 there never was such a queue, 22004, 22023.$$;

CREATE FUNCTION awa.retry_dead_letter(job_id bigint, run_at timestamptz = NULL, queue text = NULL) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_retry_dead_letter';
COMMENT ON FUNCTION awa.retry_dead_letter(bigint, timestamptz, text) IS
$$Tries a dead letter again, under its id: its attempts count from zero, its errors stay, and so does the count of its run
leases, so that receipts of old attempts stay stale. run_at: null or past = now. queue: null = where it was. Returns false
when there is no dead letter of that id. Errors: 22004 null job_id, 22023 run_at more than 100 years ahead, 42704 unknown
queue, or its own was dropped, 23505 its unique key is held by another job, 55P03 the queue is being dropped, 25006.$$;

CREATE FUNCTION awa.retry_dead_letters(queue text = NULL, kind text = NULL, everything boolean = false) RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_retry_dead_letters';
COMMENT ON FUNCTION awa.retry_dead_letters(text, text, boolean) IS
$$Tries all dead letters of a queue, of a kind, or of both, again, as retry_dead_letter does; all there are with everything
=> true and neither. Those of dropped queues stay. Returns how many. All or nothing: an error leaves them as they were.
Errors: 22023 neither queue nor kind nor everything, 42704, 23505, 55P03, 25006.$$;

CREATE FUNCTION awa.purge_dead_letters(queue text = NULL, kind text = NULL, everything boolean = false) RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_purge_dead_letters';
COMMENT ON FUNCTION awa.purge_dead_letters(text, text, boolean) IS
$$Removes all dead letters of a queue, of a kind, or of both; all there are, those of dropped queues too, with everything
=> true and neither. Returns how many. Errors: 22023 neither queue nor kind nor everything, 42704, 25006.$$;
