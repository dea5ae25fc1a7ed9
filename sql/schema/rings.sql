-- State of the three rings. Cold: these rows are lock targets and change when a ring turns or is pruned, never on the
-- hot path. Generations live in sequences (sequences.sql).

CREATE TABLE awa.queue_ring_state (singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton), slot_count int NOT NULL CHECK (slot_count = 16));
CREATE TABLE awa.lease_ring_state (singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton), slot_count int NOT NULL CHECK (slot_count = 8));
CREATE TABLE awa.claim_ring_state (singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton), slot_count int NOT NULL CHECK (slot_count = 8));
COMMENT ON TABLE awa.queue_ring_state IS 'the queue ring: one row, locked by rotation and prune';
COMMENT ON TABLE awa.lease_ring_state IS 'the lease ring: one row, locked by rotation and prune';
COMMENT ON TABLE awa.claim_ring_state IS 'the claim ring: one row, locked by rotation and prune';
COMMENT ON COLUMN awa.queue_ring_state.singleton IS 'always true: there is one row';
COMMENT ON COLUMN awa.lease_ring_state.singleton IS 'always true: there is one row';
COMMENT ON COLUMN awa.claim_ring_state.singleton IS 'always true: there is one row';
COMMENT ON COLUMN awa.queue_ring_state.slot_count IS 'slots of the ring; a constant of the program';
COMMENT ON COLUMN awa.lease_ring_state.slot_count IS 'slots of the ring; a constant of the program';
COMMENT ON COLUMN awa.claim_ring_state.slot_count IS 'slots of the ring; a constant of the program';

CREATE TABLE awa.queue_ring_slots (
    slot        int PRIMARY KEY CHECK (slot BETWEEN 0 AND 15),
    generation  bigint CHECK (generation % 16 = slot),
    opened_at   timestamptz,
    sealed_at   timestamptz,
    sealed_xid  xid8,
    drained     boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE awa.queue_ring_slots IS 'slots of the queue ring';
COMMENT ON COLUMN awa.queue_ring_slots.slot IS 'partition number of ready_entries and what belongs to it';
COMMENT ON COLUMN awa.queue_ring_slots.generation IS 'generation the slot was last opened for; null = never, or lost by a restore: then it comes from the content';
COMMENT ON COLUMN awa.queue_ring_slots.opened_at IS 'when the slot was opened for what it holds; null = never, or it was emptied since';
COMMENT ON COLUMN awa.queue_ring_slots.sealed_at IS 'when the ring turned away from the slot; null = current, empty, or its seal was lost';
COMMENT ON COLUMN awa.queue_ring_slots.sealed_xid IS 'every entry of the slot has a smaller xid; null = the slot may hold anything';
COMMENT ON COLUMN awa.queue_ring_slots.drained IS 'proven to hold nothing a claim could want: claims do not read the slot';

CREATE TABLE awa.lease_ring_slots (
    slot        int PRIMARY KEY CHECK (slot BETWEEN 0 AND 7),
    generation  bigint CHECK (generation % 8 = slot),
    opened_at   timestamptz,
    sealed_at   timestamptz
);
COMMENT ON TABLE awa.lease_ring_slots IS 'slots of the lease ring';
COMMENT ON COLUMN awa.lease_ring_slots.slot IS 'partition number of leases';
COMMENT ON COLUMN awa.lease_ring_slots.generation IS 'generation the slot was last opened for; null = never, or lost by a restore';
COMMENT ON COLUMN awa.lease_ring_slots.opened_at IS 'when the slot was opened for what it holds; null = never, or it was emptied since';
COMMENT ON COLUMN awa.lease_ring_slots.sealed_at IS 'when the ring turned away from the slot';

CREATE TABLE awa.claim_ring_slots (
    slot                              int PRIMARY KEY CHECK (slot BETWEEN 0 AND 7),
    generation                        bigint CHECK (generation % 8 = slot),
    opened_at                         timestamptz,
    sealed_at                         timestamptz,
    rescue_cursor_batch_id            bigint NOT NULL DEFAULT 0,
    deadline_cursor_deadline_at       timestamptz NOT NULL DEFAULT '-infinity',
    deadline_cursor_job_id            bigint NOT NULL DEFAULT 0,
    deadline_cursor_run_lease         bigint NOT NULL DEFAULT 0,
    batch_deadline_cursor_deadline_at timestamptz NOT NULL DEFAULT '-infinity',
    batch_deadline_cursor_batch_id    bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE awa.claim_ring_slots IS 'slots of the claim ring, with the cursors of the rescue sweeps';
COMMENT ON COLUMN awa.claim_ring_slots.slot IS 'partition number of lease_claim_batches and what belongs to it';
COMMENT ON COLUMN awa.claim_ring_slots.generation IS 'generation the slot was last opened for; null = never, or lost by a restore';
COMMENT ON COLUMN awa.claim_ring_slots.opened_at IS 'when the slot was opened for what it holds; null = never, or it was emptied since';
COMMENT ON COLUMN awa.claim_ring_slots.sealed_at IS 'when the ring turned away from the slot';
COMMENT ON COLUMN awa.claim_ring_slots.rescue_cursor_batch_id IS 'stale sweep: position, by claim batch or row-local claim';
COMMENT ON COLUMN awa.claim_ring_slots.deadline_cursor_deadline_at IS 'deadline sweep of row-local claims: position, by deadline';
COMMENT ON COLUMN awa.claim_ring_slots.deadline_cursor_job_id IS 'deadline sweep of row-local claims: position, by job within a deadline';
COMMENT ON COLUMN awa.claim_ring_slots.deadline_cursor_run_lease IS 'deadline sweep of row-local claims: position, by run lease within a job';
COMMENT ON COLUMN awa.claim_ring_slots.batch_deadline_cursor_deadline_at IS 'deadline sweep of compact claims: position, by deadline';
COMMENT ON COLUMN awa.claim_ring_slots.batch_deadline_cursor_batch_id IS 'deadline sweep of compact claims: position, by batch within a deadline';

INSERT INTO awa.queue_ring_state (slot_count) VALUES (16);
INSERT INTO awa.lease_ring_state (slot_count) VALUES (8);
INSERT INTO awa.claim_ring_state (slot_count) VALUES (8);
INSERT INTO awa.queue_ring_slots (slot, generation, opened_at)
    SELECT s, CASE s WHEN 0 THEN 0 END, CASE s WHEN 0 THEN clock_timestamp() END FROM generate_series(0, 15) s;
INSERT INTO awa.lease_ring_slots (slot, generation, opened_at)
    SELECT s, CASE s WHEN 0 THEN 0 END, CASE s WHEN 0 THEN clock_timestamp() END FROM generate_series(0, 7) s;
INSERT INTO awa.claim_ring_slots (slot, generation, opened_at)
    SELECT s, CASE s WHEN 0 THEN 0 END, CASE s WHEN 0 THEN clock_timestamp() END FROM generate_series(0, 7) s;
