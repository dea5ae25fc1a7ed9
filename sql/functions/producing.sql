-- Producing.

CREATE FUNCTION awa.enqueue(
    queue text, kind text, args jsonb = '{}', priority int = 2, run_at timestamptz = NULL, max_attempts int = NULL,
    deadline interval = NULL, unique_key text = NULL,
    unique_while text[] = '{scheduled,available,running,waiting_external,retryable}', on_conflict text = 'raise',
    ordering_key text = NULL, metadata jsonb = '{}', tags text[] = '{}'
) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_enqueue';
COMMENT ON FUNCTION awa.enqueue(text, text, jsonb, int, timestamptz, int, interval, text, text[], text, text, jsonb, text[]) IS
$$Enqueues one job and returns its id. The job exists when the transaction commits; no producer waits for another.
Ids are unique, but neither dense nor in the order of enqueueing: each session takes them in blocks.
kind: 1 to 200 bytes. args, metadata: at most awa_ring.max_payload_bytes; metadata is an object. priority 1..4, 1 first.
run_at: null or a past time = now. max_attempts 1..1000, null = the queue's. ordering_key: jobs with the same key keep
their order; null = any lane. tags: at most 20 of 1 to 200 bytes.
Errors: 42704 unknown queue, 22004, 22023, 54000 too large, 0A000 unique_key, deadline and a future run_at are not
supported yet, 25006 on a standby or in a read-only transaction.$$;

CREATE FUNCTION awa.enqueue_many(
    queue text, kind text, args jsonb[], priority int = 2, run_at timestamptz = NULL, max_attempts int = NULL,
    deadline interval = NULL, unique_keys text[] = NULL,
    unique_while text[] = '{scheduled,available,running,waiting_external,retryable}', on_conflict text = 'raise',
    ordering_keys text[] = NULL, metadata jsonb = '{}', tags text[] = '{}'
) RETURNS bigint[]
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_enqueue_many';
COMMENT ON FUNCTION awa.enqueue_many(text, text, jsonb[], int, timestamptz, int, interval, text[], text[], text, text[], jsonb, text[]) IS
$$Enqueues one job for each element of args, all or none, and returns their ids in the same order;
ids are neither dense nor in the order of enqueueing, see enqueue. The other arguments, as in enqueue, hold for all
jobs; ordering_keys and unique_keys have one element a job, null = none. An empty array is no job.
Errors: as enqueue; 22023 also for null or multi-dimensional elements of args.$$;

CREATE FUNCTION awa.enqueue_jobs(jobs jsonb) RETURNS bigint[]
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_enqueue_jobs';
COMMENT ON FUNCTION awa.enqueue_jobs(jsonb) IS
$$Enqueues the jobs of an array of objects, all or none, and returns their ids in the same order. An object has the
arguments of enqueue as keys: queue and kind are required, queues and kinds may be mixed; a JSON null stands for a
missing key. Errors: as enqueue; 22023 also for an unknown key or a value of the wrong type.$$;
