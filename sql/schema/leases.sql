-- Attempts that left the receipt plane, and what open attempts say of themselves. Bounded and mutable.

CREATE TABLE awa.leases (
    lease_slot          int NOT NULL,
    claim_slot          int NOT NULL,
    job_id              bigint NOT NULL,
    run_lease           bigint NOT NULL,
    batch_id            bigint NOT NULL,
    receipt_id          bigint NOT NULL,
    fence               bigint NOT NULL,
    ready_slot          int NOT NULL,
    lane_id             int NOT NULL,
    lane_seq            bigint NOT NULL,
    claimed_at          timestamptz NOT NULL,
    heartbeat_at        timestamptz,
    deadline_at         timestamptz,
    callback_timeout_at timestamptz,
    run_at              timestamptz NOT NULL,
    created_at          timestamptz NOT NULL,
    callback_id         uuid,
    attempt             smallint NOT NULL,
    max_attempts        smallint NOT NULL,
    unique_states       smallint,
    state               text NOT NULL CHECK (state IN ('running', 'waiting_external')),
    kind                text COLLATE "C" NOT NULL,
    args                jsonb NOT NULL,
    payload             jsonb,
    own_deadline        interval,
    unique_key          text COLLATE "C",
    PRIMARY KEY (lease_slot, job_id, run_lease)
) PARTITION BY LIST (lease_slot);
CREATE INDEX leases_receipt ON awa.leases (receipt_id);
CREATE INDEX leases_running ON awa.leases (claimed_at) WHERE state = 'running';
CREATE INDEX leases_callback ON awa.leases (callback_id);
CREATE INDEX leases_deadline ON awa.leases (deadline_at);
CREATE INDEX leases_callback_timeout ON awa.leases (callback_timeout_at);
COMMENT ON TABLE awa.leases IS 'open attempts that left the rings: waiting for a callback, or evicted so that a slot can be pruned; self-contained';
COMMENT ON COLUMN awa.leases.lease_slot IS 'slot of the lease ring';
COMMENT ON COLUMN awa.leases.claim_slot IS 'receipt identity: slot of the claim ring';
COMMENT ON COLUMN awa.leases.job_id IS 'the job';
COMMENT ON COLUMN awa.leases.run_lease IS 'run lease of the attempt';
COMMENT ON COLUMN awa.leases.batch_id IS 'receipt identity: claim batch';
COMMENT ON COLUMN awa.leases.receipt_id IS 'receipt identity: receipt';
COMMENT ON COLUMN awa.leases.fence IS 'receipt identity: fence';
COMMENT ON COLUMN awa.leases.ready_slot IS 'slot of the queue ring that held the entry';
COMMENT ON COLUMN awa.leases.lane_id IS 'lane of the entry';
COMMENT ON COLUMN awa.leases.lane_seq IS 'position of the entry';
COMMENT ON COLUMN awa.leases.claimed_at IS 'when the attempt was claimed';
COMMENT ON COLUMN awa.leases.heartbeat_at IS 'last heartbeat; null = none';
COMMENT ON COLUMN awa.leases.deadline_at IS 'when the attempt is rescued; null = no deadline';
COMMENT ON COLUMN awa.leases.callback_timeout_at IS 'when waiting ends; null = not waiting';
COMMENT ON COLUMN awa.leases.run_at IS 'body: when the job became due';
COMMENT ON COLUMN awa.leases.created_at IS 'body: when the job was first enqueued';
COMMENT ON COLUMN awa.leases.callback_id IS 'token of the awaited callback; null = not waiting';
COMMENT ON COLUMN awa.leases.attempt IS 'number of the attempt, 1 = first';
COMMENT ON COLUMN awa.leases.max_attempts IS 'body: attempts allowed';
COMMENT ON COLUMN awa.leases.unique_states IS 'body: states in which unique_key is held, as bits';
COMMENT ON COLUMN awa.leases.state IS 'running or waiting_external';
COMMENT ON COLUMN awa.leases.kind IS 'body: what the job is';
COMMENT ON COLUMN awa.leases.args IS 'body: arguments for the worker';
COMMENT ON COLUMN awa.leases.payload IS 'body: metadata, tags, errors, progress, callback_result';
COMMENT ON COLUMN awa.leases.own_deadline IS 'body: deadline of this job''s attempts';
COMMENT ON COLUMN awa.leases.unique_key IS 'body: unique key within the queue';

CREATE TABLE awa.attempt_state (
    job_id       bigint NOT NULL,
    run_lease    bigint NOT NULL,
    receipt_id   bigint NOT NULL,
    heartbeat_at timestamptz,
    progress     jsonb,
    PRIMARY KEY (job_id, run_lease)
) WITH (fillfactor = 80);
COMMENT ON TABLE awa.attempt_state IS 'heartbeat and progress of open attempts that have any';
COMMENT ON COLUMN awa.attempt_state.job_id IS 'the job';
COMMENT ON COLUMN awa.attempt_state.run_lease IS 'run lease of the attempt';
COMMENT ON COLUMN awa.attempt_state.receipt_id IS 'receipt of the attempt';
COMMENT ON COLUMN awa.attempt_state.heartbeat_at IS 'last heartbeat';
COMMENT ON COLUMN awa.attempt_state.progress IS 'what the worker last reported';
