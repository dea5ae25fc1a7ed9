\set payer @PAYER@
\set payee @PAYEE@
\set amount random(1, 100)
\set key random(1, 9000000000000000000)
SELECT transfer_id FROM awa_ledger.transfer(('[{"from": ' || :payer || ', "to": ' || :payee || ', "asset": 1, "amount": ' || :amount || '}]')::jsonb, :key, metadata => :one::jsonb);
