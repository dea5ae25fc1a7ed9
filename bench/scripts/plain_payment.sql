\set payer @PAYER@
\set payee @PAYEE@
\set amount random(1, 100)
\set key random(1, 9000000000000000000)
INSERT INTO bench.payments (idempotency_key, from_account, to_account, amount, metadata) VALUES (:key, :payer, :payee, :amount, :one::jsonb) RETURNING id;
