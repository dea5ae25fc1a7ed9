-- The same cycle with one commit.
SELECT array_agg(receipt) AS receipts, array_agg(job_id) AS ids, array_agg(kind) AS kinds, array_agg(args) AS args FROM awa.complete_and_claim(:receipts::awa.receipt[], '{@QUEUE@}', @BATCH@) \gset
