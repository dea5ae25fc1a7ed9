-- Jobs come, are claimed and completed, each in a transaction of its own.
SELECT count(*) FROM awa.enqueue_many('@QUEUE@', 'bench', array_fill(:one::jsonb, ARRAY[@BATCH@]));
SELECT coalesce(array_agg(receipt), '{}') AS receipts, array_agg(job_id) AS ids, array_agg(kind) AS kinds, array_agg(args) AS args FROM awa.claim('{@QUEUE@}', @BATCH@) \gset
SELECT awa.complete(:receipts::awa.receipt[]);
