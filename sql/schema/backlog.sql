-- Jobs that wait for a time, and unique keys in force.

CREATE TABLE awa.deferred_jobs (
    job_id        bigint PRIMARY KEY,
    queue_id      int NOT NULL,
    priority      smallint NOT NULL CHECK (priority BETWEEN 1 AND 4),
    shard         smallint NOT NULL CHECK (shard BETWEEN 0 AND 63),
    state         text NOT NULL CHECK (state IN ('scheduled', 'retryable')),
    finalized_at  timestamptz,
    run_lease     bigint NOT NULL,
    run_at        timestamptz NOT NULL,
    created_at    timestamptz NOT NULL,
    attempt       smallint NOT NULL,
    max_attempts  smallint NOT NULL,
    unique_states smallint,
    kind          text COLLATE "C" NOT NULL,
    args          jsonb NOT NULL,
    payload       jsonb,
    own_deadline  interval,
    unique_key    text COLLATE "C"
);
CREATE INDEX deferred_jobs_due ON awa.deferred_jobs (run_at, priority, job_id);
CREATE INDEX deferred_jobs_queue ON awa.deferred_jobs (queue_id);
COMMENT ON TABLE awa.deferred_jobs IS 'scheduled and retryable jobs: they become entries when they are due';
COMMENT ON COLUMN awa.deferred_jobs.job_id IS 'the job';
COMMENT ON COLUMN awa.deferred_jobs.queue_id IS 'its queue';
COMMENT ON COLUMN awa.deferred_jobs.priority IS 'lane it will wait on: priority';
COMMENT ON COLUMN awa.deferred_jobs.shard IS 'lane it will wait on: shard';
COMMENT ON COLUMN awa.deferred_jobs.state IS 'scheduled or retryable';
COMMENT ON COLUMN awa.deferred_jobs.finalized_at IS 'when its last attempt ended; null = none yet';
COMMENT ON COLUMN awa.deferred_jobs.run_lease IS 'run lease of the last attempt';
COMMENT ON COLUMN awa.deferred_jobs.run_at IS 'when it is due';
COMMENT ON COLUMN awa.deferred_jobs.created_at IS 'when it was first enqueued';
COMMENT ON COLUMN awa.deferred_jobs.attempt IS 'attempts used so far';
COMMENT ON COLUMN awa.deferred_jobs.max_attempts IS 'attempts allowed';
COMMENT ON COLUMN awa.deferred_jobs.unique_states IS 'states in which unique_key is held, as bits';
COMMENT ON COLUMN awa.deferred_jobs.kind IS 'what the job is';
COMMENT ON COLUMN awa.deferred_jobs.args IS 'arguments for the worker';
COMMENT ON COLUMN awa.deferred_jobs.payload IS 'metadata, tags, errors, progress, callback_result';
COMMENT ON COLUMN awa.deferred_jobs.own_deadline IS 'deadline of this job''s attempts; null = the queue''s';
COMMENT ON COLUMN awa.deferred_jobs.unique_key IS 'unique key within the queue';

-- Promotion looks for due jobs from the low-water mark on. Rows that come past the verbs, as a restore's do, may lie below.
CREATE FUNCTION awa.reset_low_water() RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'awa_reset_low_water';
COMMENT ON FUNCTION awa.reset_low_water() IS
    'internal: the mark that promotion starts from is unknown; the next promotion looks at all that is deferred';
CREATE FUNCTION awa.forget_low_water() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM awa.reset_low_water();
    RETURN NULL;
END $$;
COMMENT ON FUNCTION awa.forget_low_water() IS
    'trigger: promotion looks at all deferred jobs again, since some were changed past the verbs';
CREATE TRIGGER forget_low_water AFTER INSERT OR UPDATE ON awa.deferred_jobs
    FOR EACH STATEMENT EXECUTE FUNCTION awa.forget_low_water();
ALTER TABLE awa.deferred_jobs ENABLE ALWAYS TRIGGER forget_low_water;

CREATE TABLE awa.job_unique_claims (
    queue_id   int NOT NULL,
    unique_key text COLLATE "C" NOT NULL,
    job_id     bigint NOT NULL,
    PRIMARY KEY (queue_id, unique_key)
);
CREATE INDEX job_unique_claims_job ON awa.job_unique_claims (job_id);
COMMENT ON TABLE awa.job_unique_claims IS 'unique keys in force';
COMMENT ON COLUMN awa.job_unique_claims.queue_id IS 'queue within which the key is unique';
COMMENT ON COLUMN awa.job_unique_claims.unique_key IS 'the key';
COMMENT ON COLUMN awa.job_unique_claims.job_id IS 'job that holds it';
