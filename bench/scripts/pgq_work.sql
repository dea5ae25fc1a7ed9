-- One cycle of a consumer: it takes a batch, and acknowledges it as a whole, each committed by itself; the rows go to the client.
WITH batch AS MATERIALIZED (SELECT pgq.next_batch('@QUEUE@', 'bench') AS id) SELECT min(id) AS batch, count(*) AS events, array_agg(ev_id) AS ids, array_agg(ev_type) AS kinds, array_agg(ev_data) AS args FROM batch, pgq.get_batch_events(id) \gset
-- A batch of another size ends the run.
\set full 1 / case when :events = @BATCH@ then 1 else 0 end
SELECT pgq.finish_batch(:batch);
