CREATE TABLE awa.queues (
    queue_id              int PRIMARY KEY CHECK (queue_id BETWEEN 1 AND 8388607),
    queue                 text COLLATE "C" NOT NULL CHECK (octet_length(queue) BETWEEN 1 AND 200),
    enqueue_shards        int NOT NULL DEFAULT 1 CHECK (enqueue_shards BETWEEN 1 AND 64),
    shards_used           int NOT NULL DEFAULT 1 CHECK (shards_used BETWEEN enqueue_shards AND 64),
    max_attempts          int NOT NULL DEFAULT 25 CHECK (max_attempts BETWEEN 1 AND 1000),
    deadline              interval,
    stale_after           interval NOT NULL DEFAULT '90 s',
    aging                 interval,
    backoff_base          interval NOT NULL DEFAULT '1 s',
    backoff_cap           interval NOT NULL DEFAULT '24 h',
    dead_letter           boolean NOT NULL DEFAULT false,
    notify                boolean NOT NULL DEFAULT false,
    failed_retention      interval NOT NULL DEFAULT '72 h',
    dead_letter_retention interval NOT NULL DEFAULT '30 d',
    paused_at             timestamptz,
    created_at            timestamptz NOT NULL DEFAULT clock_timestamp(),
    dropped_at            timestamptz
);
CREATE UNIQUE INDEX queues_queue_key ON awa.queues (queue) WHERE dropped_at IS NULL;

COMMENT ON TABLE awa.queues IS 'queues and their settings; a dropped queue keeps its row, so that its history stays readable';
COMMENT ON COLUMN awa.queues.queue_id IS 'from queue_seq, never reused; lane_id = queue_id * 256 + (priority - 1) * 64 + shard';
COMMENT ON COLUMN awa.queues.queue IS 'name, 1 to 200 bytes, unique among queues that are not dropped';
COMMENT ON COLUMN awa.queues.enqueue_shards IS 'lanes a priority is spread over by new jobs, 1..64';
COMMENT ON COLUMN awa.queues.shards_used IS 'the greatest enqueue_shards the queue ever had; claims look at as many, so lowering hides nothing';
COMMENT ON COLUMN awa.queues.max_attempts IS 'attempts a job gets unless it says otherwise, 1..1000';
COMMENT ON COLUMN awa.queues.deadline IS 'time an attempt may take before it is rescued; null = none';
COMMENT ON COLUMN awa.queues.stale_after IS 'time without heartbeat after which an attempt is rescued';
COMMENT ON COLUMN awa.queues.aging IS 'waiting time that raises a job by one priority when claimed; null = none';
COMMENT ON COLUMN awa.queues.backoff_base IS 'delay before the second attempt; doubles with each attempt';
COMMENT ON COLUMN awa.queues.backoff_cap IS 'greatest delay between attempts';
COMMENT ON COLUMN awa.queues.dead_letter IS 'whether exhausted jobs become dead letters instead of failed history';
COMMENT ON COLUMN awa.queues.notify IS 'whether enqueueing sends a NOTIFY on the queue''s channel';
COMMENT ON COLUMN awa.queues.failed_retention IS 'least time failed jobs stay readable';
COMMENT ON COLUMN awa.queues.dead_letter_retention IS 'time dead letters are kept';
COMMENT ON COLUMN awa.queues.paused_at IS 'since when claims return nothing; null = not paused';
COMMENT ON COLUMN awa.queues.created_at IS 'when the queue was created';
COMMENT ON COLUMN awa.queues.dropped_at IS 'when the queue was dropped; null = in use';

-- Sessions remember queues: whoever changes one, by whatever way, tells them.
CREATE FUNCTION awa.queues_changed() RETURNS trigger LANGUAGE c AS 'MODULE_PATHNAME', 'awa_queues_changed';
COMMENT ON FUNCTION awa.queues_changed() IS 'trigger: what sessions remember of queues is to be read anew';
CREATE TRIGGER queues_changed AFTER INSERT OR UPDATE OR DELETE ON awa.queues
    FOR EACH ROW EXECUTE FUNCTION awa.queues_changed();
CREATE TRIGGER queues_emptied AFTER TRUNCATE ON awa.queues
    FOR EACH STATEMENT EXECUTE FUNCTION awa.queues_changed();
ALTER TABLE awa.queues ENABLE ALWAYS TRIGGER queues_changed;
ALTER TABLE awa.queues ENABLE ALWAYS TRIGGER queues_emptied;
