-- The claim plane: receipts and their closures, and the frontiers of lanes. Partitioned by claim_slot, insert-only.

CREATE TABLE awa.lease_claim_batches (
    claim_slot       int NOT NULL,
    ready_slot       int NOT NULL,
    batch_id         bigint NOT NULL,
    fence            bigint NOT NULL,
    ready_generation bigint NOT NULL,
    claimed_at       timestamptz NOT NULL,
    deadline_at      timestamptz,
    lane_id          int NOT NULL,
    claimed_count    int NOT NULL CHECK (claimed_count > 0),
    job_ids          bigint[] NOT NULL,
    run_leases       bigint[] NOT NULL,
    lane_seqs        bigint[] NOT NULL,
    attempts         smallint[] NOT NULL,
    max_attempts     smallint[] NOT NULL,
    receipt_ranges   int8multirange NOT NULL,
    keyed_receipts   int8multirange,
    PRIMARY KEY (claim_slot, batch_id)
) PARTITION BY LIST (claim_slot);
CREATE INDEX lease_claim_batches_deadline ON awa.lease_claim_batches (deadline_at, batch_id) WHERE deadline_at IS NOT NULL;
COMMENT ON TABLE awa.lease_claim_batches IS 'compact claims: the receipts of one claim on one lane and slot, batch_id up to batch_id + claimed_count - 1';
COMMENT ON COLUMN awa.lease_claim_batches.claim_slot IS 'slot of the claim ring';
COMMENT ON COLUMN awa.lease_claim_batches.ready_slot IS 'slot of the queue ring that holds the entries';
COMMENT ON COLUMN awa.lease_claim_batches.batch_id IS 'id of the batch and of its first receipt';
COMMENT ON COLUMN awa.lease_claim_batches.fence IS 'random; tells a receipt from one of the same number that a crash undid';
COMMENT ON COLUMN awa.lease_claim_batches.ready_generation IS 'generation of ready_slot when claimed';
COMMENT ON COLUMN awa.lease_claim_batches.claimed_at IS 'when';
COMMENT ON COLUMN awa.lease_claim_batches.deadline_at IS 'when the attempts are rescued; null = no deadline';
COMMENT ON COLUMN awa.lease_claim_batches.lane_id IS 'lane of the entries';
COMMENT ON COLUMN awa.lease_claim_batches.claimed_count IS 'length of the arrays';
COMMENT ON COLUMN awa.lease_claim_batches.job_ids IS 'jobs; the arrays run in parallel, member i has receipt batch_id + i';
COMMENT ON COLUMN awa.lease_claim_batches.run_leases IS 'run leases of the attempts';
COMMENT ON COLUMN awa.lease_claim_batches.lane_seqs IS 'positions of the entries';
COMMENT ON COLUMN awa.lease_claim_batches.attempts IS 'numbers of the attempts, 1 = first';
COMMENT ON COLUMN awa.lease_claim_batches.max_attempts IS 'attempts allowed';
COMMENT ON COLUMN awa.lease_claim_batches.receipt_ranges IS 'the receipts: one range';
COMMENT ON COLUMN awa.lease_claim_batches.keyed_receipts IS 'those of jobs that hold a unique key while they run; null = none';

CREATE TABLE awa.lease_claims (
    claim_slot       int NOT NULL,
    ready_slot       int NOT NULL,
    receipt_id       bigint NOT NULL,
    fence            bigint NOT NULL,
    job_id           bigint NOT NULL,
    run_lease        bigint NOT NULL,
    ready_generation bigint NOT NULL,
    lane_seq         bigint NOT NULL,
    deadline_at      timestamptz,
    claimed_at       timestamptz NOT NULL,
    lane_id          int NOT NULL,
    attempt          smallint NOT NULL,
    max_attempts     smallint NOT NULL,
    keyed            boolean NOT NULL DEFAULT false,
    PRIMARY KEY (claim_slot, receipt_id)
) PARTITION BY LIST (claim_slot);
CREATE INDEX lease_claims_deadline ON awa.lease_claims (deadline_at, job_id, run_lease) WHERE deadline_at IS NOT NULL;
COMMENT ON TABLE awa.lease_claims IS 'row-local claims: one receipt each, of claims of one job, and of jobs with a deadline of their own';
COMMENT ON COLUMN awa.lease_claims.claim_slot IS 'slot of the claim ring';
COMMENT ON COLUMN awa.lease_claims.ready_slot IS 'slot of the queue ring that holds the entry';
COMMENT ON COLUMN awa.lease_claims.receipt_id IS 'the receipt, and its batch id';
COMMENT ON COLUMN awa.lease_claims.fence IS 'random; tells a receipt from one of the same number that a crash undid';
COMMENT ON COLUMN awa.lease_claims.job_id IS 'the job';
COMMENT ON COLUMN awa.lease_claims.run_lease IS 'run lease of the attempt';
COMMENT ON COLUMN awa.lease_claims.ready_generation IS 'generation of ready_slot when claimed';
COMMENT ON COLUMN awa.lease_claims.lane_seq IS 'position of the entry';
COMMENT ON COLUMN awa.lease_claims.deadline_at IS 'when the attempt is rescued';
COMMENT ON COLUMN awa.lease_claims.claimed_at IS 'when';
COMMENT ON COLUMN awa.lease_claims.lane_id IS 'lane of the entry';
COMMENT ON COLUMN awa.lease_claims.attempt IS 'number of the attempt, 1 = first';
COMMENT ON COLUMN awa.lease_claims.max_attempts IS 'attempts allowed';
COMMENT ON COLUMN awa.lease_claims.keyed IS 'the job holds a unique key while it runs';

CREATE TABLE awa.lease_claim_closures (
    claim_slot int NOT NULL,
    ready_slot int NOT NULL,
    receipt_id bigint NOT NULL,
    job_id     bigint NOT NULL,
    run_lease  bigint NOT NULL,
    closed_at  timestamptz NOT NULL,
    outcome    text NOT NULL CHECK (outcome IN ('completed', 'retryable', 'scheduled', 'cancelled', 'failed', 'dead_letter',
        'released', 'rescued', 'deadline_expired', 'callback_timeout', 'materialized', 'deleted')),
    PRIMARY KEY (claim_slot, receipt_id)
) PARTITION BY LIST (claim_slot);
COMMENT ON TABLE awa.lease_claim_closures IS 'closures of row-local claims';
COMMENT ON COLUMN awa.lease_claim_closures.claim_slot IS 'slot of the claim ring that holds the claim';
COMMENT ON COLUMN awa.lease_claim_closures.ready_slot IS 'slot of the queue ring that holds the entry';
COMMENT ON COLUMN awa.lease_claim_closures.receipt_id IS 'receipt that is over';
COMMENT ON COLUMN awa.lease_claim_closures.job_id IS 'its job';
COMMENT ON COLUMN awa.lease_claim_closures.run_lease IS 'its run lease';
COMMENT ON COLUMN awa.lease_claim_closures.closed_at IS 'when';
COMMENT ON COLUMN awa.lease_claim_closures.outcome IS 'how';

CREATE TABLE awa.lease_claim_closure_batches (
    claim_slot       int NOT NULL,
    ready_slot       int NOT NULL,
    batch_id         bigint NOT NULL,
    claim_batch_id   bigint NOT NULL,
    ready_generation bigint NOT NULL,
    closed_at        timestamptz NOT NULL,
    closed_count     int NOT NULL CHECK (closed_count > 0),
    receipt_ranges   int8multirange NOT NULL,
    outcome          text NOT NULL CHECK (outcome IN ('completed', 'retryable', 'scheduled', 'cancelled', 'failed', 'dead_letter',
        'released', 'rescued', 'deadline_expired', 'callback_timeout', 'materialized', 'deleted')),
    PRIMARY KEY (claim_slot, batch_id)
) PARTITION BY LIST (claim_slot);
-- The closure of one receipt is found by its key: its batch_id is the receipt.
CREATE INDEX lease_claim_closure_batches_receipts ON awa.lease_claim_closure_batches USING gist (receipt_ranges)
    WHERE closed_count > 1;
COMMENT ON TABLE awa.lease_claim_closure_batches IS 'closures of compact claims: receipts of one claim batch that one call closed';
COMMENT ON COLUMN awa.lease_claim_closure_batches.claim_slot IS 'slot of the claim ring that holds the claim batch';
COMMENT ON COLUMN awa.lease_claim_closure_batches.ready_slot IS 'slot of the queue ring that holds the entries';
COMMENT ON COLUMN awa.lease_claim_closure_batches.batch_id IS 'the least of the receipts that are over';
COMMENT ON COLUMN awa.lease_claim_closure_batches.claim_batch_id IS 'claim batch the receipts are of';
COMMENT ON COLUMN awa.lease_claim_closure_batches.ready_generation IS 'generation of ready_slot when claimed';
COMMENT ON COLUMN awa.lease_claim_closure_batches.closed_at IS 'when';
COMMENT ON COLUMN awa.lease_claim_closure_batches.closed_count IS 'number of receipts in receipt_ranges';
COMMENT ON COLUMN awa.lease_claim_closure_batches.receipt_ranges IS 'receipts that are over';
COMMENT ON COLUMN awa.lease_claim_closure_batches.outcome IS 'how';

CREATE TABLE awa.lane_frontiers (
    claim_slot    int NOT NULL,
    lane_id       int NOT NULL,
    frontier_id   bigint NOT NULL,
    done_xmin     xid8 NOT NULL,
    done_xmax     xid8 NOT NULL,
    cur_xmin      xid8,
    cur_xmax      xid8,
    at_xid        xid8,
    at_seq        bigint,
    opened_at     timestamptz NOT NULL,
    claimed_total bigint NOT NULL,
    recheck       boolean NOT NULL,
    carried       boolean NOT NULL,
    done_xip      xid8[] NOT NULL,
    cur_xip       xid8[],
    PRIMARY KEY (claim_slot, lane_id, frontier_id)
) PARTITION BY LIST (claim_slot);
COMMENT ON TABLE awa.lane_frontiers IS 'hints: where the next claim on a lane goes on; the greatest frontier_id of a lane counts';
COMMENT ON COLUMN awa.lane_frontiers.claim_slot IS 'slot of the claim ring';
COMMENT ON COLUMN awa.lane_frontiers.lane_id IS 'the lane';
COMMENT ON COLUMN awa.lane_frontiers.frontier_id IS 'from receipt_seq, greater than every batch of the claims before and in this step';
COMMENT ON COLUMN awa.lane_frontiers.done_xmin IS 'snapshot dealt with: all smaller xids';
COMMENT ON COLUMN awa.lane_frontiers.done_xmax IS 'snapshot dealt with: no xid from here on';
COMMENT ON COLUMN awa.lane_frontiers.cur_xmin IS 'snapshot being worked through: all smaller xids; null = exhausted, the next claim cuts a new one';
COMMENT ON COLUMN awa.lane_frontiers.cur_xmax IS 'snapshot being worked through: no xid from here on';
COMMENT ON COLUMN awa.lane_frontiers.at_xid IS 'entries up to (at_xid, at_seq) in the window are dealt with; null = none yet';
COMMENT ON COLUMN awa.lane_frontiers.at_seq IS 'entries up to (at_xid, at_seq) in the window are dealt with';
COMMENT ON COLUMN awa.lane_frontiers.opened_at IS 'when the window was opened';
COMMENT ON COLUMN awa.lane_frontiers.claimed_total IS 'receipts handed out on the lane so far';
COMMENT ON COLUMN awa.lane_frontiers.recheck IS 'the window was rebuilt: each entry in it is tested against emission evidence';
COMMENT ON COLUMN awa.lane_frontiers.carried IS 'copied from a slot that was to be pruned';
COMMENT ON COLUMN awa.lane_frontiers.done_xip IS 'snapshot dealt with: not these xids, sorted';
COMMENT ON COLUMN awa.lane_frontiers.cur_xip IS 'snapshot being worked through: not these xids, sorted';
