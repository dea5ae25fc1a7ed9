-- What others do to our tables and how: indexes, triggers and rules of strangers, roles that maintain, cursors that fail.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
SELECT awa.create_queue('robust');

-- A stranger's index with another order is not taken for ours: jobs come in order.
CREATE INDEX stranger ON awa.ready_entries_0 (ready_slot, lane_id, xid DESC, lane_seq);
CREATE INDEX stranger_job ON awa.ready_entries_0 (job_id) INCLUDE (lane_id);
SELECT awa.enqueue('robust', 'k', to_jsonb(1)) IS NOT NULL AS enqueued;
SELECT awa.enqueue('robust', 'k', to_jsonb(2)) IS NOT NULL AS enqueued;
SELECT awa.enqueue('robust', 'k', to_jsonb(3)) IS NOT NULL AS enqueued;
SELECT array_agg(args) FROM awa.claim('{robust}', 2);
DROP INDEX awa.stranger, awa.stranger_job;

-- More indexes than anybody needs are kept up.
SELECT format('CREATE INDEX stranger_%s ON awa.ready_entries_0 (lane_seq, job_id)', i) FROM generate_series(1, 10) i \gexec
SELECT awa.enqueue('robust', 'k', to_jsonb(4)) IS NOT NULL AS enqueued;
REINDEX TABLE CONCURRENTLY awa.ready_entries_0;
SELECT awa.enqueue('robust', 'k', to_jsonb(5)) IS NOT NULL AS enqueued;
SELECT array_agg(args) FROM awa.claim('{robust}', 3);
SELECT format('DROP INDEX awa.stranger_%s', i) FROM generate_series(1, 10) i \gexec

-- What the direct writer would pass by is refused.
CREATE FUNCTION stranger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER stranger BEFORE INSERT ON awa.ready_entries_0 FOR EACH ROW EXECUTE FUNCTION stranger();
SELECT awa.enqueue('robust', 'k');
DROP TRIGGER stranger ON awa.ready_entries_0;
CREATE RULE stranger AS ON INSERT TO awa.ready_entries_0 DO INSTEAD NOTHING;
SELECT awa.enqueue('robust', 'k');
DROP RULE stranger ON awa.ready_entries_0;
SELECT awa.enqueue('robust', 'k') IS NOT NULL AS enqueued;
CREATE INDEX stranger ON awa.queues (queue) WHERE paused_at IS NOT NULL;
REINDEX INDEX CONCURRENTLY awa.queues_queue_key;
SELECT awa.enqueue('robust', 'k') IS NOT NULL AS enqueued;
DROP INDEX awa.stranger;
-- So is what statements on the partitioned table would meet, and a predicate that runs code of strangers.
CREATE TRIGGER stranger AFTER INSERT ON awa.ready_entries FOR EACH STATEMENT EXECUTE FUNCTION stranger();
SELECT awa.enqueue('robust', 'k');
DROP TRIGGER stranger ON awa.ready_entries;
CREATE RULE stranger AS ON INSERT TO awa.ready_entries DO ALSO NOTHING;
SELECT awa.enqueue('robust', 'k');
DROP RULE stranger ON awa.ready_entries;
ALTER TABLE awa.ready_entries ENABLE ROW LEVEL SECURITY;
SELECT awa.enqueue('robust', 'k');
ALTER TABLE awa.ready_entries DISABLE ROW LEVEL SECURITY;
CREATE FUNCTION predicate(bigint) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1 > 0; END';
CREATE INDEX stranger ON awa.ready_entries_0 (job_id) WHERE predicate(job_id);
SELECT awa.enqueue('robust', 'k');
DROP INDEX awa.stranger;
CREATE INDEX stranger ON awa.ready_entries_0 (job_id) WHERE job_id % 2 = 0 AND kind LIKE 'k%';
SELECT array_length(awa.enqueue_many('robust', 'k', '{1,2,3,4}'), 1);
SET enable_seqscan = off; SET enable_indexscan = on; SET enable_bitmapscan = off;
SELECT count(*) = (SELECT count(*) FROM awa.ready_entries_0 WHERE job_id + 0 > 0 AND (job_id + 0) % 2 = 0) AS all_in_the_index
FROM awa.ready_entries_0 WHERE job_id % 2 = 0 AND kind LIKE 'k%';
RESET enable_seqscan; RESET enable_indexscan; RESET enable_bitmapscan;
DROP INDEX awa.stranger;
DROP FUNCTION predicate(bigint);
-- So is a constraint of a stranger, and one of ours that is missing; and a key that is none.
ALTER TABLE awa.ready_entries ADD CONSTRAINT stranger CHECK (kind <> 'x');
SELECT awa.enqueue('robust', 'x');
ALTER TABLE awa.ready_entries DROP CONSTRAINT stranger;
BEGIN;
ALTER TABLE awa.deferred_jobs DROP CONSTRAINT deferred_jobs_shard_check;
SELECT awa.enqueue('robust', 'k', run_at => now() + interval '1 h');
ROLLBACK;
BEGIN;
ALTER TABLE awa.job_unique_claims DROP CONSTRAINT job_unique_claims_pkey;
CREATE INDEX ON awa.job_unique_claims (queue_id, unique_key);
SELECT awa.enqueue('robust', 'k', unique_key => 'k');
ROLLBACK;
ALTER TABLE awa.ready_entries ADD COLUMN stranger int;
SELECT awa.enqueue('robust', 'k');
ALTER TABLE awa.ready_entries DROP COLUMN stranger;
SELECT awa.enqueue('robust', 'k');
DROP FUNCTION stranger();

-- An admin who owns nothing turns and empties the rings.
DROP EXTENSION awa_ring;
CREATE EXTENSION awa_ring;
SELECT awa.create_queue('robust');
SELECT awa.enqueue('robust', 'k') IS NOT NULL AS enqueued;
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.claim('{robust}', 1)));
CREATE ROLE regress_awa_maintainer;
SELECT awa.grant_admin('regress_awa_maintainer');
SET awa_ring.history_retention = 0;
SET ROLE regress_awa_maintainer;
CALL awa.rotate('queue');
CALL awa.rotate('claim');
CALL awa.prune('claim');
CALL awa.prune('queue');
CALL awa.after_restore();
SELECT current_user;
RESET ROLE;
SELECT awa.revoke_all('regress_awa_maintainer');
DROP ROLE regress_awa_maintainer;

-- What a predicate is called depends on settings; what it is does not.
SET quote_all_identifiers = on;
SELECT awa.enqueue('robust', 'k') IS NOT NULL AS enqueued;
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.claim('{robust}', 1)));
RESET quote_all_identifiers;

-- Progress that stays is not written again.
SELECT awa.enqueue('robust', 'k') IS NOT NULL AS enqueued;
SELECT receipt FROM awa.claim('{robust}', 1) \gset
SELECT state FROM awa.heartbeat(ARRAY[:'receipt'::awa.receipt], ARRAY(SELECT to_jsonb(string_agg(md5(i::text), '')) FROM generate_series(1, 20000) i));
SELECT pg_total_relation_size('awa.attempt_state') AS size \gset
SELECT count(state) FROM generate_series(1, 20) CROSS JOIN LATERAL awa.heartbeat(ARRAY[:'receipt'::awa.receipt]);
SELECT pg_total_relation_size('awa.attempt_state') - :size < 100000 AS same_size, length(progress #>> '{}') FROM awa.attempt_state;
SELECT awa.complete(ARRAY[:'receipt'::awa.receipt]);

-- Locks of this transaction on rows of ours keep it from nothing.
SELECT awa.enqueue('robust', 'k') IS NOT NULL AS enqueued;
SELECT receipt FROM awa.claim('{robust}', 1) \gset
SELECT state FROM awa.heartbeat(ARRAY[:'receipt'::awa.receipt]);
BEGIN;
SELECT count(*) FROM (SELECT FROM awa.attempt_state FOR KEY SHARE) s;
SELECT state FROM awa.heartbeat(ARRAY[:'receipt'::awa.receipt]);
SELECT count(*) FROM (SELECT FROM awa.attempt_state FOR UPDATE) s;
SELECT state FROM awa.heartbeat(ARRAY[:'receipt'::awa.receipt], '{1}');
SELECT awa.complete(ARRAY[:'receipt'::awa.receipt]);
COMMIT;

-- Rows much larger than a page, many in a call.
SELECT cardinality(awa.enqueue_many('robust', 'large', array_agg(to_jsonb(repeat(md5(i::text), 20000))))) FROM generate_series(1, 30) i;
SELECT count(*), min(length(args #>> '{}')) FROM awa.claim('{robust}', 100);
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.open_claims));

-- A cursor that fails inside a savepoint takes none of the locks along that protect what was claimed before it.
SELECT cardinality(awa.enqueue_many('robust', 'k', '{1,2}'::jsonb[])) AS enqueued;
BEGIN;
DECLARE claims CURSOR FOR SELECT args, 1 / (2 - row_number() OVER ()) FROM awa.claim('{robust}', 2);
FETCH 1 FROM claims;
SAVEPOINT before;
FETCH 1 FROM claims;
ROLLBACK TO before;
SELECT count(*) AS lanes FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory' AND objsubid = 101;
COMMIT;

-- What a claim needs before it has looked at anything may be gone: it says so.
SELECT awa.enqueue('robust', 'k') IS NOT NULL AS enqueued;
ALTER SEQUENCE awa.queue_ring_generation RENAME TO lost_generation;
SELECT count(*) FROM awa.claim('{robust}', 1);
ALTER SEQUENCE awa.lost_generation RENAME TO queue_ring_generation;
SELECT count(*) FROM awa.claim('{robust}', 1);

-- The row type of a claim may be altered: then nothing is claimed.
SELECT awa.enqueue('robust', 'k') IS NOT NULL AS enqueued;
BEGIN;
ALTER TYPE awa.claimed_job ADD ATTRIBUTE extra text;
SELECT job_id FROM awa.claim('{robust}', 1);
ROLLBACK;
BEGIN;
ALTER TYPE awa.claimed_job ALTER ATTRIBUTE priority TYPE text;
SELECT job_id FROM awa.complete_and_claim('{}', '{robust}', 1);
ROLLBACK;
SELECT count(*) FROM awa.claim('{robust}', 1);

-- A leaf that this session saw empty is looked at again after a restore, also where that brought no number of the ring along.
SELECT count(*) FROM awa.claim('{robust}', 1);
INSERT INTO awa.ready_entries_9
SELECT (jsonb_populate_record(e, '{"ready_slot": 9, "lane_seq": 1000000, "job_id": 1000000}')).* FROM awa.ready_entries e LIMIT 1;
CALL awa.after_restore();
SELECT job_id FROM awa.claim('{robust}', 10);
SELECT * FROM awa.check();
DROP EXTENSION awa_ring;
