-- Producing.

CREATE FUNCTION awa.enqueue(
    queue text, kind text, args jsonb = '{}', priority int = 2, run_at timestamptz = NULL, max_attempts int = NULL,
    deadline interval = NULL, unique_key text = NULL,
    unique_while text[] = '{scheduled,available,running,waiting_external,retryable}', on_conflict text = 'raise',
    ordering_key text = NULL, metadata jsonb = '{}', tags text[] = '{}'
) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'awa_enqueue';
COMMENT ON FUNCTION awa.enqueue(text, text, jsonb, int, timestamptz, int, interval, text, text[], text, text, jsonb, text[]) IS
$$Enqueues one job and returns its id. The job exists when the transaction commits; no producer waits for another.
Ids are unique, but neither dense nor in the order of enqueueing: each session takes them in blocks.
kind: 1 to 200 bytes. args, metadata: at most awa_ring.max_payload_bytes; metadata is an object. priority 1..4, 1 first.
run_at: null or a past time = now; a later one, up to 100 years ahead: the job is scheduled until then (see promote_due).
max_attempts 1..1000, null = the queue's. deadline: of each of its attempts, up to 100 years, 0 = none, null = the queue's or
the claim's. ordering_key: jobs with the same key keep their order; null = any lane. tags: at most 20 of 1 to 200 bytes.
unique_key: 1 to 1000 bytes, unique within the queue while the job is in one of the states of unique_while; whoever is about
to take or give up the same key is waited for. on_conflict, if another job holds the key: raise an error; ignore: return the
id of that job; replace: if it waits, give it the content of this one under its id, and return that; else raise.
Errors: 42704 unknown queue, 22004, 22023, 23505 the unique key is held, 40P01 two transactions took keys in opposite orders,
54000 too large, 55P03, 25006 on a standby or in a read-only transaction.$$;

CREATE FUNCTION awa.enqueue_many(
    queue text, kind text, args jsonb[], priority int = 2, run_at timestamptz = NULL, max_attempts int = NULL,
    deadline interval = NULL, unique_keys text[] = NULL,
    unique_while text[] = '{scheduled,available,running,waiting_external,retryable}', on_conflict text = 'raise',
    ordering_keys text[] = NULL, metadata jsonb = '{}', tags text[] = '{}'
) RETURNS bigint[]
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'awa_enqueue_many';
COMMENT ON FUNCTION awa.enqueue_many(text, text, jsonb[], int, timestamptz, int, interval, text[], text[], text, text[], jsonb, text[]) IS
$$Enqueues one job for each element of args, all or none, and returns their ids in the same order;
ids are neither dense nor in the order of enqueueing, see enqueue. The other arguments, as in enqueue, hold for all
jobs; ordering_keys and unique_keys have one element a job, null = none. An empty array is no job. A unique key given twice
in a call: raise refuses it all, ignore gives the later place the id of the earlier, replace that and the later's content.
Errors: as enqueue; 22023 also for null or multi-dimensional elements of args.$$;

CREATE FUNCTION awa.enqueue_jobs(jobs jsonb) RETURNS bigint[]
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'awa_enqueue_jobs';
COMMENT ON FUNCTION awa.enqueue_jobs(jsonb) IS
$$Enqueues the jobs of an array of objects, all or none, and returns their ids in the same order. An object has the
arguments of enqueue as keys: queue and kind are required, queues and kinds may be mixed; a JSON null stands for a
missing key. Errors: as enqueue; 22023 also for an unknown key or a value of the wrong type.$$;
