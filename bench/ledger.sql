-- What ledger cells are measured beside. payments is a log of payments, one row each; balances is the ledger that is usually
-- written: a row an account, updated in place, and an entry.
CREATE TABLE bench.payments (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    idempotency_key text COLLATE "C" NOT NULL UNIQUE,
    from_account    bigint NOT NULL,
    to_account      bigint NOT NULL,
    amount          bigint NOT NULL,
    metadata        jsonb NOT NULL DEFAULT '{}',
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE bench.entries (LIKE bench.payments INCLUDING ALL);
CREATE TABLE bench.balances (
    account bigint PRIMARY KEY,
    balance bigint NOT NULL CHECK (balance >= 0)
) WITH (fillfactor = 50);

-- Both rows are locked in the order of their accounts, so that payments back and forth do not deadlock.
CREATE FUNCTION bench.pay(idempotency_key text, payer bigint, payee bigint, amount bigint, metadata jsonb) RETURNS bigint
    LANGUAGE plpgsql AS $$
DECLARE
    entry bigint;
BEGIN
    INSERT INTO bench.entries (idempotency_key, from_account, to_account, amount, metadata)
    VALUES (pay.idempotency_key, payer, payee, pay.amount, pay.metadata) RETURNING id INTO entry;
    IF payer < payee THEN
        UPDATE bench.balances SET balance = balance - pay.amount WHERE account = payer;
        UPDATE bench.balances SET balance = balance + pay.amount WHERE account = payee;
    ELSE
        UPDATE bench.balances SET balance = balance + pay.amount WHERE account = payee;
        UPDATE bench.balances SET balance = balance - pay.amount WHERE account = payer;
    END IF;
    RETURN entry;
END $$;

-- Accounts 1 to 1000 are the spread ones, 2001 and 2002 the hot ones, 0 is the outside world.
SELECT awa_ledger.create_asset(1, 'BENCH', 2);
SELECT count(awa_ledger.create_account(n)) FROM generate_series(0, 1000) n;
SELECT awa_ledger.create_account(2001), awa_ledger.create_account(2002);
SELECT awa_ledger.set_limits(0, 0, 1, floor => NULL);
SELECT transfer_id
FROM awa_ledger.transfer((SELECT jsonb_agg(jsonb_build_object('from', 0, 'to', n, 'asset', 1, 'amount', 1000000000)) FROM generate_series(1, 1000) n));
SELECT transfer_id FROM awa_ledger.transfer('[{"from": 0, "to": 2001, "asset": 1, "amount": 1000000000000}]');
INSERT INTO bench.balances SELECT n, 1000000000 FROM generate_series(1, 1000) n;
INSERT INTO bench.balances VALUES (2001, 1000000000000), (2002, 0);

-- The table and the index of live postings, for the usual way to name 500 of them.
CREATE TABLE bench.or_chain (
    transfer_id bigint NOT NULL,
    idx         int NOT NULL,
    asset       int NOT NULL,
    account     bigint NOT NULL,
    subaccount  bigint NOT NULL,
    value       bigint NOT NULL,
    reservation bigint,
    PRIMARY KEY (transfer_id, idx)
) WITH (fillfactor = 70);
