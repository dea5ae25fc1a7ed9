-- PgQ, and what fills its queues for the cells in which batches are taken. Events may be put into its current table directly; each
-- batch is of one transaction and ends with a tick of the next one, so that it has exactly so many events.
CREATE EXTENSION pgq;
CREATE PROCEDURE bench.fill_pgq(queue text, batch int, batches int, one text) LANGUAGE plpgsql AS $$
DECLARE
    target text := pgq.current_event_table(queue);
BEGIN
    FOR i IN 1 .. batches LOOP
        EXECUTE format('INSERT INTO %s (ev_time, ev_type, ev_data) SELECT now(), %L, $1 FROM generate_series(1, $2)', target, 'bench')
            USING one, batch;
        COMMIT;
        PERFORM pgq.ticker(queue);
        COMMIT;
    END LOOP;
END $$;
