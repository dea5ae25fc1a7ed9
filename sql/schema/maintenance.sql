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
);
COMMENT ON TABLE awa.maintenance_state IS 'what maintenance did; written on change and at most once a minute';
COMMENT ON COLUMN awa.maintenance_state.duty IS 'name of the duty';
COMMENT ON COLUMN awa.maintenance_state.paused IS 'whether the duty is paused';
COMMENT ON COLUMN awa.maintenance_state.last_run IS 'when it last ran';
COMMENT ON COLUMN awa.maintenance_state.last_outcome IS 'what came of it';
COMMENT ON COLUMN awa.maintenance_state.last_duration IS 'how long it took';
COMMENT ON COLUMN awa.maintenance_state.affected_total IS 'rows or slots it dealt with, ever';
COMMENT ON COLUMN awa.maintenance_state.failures IS 'failures in a row';
COMMENT ON COLUMN awa.maintenance_state.last_error IS 'last error';
COMMENT ON COLUMN awa.maintenance_state.next_due IS 'when it is due next';
