-- The terminal plane: how attempts ended. Partitioned by ready_slot, beside the entries that hold the bodies.

CREATE TABLE awa.receipt_completion_batches (
    ready_slot       int NOT NULL,
    lane_id          int NOT NULL,
    batch_id         bigint NOT NULL,
    ready_generation bigint NOT NULL,
    finalized_at     timestamptz NOT NULL,
    claim_slot       int NOT NULL,
    completed_count  int NOT NULL CHECK (completed_count > 0),
    job_ids          bigint[] NOT NULL,
    run_leases       bigint[] NOT NULL,
    lane_seqs        bigint[] NOT NULL,
    attempts         smallint[] NOT NULL,
    claimed_at       timestamptz[] NOT NULL,
    PRIMARY KEY (ready_slot, batch_id)
) PARTITION BY LIST (ready_slot);
COMMENT ON TABLE awa.receipt_completion_batches IS 'compact history of successes: the jobs of one slot and lane that one call completed';
COMMENT ON COLUMN awa.receipt_completion_batches.ready_slot IS 'slot of the queue ring that holds the entries';
COMMENT ON COLUMN awa.receipt_completion_batches.lane_id IS 'lane of the entries';
COMMENT ON COLUMN awa.receipt_completion_batches.batch_id IS 'the least of the receipts that were completed';
COMMENT ON COLUMN awa.receipt_completion_batches.ready_generation IS 'generation of the slot when the jobs were claimed';
COMMENT ON COLUMN awa.receipt_completion_batches.finalized_at IS 'when the jobs were completed';
COMMENT ON COLUMN awa.receipt_completion_batches.claim_slot IS 'slot of the claim ring that held the claims';
COMMENT ON COLUMN awa.receipt_completion_batches.completed_count IS 'length of the arrays';
COMMENT ON COLUMN awa.receipt_completion_batches.job_ids IS 'jobs; the arrays run in parallel';
COMMENT ON COLUMN awa.receipt_completion_batches.run_leases IS 'run leases of the attempts';
COMMENT ON COLUMN awa.receipt_completion_batches.lane_seqs IS 'positions of the entries';
COMMENT ON COLUMN awa.receipt_completion_batches.attempts IS 'numbers of the attempts, 1 = first';
COMMENT ON COLUMN awa.receipt_completion_batches.claimed_at IS 'when the attempts were claimed';

CREATE TABLE awa.receipt_completion_tombstones (
    ready_slot int NOT NULL,
    lane_id    int NOT NULL,
    job_id     bigint NOT NULL,
    run_lease  bigint NOT NULL,
    lane_seq   bigint NOT NULL,
    deleted_at timestamptz NOT NULL,
    PRIMARY KEY (ready_slot, job_id, run_lease)
) PARTITION BY LIST (ready_slot);
COMMENT ON TABLE awa.receipt_completion_tombstones IS 'successes of compact history that were deleted';
COMMENT ON COLUMN awa.receipt_completion_tombstones.ready_slot IS 'slot of the queue ring';
COMMENT ON COLUMN awa.receipt_completion_tombstones.lane_id IS 'lane of the entry';
COMMENT ON COLUMN awa.receipt_completion_tombstones.job_id IS 'job that was deleted';
COMMENT ON COLUMN awa.receipt_completion_tombstones.run_lease IS 'run lease of its completed attempt';
COMMENT ON COLUMN awa.receipt_completion_tombstones.lane_seq IS 'position of the entry';
COMMENT ON COLUMN awa.receipt_completion_tombstones.deleted_at IS 'when';

CREATE TABLE awa.done_entries (
    ready_slot    int NOT NULL,
    lane_id       int NOT NULL,
    job_id        bigint NOT NULL,
    run_lease     bigint NOT NULL,
    lane_seq      bigint NOT NULL,
    finalized_at  timestamptz NOT NULL,
    claimed_at    timestamptz,
    run_at        timestamptz,
    created_at    timestamptz,
    attempt       smallint NOT NULL,
    max_attempts  smallint,
    unique_states smallint,
    state         text NOT NULL CHECK (state IN ('completed', 'failed', 'cancelled')),
    outcome       text NOT NULL,
    result        jsonb,
    kind          text COLLATE "C",
    args          jsonb,
    payload       jsonb,
    own_deadline  interval,
    unique_key    text COLLATE "C",
    PRIMARY KEY (ready_slot, job_id, run_lease)
) PARTITION BY LIST (ready_slot);
CREATE INDEX done_entries_failed ON awa.done_entries (finalized_at) WHERE state = 'failed';
COMMENT ON TABLE awa.done_entries IS 'terminal outcomes that compact history cannot hold; kind null = narrow: the body is the entry''s';
COMMENT ON COLUMN awa.done_entries.ready_slot IS 'slot of the queue ring';
COMMENT ON COLUMN awa.done_entries.lane_id IS 'lane of the entry';
COMMENT ON COLUMN awa.done_entries.job_id IS 'the job';
COMMENT ON COLUMN awa.done_entries.run_lease IS 'run lease of the attempt that ended it';
COMMENT ON COLUMN awa.done_entries.lane_seq IS 'position of the entry';
COMMENT ON COLUMN awa.done_entries.finalized_at IS 'when it ended';
COMMENT ON COLUMN awa.done_entries.claimed_at IS 'when its last attempt was claimed; null = none was';
COMMENT ON COLUMN awa.done_entries.run_at IS 'body: when the job became due; null in a narrow row';
COMMENT ON COLUMN awa.done_entries.created_at IS 'body: when the job was first enqueued; null in a narrow row';
COMMENT ON COLUMN awa.done_entries.attempt IS 'number of the attempt that ended it';
COMMENT ON COLUMN awa.done_entries.max_attempts IS 'body: attempts allowed; null in a narrow row';
COMMENT ON COLUMN awa.done_entries.unique_states IS 'body: states in which unique_key is held, as bits';
COMMENT ON COLUMN awa.done_entries.state IS 'completed, failed or cancelled';
COMMENT ON COLUMN awa.done_entries.outcome IS 'how it came to that state';
COMMENT ON COLUMN awa.done_entries.result IS 'what the worker returned';
COMMENT ON COLUMN awa.done_entries.kind IS 'body: what the job is; null = narrow row';
COMMENT ON COLUMN awa.done_entries.args IS 'body: arguments for the worker; null in a narrow row';
COMMENT ON COLUMN awa.done_entries.payload IS 'metadata, tags, errors, progress; null in a narrow row: the entry''s';
COMMENT ON COLUMN awa.done_entries.own_deadline IS 'body: deadline of this job''s attempts';
COMMENT ON COLUMN awa.done_entries.unique_key IS 'body: unique key within the queue';
