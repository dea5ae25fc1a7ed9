-- The contestants. bench.jobs is the usual SKIP LOCKED table: what waits and runs is in one table with an index for the
-- next job, what is over moves to a table of history.
CREATE EXTENSION awa_ring;
SELECT count(awa.create_queue(q)) FROM unnest('{work_1,work_128,work_1x8,work_16x8,cycle_1,single,many}'::text[]) q;
-- As after some hours of work: the rings have gone round, every slot was in use and is empty again.
SET awa_ring.history_retention = 0;
DO $$ DECLARE outcome text; BEGIN
    PERFORM awa.create_queue('turns');
    FOR turn IN 1 .. 17 LOOP
        PERFORM awa.enqueue('turns', 'turn'); COMMIT;
        PERFORM awa.complete(ARRAY(SELECT receipt FROM awa.claim('{turns}'))); COMMIT;
        CALL awa.rotate('queue', outcome);
        CALL awa.rotate('claim', outcome);
        CALL awa.prune('claim', outcome);
        CALL awa.prune('queue', outcome);
    END LOOP;
END $$;
RESET awa_ring.history_retention;
CREATE SCHEMA bench;
CREATE TABLE bench.jobs (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue        text COLLATE "C" NOT NULL,
    priority     smallint NOT NULL DEFAULT 2,
    state        text COLLATE "C" NOT NULL DEFAULT 'available',
    kind         text COLLATE "C" NOT NULL,
    args         jsonb NOT NULL,
    attempt      smallint NOT NULL DEFAULT 0,
    max_attempts smallint NOT NULL DEFAULT 25,
    run_at       timestamptz NOT NULL DEFAULT now(),
    created_at   timestamptz NOT NULL DEFAULT now(),
    claimed_at   timestamptz
);
CREATE INDEX jobs_next ON bench.jobs (queue, priority, run_at, id) WHERE state = 'available';
CREATE TABLE bench.history (
    id           bigint PRIMARY KEY,
    queue        text COLLATE "C" NOT NULL,
    priority     smallint NOT NULL,
    state        text COLLATE "C" NOT NULL,
    kind         text COLLATE "C" NOT NULL,
    args         jsonb NOT NULL,
    attempt      smallint NOT NULL,
    max_attempts smallint NOT NULL,
    run_at       timestamptz NOT NULL,
    created_at   timestamptz NOT NULL,
    claimed_at   timestamptz,
    finished_at  timestamptz NOT NULL
);
-- The physical reference: the same rows as ours, into tables with the same two indexes, without any of the work around them.
CREATE SEQUENCE bench.seq CACHE 32;
CREATE TABLE bench.plain_single (LIKE awa.ready_entries_0 INCLUDING INDEXES);
ALTER TABLE bench.plain_single
    ALTER ready_slot SET DEFAULT 0, ALTER lane_id SET DEFAULT 320, ALTER xid SET DEFAULT pg_current_xact_id(),
    ALTER lane_seq SET DEFAULT nextval('bench.seq'), ALTER job_id SET DEFAULT currval('bench.seq'), ALTER run_lease SET DEFAULT 0,
    ALTER run_at SET DEFAULT now(), ALTER created_at SET DEFAULT now(), ALTER attempt SET DEFAULT 0, ALTER max_attempts SET DEFAULT 25;
CREATE TABLE bench.plain_copied (LIKE bench.plain_single INCLUDING DEFAULTS INCLUDING INDEXES);
CREATE TABLE bench.plain_inserted (LIKE bench.plain_single INCLUDING DEFAULTS INCLUDING INDEXES);
