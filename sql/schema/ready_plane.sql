-- The ready plane: what waits, what stopped waiting. Partitioned by ready_slot, insert-only.

CREATE TABLE awa.ready_entries (
    ready_slot    int NOT NULL,
    lane_id       int NOT NULL,
    xid           xid8 NOT NULL,
    lane_seq      bigint NOT NULL,
    job_id        bigint NOT NULL,
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
    unique_key    text COLLATE "C",
    PRIMARY KEY (ready_slot, lane_id, xid, lane_seq)
) PARTITION BY LIST (ready_slot);
CREATE INDEX ready_entries_job ON awa.ready_entries (job_id);
COMMENT ON TABLE awa.ready_entries IS 'entries: jobs waiting on a lane, and the body of a job for its whole stay in the ring';
COMMENT ON COLUMN awa.ready_entries.ready_slot IS 'slot of the queue ring';
COMMENT ON COLUMN awa.ready_entries.lane_id IS 'lane: queue_id * 256 + (priority - 1) * 64 + shard';
COMMENT ON COLUMN awa.ready_entries.xid IS 'top-level transaction that made the entry visible';
COMMENT ON COLUMN awa.ready_entries.lane_seq IS 'position on the lane, unique for ever';
COMMENT ON COLUMN awa.ready_entries.job_id IS 'the job';
COMMENT ON COLUMN awa.ready_entries.run_lease IS 'run lease of the last attempt; the next claim uses one more';
COMMENT ON COLUMN awa.ready_entries.run_at IS 'when the job became due';
COMMENT ON COLUMN awa.ready_entries.created_at IS 'when the job was first enqueued';
COMMENT ON COLUMN awa.ready_entries.attempt IS 'attempts used so far';
COMMENT ON COLUMN awa.ready_entries.max_attempts IS 'attempts allowed';
COMMENT ON COLUMN awa.ready_entries.unique_states IS 'states in which unique_key is held, as bits';
COMMENT ON COLUMN awa.ready_entries.kind IS 'what the job is, 1 to 200 bytes';
COMMENT ON COLUMN awa.ready_entries.args IS 'arguments for the worker';
COMMENT ON COLUMN awa.ready_entries.payload IS 'metadata, tags, errors, progress, callback_result; null = none of them';
COMMENT ON COLUMN awa.ready_entries.own_deadline IS 'deadline of this job''s attempts; null = the queue''s';
COMMENT ON COLUMN awa.ready_entries.unique_key IS 'unique key within the queue; null = none';

CREATE TABLE awa.ready_tombstones (
    ready_slot    int NOT NULL,
    lane_id       int NOT NULL,
    lane_seq      bigint NOT NULL,
    job_id        bigint NOT NULL,
    tombstoned_at timestamptz NOT NULL,
    reason        text NOT NULL CHECK (reason IN ('cancelled', 'moved', 'deleted', 'purged', 'replaced', 'carried')),
    PRIMARY KEY (ready_slot, lane_id, lane_seq)
) PARTITION BY LIST (ready_slot);
COMMENT ON TABLE awa.ready_tombstones IS 'entries of the slot that were made unavailable without a claim';
COMMENT ON COLUMN awa.ready_tombstones.ready_slot IS 'slot of the queue ring that holds the entry';
COMMENT ON COLUMN awa.ready_tombstones.lane_id IS 'lane of the entry';
COMMENT ON COLUMN awa.ready_tombstones.lane_seq IS 'position of the entry';
COMMENT ON COLUMN awa.ready_tombstones.job_id IS 'job of the entry';
COMMENT ON COLUMN awa.ready_tombstones.tombstoned_at IS 'when';
COMMENT ON COLUMN awa.ready_tombstones.reason IS 'why: cancelled, moved, deleted, purged, replaced or carried';

CREATE TABLE awa.ready_claim_attempt_batches (
    ready_slot       int NOT NULL,
    lane_id          int NOT NULL,
    batch_id         bigint NOT NULL,
    ready_generation bigint NOT NULL,
    first_seq        bigint NOT NULL,
    last_seq         bigint NOT NULL,
    claimed_at       timestamptz NOT NULL,
    claim_slot       int NOT NULL,
    claimed_count    int NOT NULL CHECK (claimed_count > 0),
    lane_ranges      int8multirange NOT NULL,
    PRIMARY KEY (ready_slot, lane_id, batch_id)
) PARTITION BY LIST (ready_slot);
COMMENT ON TABLE awa.ready_claim_attempt_batches IS 'emission evidence: the positions of one lane and slot that one claim handed out';
COMMENT ON COLUMN awa.ready_claim_attempt_batches.ready_slot IS 'slot of the queue ring that holds the entries';
COMMENT ON COLUMN awa.ready_claim_attempt_batches.lane_id IS 'lane of the entries';
COMMENT ON COLUMN awa.ready_claim_attempt_batches.batch_id IS 'claim batch of the same claim; rises on a lane, because it is drawn under the lane lock';
COMMENT ON COLUMN awa.ready_claim_attempt_batches.ready_generation IS 'generation of the slot when claimed';
COMMENT ON COLUMN awa.ready_claim_attempt_batches.first_seq IS 'least position handed out';
COMMENT ON COLUMN awa.ready_claim_attempt_batches.last_seq IS 'greatest position handed out';
COMMENT ON COLUMN awa.ready_claim_attempt_batches.claimed_at IS 'when';
COMMENT ON COLUMN awa.ready_claim_attempt_batches.claim_slot IS 'slot of the claim ring that holds the claim batch';
COMMENT ON COLUMN awa.ready_claim_attempt_batches.claimed_count IS 'number of positions in lane_ranges';
COMMENT ON COLUMN awa.ready_claim_attempt_batches.lane_ranges IS 'the positions handed out';
