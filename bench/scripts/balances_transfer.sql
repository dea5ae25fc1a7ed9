\set payer @PAYER@
\set payee @PAYEE@
\set amount random(1, 100)
\set key random(1, 9000000000000000000)
SELECT bench.pay(:key, :payer, :payee, :amount, :one::jsonb);
