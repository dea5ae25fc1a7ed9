-- Hot: what is at work now. All of it can be made again from the truth, see rebuild.sql; nothing is decided by it alone.

CREATE TABLE awa_ledger.live_postings (
    transfer_id bigint NOT NULL,
    idx         int NOT NULL,
    asset       int NOT NULL,
    account     bigint NOT NULL,
    subaccount  bigint NOT NULL,
    value       bigint NOT NULL,
    reservation bigint,
    -- The only index, and the reservation is not in it: so a reservation is a HOT update, in the room that is left in the page.
    PRIMARY KEY (account, subaccount, asset, transfer_id, idx)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE awa_ledger.live_postings IS 'hot: the postings that are not spent; its key serves owners, by-id calls find the owner through postings';
COMMENT ON COLUMN awa_ledger.live_postings.transfer_id IS 'the posting: its transfer';
COMMENT ON COLUMN awa_ledger.live_postings.idx IS 'the posting: its place';
COMMENT ON COLUMN awa_ledger.live_postings.asset IS 'of what';
COMMENT ON COLUMN awa_ledger.live_postings.account IS 'the owner';
COMMENT ON COLUMN awa_ledger.live_postings.subaccount IS 'the part of the owner';
COMMENT ON COLUMN awa_ledger.live_postings.value IS 'how much';
COMMENT ON COLUMN awa_ledger.live_postings.reservation IS 'who holds it; null = active: it can be spent';

CREATE TABLE awa_ledger.account_heads (
    account    bigint NOT NULL,
    subaccount bigint NOT NULL,
    version    int NOT NULL,
    frozen     boolean NOT NULL,
    closed     boolean NOT NULL,
    limited    boolean NOT NULL,
    PRIMARY KEY (account, subaccount)
) WITH (fillfactor = 80);
COMMENT ON TABLE awa_ledger.account_heads IS 'hot: the version of each account that is in force';
COMMENT ON COLUMN awa_ledger.account_heads.account IS 'the account';
COMMENT ON COLUMN awa_ledger.account_heads.subaccount IS 'part of it, 0 = main';
COMMENT ON COLUMN awa_ledger.account_heads.version IS 'its greatest version';
COMMENT ON COLUMN awa_ledger.account_heads.frozen IS 'whether that version is frozen';
COMMENT ON COLUMN awa_ledger.account_heads.closed IS 'whether that version is closed';
COMMENT ON COLUMN awa_ledger.account_heads.limited IS 'whether it has limits of its own, in any asset';

CREATE TABLE awa_ledger.open_holds (
    reservation bigint PRIMARY KEY,
    expires_at  timestamptz,
    job_id      bigint,
    run_lease   bigint
);
CREATE INDEX open_holds_job ON awa_ledger.open_holds (job_id, run_lease) WHERE job_id IS NOT NULL;
CREATE INDEX open_holds_expiry ON awa_ledger.open_holds (expires_at) WHERE expires_at IS NOT NULL;
COMMENT ON TABLE awa_ledger.open_holds IS 'hot: the holds that are not over; what ends attempts looks here';
COMMENT ON COLUMN awa_ledger.open_holds.reservation IS 'the hold';
COMMENT ON COLUMN awa_ledger.open_holds.expires_at IS 'until when, extensions counted; null = until it is ended';
COMMENT ON COLUMN awa_ledger.open_holds.job_id IS 'the job that it ends with; null = none';
COMMENT ON COLUMN awa_ledger.open_holds.run_lease IS 'the attempt of that job that it ends with; null = none';
