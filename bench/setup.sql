-- The contestants. bench.jobs is the usual SKIP LOCKED table: what waits and runs is in one table with an index for the
-- next job, what is over moves to a table of history.
CREATE EXTENSION awa_ring;
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
