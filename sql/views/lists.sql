-- Lists of jobs that rest.

CREATE VIEW awa.dead_letters AS
SELECT d.job_id, q.queue, d.kind, d.priority::int AS priority, d.attempt::int AS attempt,
       d.max_attempts::int AS max_attempts, d.dlq_at, d.dlq_reason, d.payload #>> '{errors,-1,error}' AS last_error,
       coalesce(d.payload -> 'errors', '[]') AS errors, d.args, coalesce(d.payload -> 'metadata', '{}') AS metadata,
       CASE WHEN d.payload ? 'tags' THEN ARRAY(SELECT jsonb_array_elements_text(d.payload -> 'tags'))
           ELSE '{}' END AS tags,
       d.created_at, d.run_at, d.run_lease, d.original_run_lease, d.unique_key
FROM awa.dlq_entries d
     LEFT JOIN awa.queues q ON q.queue_id = d.queue_id;
COMMENT ON VIEW awa.dead_letters IS
    'dead letters: jobs that used up their attempts, or failed for good, and wait for a person';
COMMENT ON COLUMN awa.dead_letters.job_id IS 'the job';
COMMENT ON COLUMN awa.dead_letters.queue IS 'its queue; a dropped queue keeps its name here';
COMMENT ON COLUMN awa.dead_letters.kind IS 'what the job is';
COMMENT ON COLUMN awa.dead_letters.priority IS 'priority, 1..4, 1 first';
COMMENT ON COLUMN awa.dead_letters.attempt IS 'attempts used';
COMMENT ON COLUMN awa.dead_letters.max_attempts IS 'attempts allowed';
COMMENT ON COLUMN awa.dead_letters.dlq_at IS 'when it became a dead letter';
COMMENT ON COLUMN awa.dead_letters.dlq_reason IS 'why';
COMMENT ON COLUMN awa.dead_letters.last_error IS 'text of the last error; null = none was given';
COMMENT ON COLUMN awa.dead_letters.errors IS
    'array of the errors, oldest first: objects with error, attempt, at; empty = none';
COMMENT ON COLUMN awa.dead_letters.args IS 'arguments for the worker';
COMMENT ON COLUMN awa.dead_letters.metadata IS 'metadata given at enqueue; {} = none';
COMMENT ON COLUMN awa.dead_letters.tags IS 'tags given at enqueue; empty = none';
COMMENT ON COLUMN awa.dead_letters.created_at IS 'when it was first enqueued';
COMMENT ON COLUMN awa.dead_letters.run_at IS 'when it last became due';
COMMENT ON COLUMN awa.dead_letters.run_lease IS 'run lease the next attempt counts from';
COMMENT ON COLUMN awa.dead_letters.original_run_lease IS 'run lease of the attempt that failed last';
COMMENT ON COLUMN awa.dead_letters.unique_key IS 'unique key within the queue; null = none';
