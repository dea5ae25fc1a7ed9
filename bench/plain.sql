-- The physical reference: the same rows as ours, into tables with the same two indexes, without any of the work around them.
CREATE SEQUENCE bench.seq CACHE 32;
CREATE TABLE bench.plain_single (LIKE awa.ready_entries_0 INCLUDING INDEXES);
ALTER TABLE bench.plain_single
    ALTER ready_slot SET DEFAULT 0, ALTER lane_id SET DEFAULT 320, ALTER xid SET DEFAULT pg_current_xact_id(),
    ALTER lane_seq SET DEFAULT nextval('bench.seq'), ALTER job_id SET DEFAULT currval('bench.seq'), ALTER run_lease SET DEFAULT 0,
    ALTER run_at SET DEFAULT now(), ALTER created_at SET DEFAULT now(), ALTER attempt SET DEFAULT 0, ALTER max_attempts SET DEFAULT 25;
CREATE TABLE bench.plain_copied (LIKE bench.plain_single INCLUDING DEFAULTS INCLUDING INDEXES);
CREATE TABLE bench.plain_inserted (LIKE bench.plain_single INCLUDING DEFAULTS INCLUDING INDEXES);
