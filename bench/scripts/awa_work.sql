-- One cycle of a worker: a claim and a completion, each committed by itself; the rows go to the client.
SELECT array_agg(receipt) AS receipts, array_agg(job_id) AS ids, array_agg(kind) AS kinds, array_agg(args) AS args FROM awa.claim('{@QUEUE@}', @BATCH@) \gset
SELECT awa.complete(:receipts::awa.receipt[]);
