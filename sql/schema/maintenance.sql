CREATE TABLE awa.maintenance_state (
    duty           text PRIMARY KEY,
    paused         boolean NOT NULL DEFAULT false,
    last_run       timestamptz,
    last_outcome   text,
    last_duration  interval,
    affected_total bigint NOT NULL DEFAULT 0,
    failures       bigint NOT NULL DEFAULT 0,
    last_error     text,
    next_due       timestamptz
) WITH (fillfactor = 50);
COMMENT ON TABLE awa.maintenance_state IS
    'what duties of maintenance did; written when one begins to fail or recovers, else once a minute at most; not dumped';
COMMENT ON COLUMN awa.maintenance_state.duty IS 'name of the duty';
COMMENT ON COLUMN awa.maintenance_state.paused IS 'whether the duty is held';
COMMENT ON COLUMN awa.maintenance_state.last_run IS 'when it last ran';
COMMENT ON COLUMN awa.maintenance_state.last_outcome IS 'what came of it';
COMMENT ON COLUMN awa.maintenance_state.last_duration IS 'how long it took';
COMMENT ON COLUMN awa.maintenance_state.affected_total IS 'rows or slots it dealt with, ever';
COMMENT ON COLUMN awa.maintenance_state.failures IS 'failures in a row';
COMMENT ON COLUMN awa.maintenance_state.last_error IS 'last error';
COMMENT ON COLUMN awa.maintenance_state.next_due IS 'when it was to look again, as of last_run';
