-- Where jobs rest after the rings: dead letters, failed history, counts of what was pruned.

CREATE TABLE awa.dlq_entries (
    job_id             bigint PRIMARY KEY,
    queue_id           int NOT NULL,
    priority           smallint NOT NULL CHECK (priority BETWEEN 1 AND 4),
    dlq_at             timestamptz NOT NULL,
    original_run_lease bigint NOT NULL,
    run_lease          bigint NOT NULL,
    run_at             timestamptz NOT NULL,
    created_at         timestamptz NOT NULL,
    attempt            smallint NOT NULL,
    max_attempts       smallint NOT NULL,
    unique_states      smallint,
    dlq_reason         text NOT NULL,
    kind               text COLLATE "C" NOT NULL,
    args               jsonb NOT NULL,
    payload            jsonb,
    own_deadline       interval,
    unique_key         text COLLATE "C"
);
CREATE INDEX dlq_entries_queue ON awa.dlq_entries (queue_id, dlq_at);
CREATE INDEX dlq_entries_page ON awa.dlq_entries (queue_id, job_id);
COMMENT ON TABLE awa.dlq_entries IS 'dead letters: jobs that used up their attempts and wait for a person';
COMMENT ON COLUMN awa.dlq_entries.job_id IS 'the job';
COMMENT ON COLUMN awa.dlq_entries.queue_id IS 'its queue';
COMMENT ON COLUMN awa.dlq_entries.priority IS 'its priority';
COMMENT ON COLUMN awa.dlq_entries.dlq_at IS 'when it became a dead letter';
COMMENT ON COLUMN awa.dlq_entries.original_run_lease IS 'run lease of the attempt that failed last';
COMMENT ON COLUMN awa.dlq_entries.run_lease IS 'run lease the next attempt counts from';
COMMENT ON COLUMN awa.dlq_entries.run_at IS 'when the job became due';
COMMENT ON COLUMN awa.dlq_entries.created_at IS 'when it was first enqueued';
COMMENT ON COLUMN awa.dlq_entries.attempt IS 'attempts used';
COMMENT ON COLUMN awa.dlq_entries.max_attempts IS 'attempts allowed';
COMMENT ON COLUMN awa.dlq_entries.unique_states IS 'states in which unique_key is held, as bits';
COMMENT ON COLUMN awa.dlq_entries.dlq_reason IS 'why';
COMMENT ON COLUMN awa.dlq_entries.kind IS 'what the job is';
COMMENT ON COLUMN awa.dlq_entries.args IS 'arguments for the worker';
COMMENT ON COLUMN awa.dlq_entries.payload IS 'metadata, tags, errors, progress';
COMMENT ON COLUMN awa.dlq_entries.own_deadline IS 'deadline of this job''s attempts';
COMMENT ON COLUMN awa.dlq_entries.unique_key IS 'unique key within the queue';

CREATE TABLE awa.failed_history (
    job_id        bigint NOT NULL,
    run_lease     bigint NOT NULL,
    queue_id      int NOT NULL,
    priority      smallint NOT NULL CHECK (priority BETWEEN 1 AND 4),
    finalized_at  timestamptz NOT NULL,
    run_at        timestamptz NOT NULL,
    created_at    timestamptz NOT NULL,
    attempt       smallint NOT NULL,
    max_attempts  smallint NOT NULL,
    unique_states smallint,
    outcome       text NOT NULL,
    kind          text COLLATE "C" NOT NULL,
    args          jsonb NOT NULL,
    payload       jsonb,
    own_deadline  interval,
    unique_key    text COLLATE "C",
    PRIMARY KEY (job_id, run_lease)
);
CREATE INDEX failed_history_queue ON awa.failed_history (queue_id, finalized_at);
COMMENT ON TABLE awa.failed_history IS 'failed jobs that are kept longer than their slot';
COMMENT ON COLUMN awa.failed_history.job_id IS 'the job';
COMMENT ON COLUMN awa.failed_history.run_lease IS 'run lease of the attempt that failed last';
COMMENT ON COLUMN awa.failed_history.queue_id IS 'its queue';
COMMENT ON COLUMN awa.failed_history.priority IS 'its priority';
COMMENT ON COLUMN awa.failed_history.finalized_at IS 'when it failed';
COMMENT ON COLUMN awa.failed_history.run_at IS 'when the job became due';
COMMENT ON COLUMN awa.failed_history.created_at IS 'when it was first enqueued';
COMMENT ON COLUMN awa.failed_history.attempt IS 'attempts used';
COMMENT ON COLUMN awa.failed_history.max_attempts IS 'attempts allowed';
COMMENT ON COLUMN awa.failed_history.unique_states IS 'states in which unique_key is held, as bits';
COMMENT ON COLUMN awa.failed_history.outcome IS 'how it came to fail';
COMMENT ON COLUMN awa.failed_history.kind IS 'what the job is';
COMMENT ON COLUMN awa.failed_history.args IS 'arguments for the worker';
COMMENT ON COLUMN awa.failed_history.payload IS 'metadata, tags, errors, progress';
COMMENT ON COLUMN awa.failed_history.own_deadline IS 'deadline of this job''s attempts';
COMMENT ON COLUMN awa.failed_history.unique_key IS 'unique key within the queue';

CREATE TABLE awa.queue_terminal_rollups (
    queue_id int NOT NULL,
    priority smallint NOT NULL,
    outcome  text NOT NULL,
    jobs     bigint NOT NULL,
    session  int NOT NULL DEFAULT 0,
    PRIMARY KEY (queue_id, priority, outcome, session)
);
COMMENT ON TABLE awa.queue_terminal_rollups IS
    'counts of jobs that are no more to be seen: pruned, purged, deleted; to be summed up over sessions';
COMMENT ON COLUMN awa.queue_terminal_rollups.queue_id IS 'the queue';
COMMENT ON COLUMN awa.queue_terminal_rollups.priority IS 'the priority';
COMMENT ON COLUMN awa.queue_terminal_rollups.outcome IS 'how the jobs ended';
COMMENT ON COLUMN awa.queue_terminal_rollups.jobs IS 'how many';
COMMENT ON COLUMN awa.queue_terminal_rollups.session IS
    'number of the session that counted, among those alive then, so that sessions do not wait for one another; 0 = prune';
