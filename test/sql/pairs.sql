-- Every ordered pair of the ways in which an attempt ends, one after the other, for each shape of its claim: one outcome,
-- one closure, and who comes second is told. A heartbeat after each tells the truth.
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS awa_ring;
CREATE EXTENSION awa_ring;
SELECT awa.create_queue('pairs', max_attempts => 3);
CREATE FUNCTION pg_temp.act(verb text, receipt awa.receipt) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE verb
        WHEN 'complete' THEN CASE WHEN awa.complete_one(receipt) THEN 'won' ELSE 'stale' END
        WHEN 'fail' THEN CASE awa.fail(receipt, 'failed', '1 h') WHEN 'retryable' THEN 'won' ELSE 'stale' END
        WHEN 'snooze' THEN CASE WHEN awa.snooze(receipt, '1 h') THEN 'won' ELSE 'stale' END
        WHEN 'release' THEN CASE WHEN awa.release(receipt) THEN 'won' ELSE 'stale' END
        WHEN 'cancel' THEN CASE WHEN awa.cancel(split_part(receipt::text, ':', 4)::bigint) THEN 'won' ELSE 'stale' END
        WHEN 'wait_external' THEN coalesce(left(awa.wait_external(receipt, '1 h')::text, 0) || 'won', 'stale')
    END;
END $$;
CREATE FUNCTION pg_temp.beat(receipt awa.receipt) RETURNS text LANGUAGE sql VOLATILE AS 'SELECT b.state FROM awa.heartbeat(ARRAY[receipt]) b';
CREATE TEMP TABLE seen (shape text, first text, second text, said_first text, beat_first text, said_second text, beat_second text, state text, receipt text, outcome text, attempt int, closures int, places int);
CREATE FUNCTION pg_temp.closures(r awa.receipt) RETURNS int LANGUAGE sql STABLE AS $$
    SELECT ((SELECT count(*) FROM awa.lease_claim_closure_batches x WHERE x.claim_batch_id = split_part(r::text, ':', 2)::bigint AND x.receipt_ranges @> split_part(r::text, ':', 3)::bigint)
          + (SELECT count(*) FROM awa.lease_claim_closures x WHERE x.receipt_id = split_part(r::text, ':', 3)::bigint))::int
$$;
CREATE PROCEDURE pg_temp.run(shapes text[], verbs text[]) LANGUAGE plpgsql AS $$
DECLARE
    this seen;
    r awa.receipt;
    ids bigint[];
BEGIN
    FOREACH this.shape IN ARRAY shapes LOOP
        FOREACH this.first IN ARRAY verbs LOOP
            FOREACH this.second IN ARRAY verbs LOOP
                ids := ARRAY(SELECT awa.enqueue('pairs', 'k', deadline => CASE this.shape WHEN 'own deadline' THEN '1 h'::interval END) FROM generate_series(1, CASE this.shape WHEN 'batch' THEN 3 ELSE 1 END));
                COMMIT;
                -- of a batch of three the one in the middle
                SELECT c.receipt INTO r FROM (SELECT * FROM awa.claim('{pairs}', 3)) c ORDER BY job_id OFFSET CASE this.shape WHEN 'batch' THEN 1 ELSE 0 END LIMIT 1;
                COMMIT;
                IF this.shape = 'lease' THEN
                    -- as an eviction leaves it: running, outside the rings
                    PERFORM awa.wait_external(r, '1 h');
                    UPDATE awa.leases SET state = 'running', callback_id = NULL, callback_timeout_at = NULL;
                    COMMIT;
                END IF;
                this.said_first := pg_temp.act(this.first, r);
                COMMIT;
                this.beat_first := pg_temp.beat(r);
                COMMIT;
                this.said_second := pg_temp.act(this.second, r);
                COMMIT;
                this.beat_second := pg_temp.beat(r);
                COMMIT;
                SELECT string_agg(j.state, ', '), max(j.attempt), count(*) INTO this.state, this.attempt, this.places
                FROM awa.jobs j WHERE j.job_id = split_part(r::text, ':', 4)::bigint;
                SELECT s.state, s.outcome, pg_temp.closures(r) INTO this.receipt, this.outcome, this.closures FROM awa.receipt_state(r) s;
                INSERT INTO seen SELECT this.*;
                PERFORM awa.cancel_many(ids);
                COMMIT;
            END LOOP;
        END LOOP;
    END LOOP;
END $$;
CALL pg_temp.run('{batch,alone,own deadline,lease}', '{complete,fail,snooze,release,cancel,wait_external}');
-- the shape of a claim changes nothing of it
SELECT first, second, said_first, beat_first, said_second, beat_second, state, receipt, attempt, closures, places, string_agg(shape, ', ' ORDER BY shape) AS shapes
FROM seen GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 ORDER BY array_position('{complete,fail,snooze,release,cancel,wait_external}', first), array_position('{complete,fail,snooze,release,cancel,wait_external}', second);
-- what a closure says of it; of what went on outside the rings only history can tell
SELECT DISTINCT first, second, outcome FROM seen WHERE shape <> 'lease' ORDER BY 1, 2;
SELECT count(*) AS violations FROM awa.check();
