-- A cycle of a worker; after so many that the queue has 1,000 jobs less, it gets 1,000. Starts with n = 0.
SELECT array_agg(receipt) AS receipts, array_agg(job_id) AS ids, array_agg(kind) AS kinds, array_agg(args) AS args FROM awa.claim('@QUEUES@', @BATCH@) \gset
SELECT awa.complete(:receipts::awa.receipt[]);
\set n :n + 1
\if :n * @BATCH@ % 1000 = 0
SELECT count(*) FROM awa.enqueue_many('@QUEUE@', 'bench', array_fill(:one::jsonb, ARRAY[1000]));
\endif
