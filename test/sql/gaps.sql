-- F-1: positions of a lane that never become an entry, since their transaction rolled back. Nothing has to know of them: what
-- comes behind them is claimed, wherever they lie, whatever happened to the entries beside them; and no slot waits for them.
\set home :DBNAME
CREATE DATABASE regress_awa_gaps;
\c regress_awa_gaps
SET client_min_messages = warning;
CREATE EXTENSION awa_ring;
SELECT awa.create_queue('gaps');
CREATE PROCEDURE gap(n int) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM awa.enqueue_many('gaps', 'gap', ARRAY(SELECT to_jsonb(i) FROM generate_series(1, n) i));
    ROLLBACK;
END $$;
CREATE PROCEDURE put(VARIADIC kinds text[]) LANGUAGE plpgsql AS $$
DECLARE
    kind text;
BEGIN
    FOREACH kind IN ARRAY kinds LOOP PERFORM awa.enqueue('gaps', kind); END LOOP;
    COMMIT;
END $$;
CREATE FUNCTION cancelled(kind text) RETURNS boolean LANGUAGE sql AS $$ SELECT awa.cancel(job_id) FROM awa.jobs j WHERE j.kind = cancelled.kind $$;
CREATE FUNCTION claimed(n int) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(kind, ' ') FROM awa.claim('{gaps}', n) $$;
-- at the very beginning, and the first entry is cancelled
CALL gap(3);
CALL put('a', 'b');
SELECT cancelled('a');
SELECT claimed(9), claimed(9);
-- … and it was the only one
CALL gap(1);
CALL put('c');
SELECT cancelled('c');
SELECT claimed(9);
CALL put('d');
SELECT claimed(9);
-- in the middle; many of them, whole blocks of positions
CALL put('e');
CALL gap(1);
CALL put('f');
CALL gap(200);
CALL put('g');
SELECT claimed(1), claimed(1), claimed(1), claimed(1);
-- in a savepoint, between entries of one transaction
BEGIN;
SELECT awa.enqueue('gaps', 'h') > 0 AS put;
SAVEPOINT a;
SELECT awa.enqueue('gaps', 'gap') > 0 AS put;
ROLLBACK TO a;
SELECT awa.enqueue('gaps', 'i') > 0 AS put;
COMMIT;
SELECT claimed(1), claimed(9);
-- the advance of the frontier is lost: what was handed out behind the gap is not handed out again
CALL gap(2);
CALL put('j', 'k');
SELECT claimed(1);
DELETE FROM awa.lane_frontiers f WHERE frontier_id = (SELECT max(frontier_id) FROM awa.lane_frontiers);
SELECT claimed(1), claimed(1);
CALL gap(2);
CALL put('l', 'm');
SELECT claimed(1);
DELETE FROM awa.lane_frontiers;
SELECT claimed(9);
-- on both sides of the boundary of two slots, and in a slot of their own
CALL put('n');
CALL gap(1);
CALL awa.rotate('queue');
CALL gap(1);
CALL put('o');
SELECT cancelled('n');
CALL awa.rotate('queue');
CALL gap(5);
CALL awa.rotate('queue');
CALL put('p');
SELECT claimed(1), claimed(1), claimed(1);
-- and they keep no slot from being emptied
SELECT * FROM awa.check();
SELECT awa.complete(ARRAY(SELECT receipt FROM awa.open_claims));
SET awa_ring.history_retention = 0;
CALL awa.rotate('queue');
CALL awa.rotate('claim');
CALL awa.prune('claim');
CALL awa.prune('queue');
SELECT ring, state, count(*) FROM awa.ring_status GROUP BY 1, 2 ORDER BY 1, 2;
\c :home
DROP DATABASE regress_awa_gaps;
