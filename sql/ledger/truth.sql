-- Truth: what happened. Rows are inserted and never changed or removed; protection.sql sees to it. All that is elsewhere
-- in the ledger can be made again from here.

CREATE TABLE awa_ledger.assets (
    asset      int PRIMARY KEY CHECK (asset >= 0),
    code       text COLLATE "C" NOT NULL UNIQUE CHECK (octet_length(code) BETWEEN 1 AND 200),
    scale      int NOT NULL CHECK (scale BETWEEN 0 AND 38),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE awa_ledger.assets IS 'what value is of: currencies, units. For each the sum of all postings is 0, always';
COMMENT ON COLUMN awa_ledger.assets.asset IS 'number of the asset, 0 or more';
COMMENT ON COLUMN awa_ledger.assets.code IS 'its name, 1 to 200 bytes, unique';
COMMENT ON COLUMN awa_ledger.assets.scale IS 'decimal places of its minor unit, 0..38; for display only, values are whole minor units';
COMMENT ON COLUMN awa_ledger.assets.created_at IS 'when it was created';

CREATE TABLE awa_ledger.accounts (
    account    bigint NOT NULL,
    subaccount bigint NOT NULL,
    version    int NOT NULL CHECK (version >= 1),
    code       text COLLATE "C" CHECK (octet_length(code) BETWEEN 1 AND 200),
    flags      text[] NOT NULL DEFAULT '{}',
    metadata   jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    xid        xid8 NOT NULL DEFAULT pg_current_xact_id(),
    epoch      int NOT NULL DEFAULT awa_ledger.current_epoch(),
    change     bigint NOT NULL DEFAULT nextval('awa_ledger.change_seq'),
    PRIMARY KEY (account, subaccount, version)
);
CREATE INDEX accounts_xid ON awa_ledger.accounts (epoch, xid, change);
CREATE UNIQUE INDEX accounts_code_key ON awa_ledger.accounts (code) WHERE version = 1;
COMMENT ON TABLE awa_ledger.accounts IS 'who owns value: one row a version of an account; versions have no gaps';
COMMENT ON COLUMN awa_ledger.accounts.account IS 'number of the account';
COMMENT ON COLUMN awa_ledger.accounts.subaccount IS 'part of it, 0 = main; each is a complete account of its own';
COMMENT ON COLUMN awa_ledger.accounts.version IS '1 for the account as created, one more with each change';
COMMENT ON COLUMN awa_ledger.accounts.code IS 'a name for it, 1 to 200 bytes, unique; null = none';
COMMENT ON COLUMN awa_ledger.accounts.flags IS 'labels; frozen and closed are set by the ledger; keep_postings: maintenance does not merge its postings; all others mean nothing';
COMMENT ON COLUMN awa_ledger.accounts.metadata IS 'whatever its creator wants to remember';
COMMENT ON COLUMN awa_ledger.accounts.created_at IS 'when this version was made';
COMMENT ON COLUMN awa_ledger.accounts.xid IS 'the top-level transaction that made it, as counted in its epoch';
COMMENT ON COLUMN awa_ledger.accounts.epoch IS 'the cluster that it was made in, see the sequence epoch';
COMMENT ON COLUMN awa_ledger.accounts.change IS 'from change_seq';

CREATE TABLE awa_ledger.limits (
    account    bigint NOT NULL,
    subaccount bigint NOT NULL,
    asset      int NOT NULL,
    version    int NOT NULL CHECK (version >= 1),
    floor      bigint,
    ceiling    bigint,
    set_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    xid        xid8 NOT NULL DEFAULT pg_current_xact_id(),
    epoch      int NOT NULL DEFAULT awa_ledger.current_epoch(),
    change     bigint NOT NULL DEFAULT nextval('awa_ledger.change_seq'),
    PRIMARY KEY (account, subaccount, asset, version),
    CHECK (floor <= ceiling)
);
CREATE INDEX limits_xid ON awa_ledger.limits (epoch, xid, change);
COMMENT ON TABLE awa_ledger.limits IS 'least and greatest balance of an account in an asset; no row: not below 0, no ceiling';
COMMENT ON COLUMN awa_ledger.limits.account IS 'the account';
COMMENT ON COLUMN awa_ledger.limits.subaccount IS 'part of it, 0 = main';
COMMENT ON COLUMN awa_ledger.limits.asset IS 'the asset';
COMMENT ON COLUMN awa_ledger.limits.version IS '1, and one more with each change; the greatest is in force';
COMMENT ON COLUMN awa_ledger.limits.floor IS 'least balance; null = unbounded';
COMMENT ON COLUMN awa_ledger.limits.ceiling IS 'greatest balance; null = unbounded';
COMMENT ON COLUMN awa_ledger.limits.set_at IS 'when it was set';
COMMENT ON COLUMN awa_ledger.limits.xid IS 'the top-level transaction that set it, as counted in its epoch';
COMMENT ON COLUMN awa_ledger.limits.epoch IS 'the cluster that it was set in, see the sequence epoch';
COMMENT ON COLUMN awa_ledger.limits.change IS 'from change_seq';

CREATE TABLE awa_ledger.transfers (
    transfer_id  bigint PRIMARY KEY CHECK (transfer_id > 0),
    xid          xid8 NOT NULL,
    committed_at timestamptz NOT NULL,
    effective_at timestamptz NOT NULL,
    reverses     bigint,
    epoch        int NOT NULL,
    request_hash bytea,
    request_key  text COLLATE "C" CHECK (octet_length(request_key) BETWEEN 1 AND 200),
    metadata     jsonb NOT NULL DEFAULT '{}',
    CHECK ((request_key IS NULL) = (request_hash IS NULL))
);
CREATE UNIQUE INDEX transfers_reverses_key ON awa_ledger.transfers (reverses) WHERE reverses IS NOT NULL;
CREATE UNIQUE INDEX transfers_request_key ON awa_ledger.transfers (request_key) WHERE request_key IS NOT NULL;
CREATE INDEX transfers_xid ON awa_ledger.transfers (epoch, xid, transfer_id);
COMMENT ON TABLE awa_ledger.transfers IS
    'what happened: each consumes postings (spends) and creates postings, as much as it consumes in every asset';
COMMENT ON COLUMN awa_ledger.transfers.transfer_id IS 'from id_seq';
COMMENT ON COLUMN awa_ledger.transfers.xid IS 'the top-level transaction that made it, as counted in its epoch; nothing is added to a transfer later';
COMMENT ON COLUMN awa_ledger.transfers.committed_at IS 'when it was made, by the clock, after its transaction had its id';
COMMENT ON COLUMN awa_ledger.transfers.effective_at IS 'when it counts from for its users; committed_at unless given';
COMMENT ON COLUMN awa_ledger.transfers.reverses IS 'the transfer that this one undoes, once; null = none';
COMMENT ON COLUMN awa_ledger.transfers.epoch IS 'the cluster that it was made in, see the sequence epoch';
COMMENT ON COLUMN awa_ledger.transfers.request_hash IS 'fingerprint of the request as given; null = without a key';
COMMENT ON COLUMN awa_ledger.transfers.request_key IS
    'the idempotency key that it was asked for with, 1 to 200 bytes, see hold_requests too; null = none';
COMMENT ON COLUMN awa_ledger.transfers.metadata IS 'whatever its maker wants to remember';

CREATE TABLE awa_ledger.postings (
    transfer_id bigint NOT NULL,
    idx         int NOT NULL CHECK (idx >= 0),
    asset       int NOT NULL,
    account     bigint NOT NULL,
    subaccount  bigint NOT NULL,
    -- the least bigint has no opposite
    value       bigint NOT NULL CHECK (value > -9223372036854775808),
    PRIMARY KEY (transfer_id, idx)
);
-- By blocks of 4096 ids, not by id: equal keys share an entry, and the index is a fraction of what it would be. Who pages through
-- an account sorts the blocks that he reads.
CREATE INDEX postings_owner ON awa_ledger.postings (account, subaccount, asset, (least(transfer_id >> 12, bigint '2147483647')::int));
COMMENT ON TABLE awa_ledger.postings IS 'value: a signed amount of one asset that one account owns from its transfer on until it is spent';
COMMENT ON COLUMN awa_ledger.postings.transfer_id IS 'the transfer that created it';
COMMENT ON COLUMN awa_ledger.postings.idx IS 'its place there, 0 or more, gaps allowed';
COMMENT ON COLUMN awa_ledger.postings.asset IS 'of what';
COMMENT ON COLUMN awa_ledger.postings.account IS 'the owner';
COMMENT ON COLUMN awa_ledger.postings.subaccount IS 'the part of the owner';
COMMENT ON COLUMN awa_ledger.postings.value IS 'how much, in minor units; negative = the opposite position';

CREATE TABLE awa_ledger.spends (
    transfer_id bigint NOT NULL,
    spent_by    bigint NOT NULL,
    idx         int NOT NULL,
    PRIMARY KEY (transfer_id, idx)
);
-- Rows come nearly in the order of spent_by, so ranges of pages tell who is there: writing costs next to nothing, and whoever
-- reverses a transfer reads a range or two, besides those that are too new to have been summarized.
CREATE INDEX spends_spent_by ON awa_ledger.spends USING brin (spent_by) WITH (pages_per_range = 64, autosummarize = on);
COMMENT ON TABLE awa_ledger.spends IS 'which postings are spent; the key makes a second spend impossible, whatever the hot tables say';
COMMENT ON COLUMN awa_ledger.spends.transfer_id IS 'the posting: its transfer';
COMMENT ON COLUMN awa_ledger.spends.spent_by IS 'the transfer that consumed it, at its committed_at';
COMMENT ON COLUMN awa_ledger.spends.idx IS 'the posting: its place';

CREATE TABLE awa_ledger.reservation_log (
    seq         bigint PRIMARY KEY,
    reservation bigint NOT NULL CHECK (reservation > 0),
    op          text NOT NULL CHECK (op IN ('reserve', 'release', 'consume')),
    items       awa_ledger.posting_id[] NOT NULL CHECK (cardinality(items) > 0),
    logged_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE awa_ledger.reservation_log IS
    'what became of reservations: one row a call that changed anything. The last word on a posting tells whether it is reserved';
COMMENT ON COLUMN awa_ledger.reservation_log.seq IS 'from log_seq, in the order of events for each posting';
COMMENT ON COLUMN awa_ledger.reservation_log.reservation IS 'the reservation';
COMMENT ON COLUMN awa_ledger.reservation_log.op IS 'reserve, release or consume';
COMMENT ON COLUMN awa_ledger.reservation_log.items IS 'the postings that the call changed';
COMMENT ON COLUMN awa_ledger.reservation_log.logged_at IS 'when';

-- Keys of transfers and keys of holds are one namespace. Whoever works on a key has its lock and looks at both tables.
CREATE TABLE awa_ledger.hold_requests (
    reservation  bigint NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    use          int NOT NULL DEFAULT 1 CHECK (use >= 1),
    request_hash bytea NOT NULL,
    key          text COLLATE "C" NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 200),
    PRIMARY KEY (key, use)
);
COMMENT ON TABLE awa_ledger.hold_requests IS
    'idempotency: which holds were asked for under a key; the keys of transfers are with the transfers';
COMMENT ON COLUMN awa_ledger.hold_requests.reservation IS 'the hold that it came to';
COMMENT ON COLUMN awa_ledger.hold_requests.created_at IS 'when';
COMMENT ON COLUMN awa_ledger.hold_requests.use IS
    'which use of the key it is: that of a hold that ended with its attempt may be used again; the greatest counts';
COMMENT ON COLUMN awa_ledger.hold_requests.request_hash IS 'fingerprint of the request as given';
COMMENT ON COLUMN awa_ledger.hold_requests.key IS 'the key, 1 to 200 bytes';

CREATE TABLE awa_ledger.holds (
    reservation bigint PRIMARY KEY CHECK (reservation > 0),
    account     bigint NOT NULL,
    subaccount  bigint NOT NULL,
    asset       int NOT NULL,
    amount      bigint NOT NULL CHECK (amount > 0),
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz,
    purpose     text,
    job_id      bigint,
    run_lease   bigint,
    is_floor    boolean NOT NULL DEFAULT false,
    receipt     awa.receipt,
    transfer_id bigint NOT NULL,
    idx         int NOT NULL,
    xid         xid8 NOT NULL DEFAULT pg_current_xact_id(),
    epoch       int NOT NULL DEFAULT awa_ledger.current_epoch(),
    change      bigint NOT NULL DEFAULT nextval('awa_ledger.change_seq'),
    CHECK (run_lease IS NULL OR job_id IS NOT NULL)
);
CREATE INDEX holds_xid ON awa_ledger.holds (epoch, xid, change);
COMMENT ON TABLE awa_ledger.holds IS 'amounts that were set aside: each is one posting, made for it';
COMMENT ON COLUMN awa_ledger.holds.reservation IS 'from id_seq';
COMMENT ON COLUMN awa_ledger.holds.account IS 'whose';
COMMENT ON COLUMN awa_ledger.holds.subaccount IS 'part of it, 0 = main';
COMMENT ON COLUMN awa_ledger.holds.asset IS 'of what';
COMMENT ON COLUMN awa_ledger.holds.amount IS 'how much';
COMMENT ON COLUMN awa_ledger.holds.created_at IS 'when';
COMMENT ON COLUMN awa_ledger.holds.expires_at IS 'until when, see hold_extensions too; null = until it is ended';
COMMENT ON COLUMN awa_ledger.holds.purpose IS 'what for';
COMMENT ON COLUMN awa_ledger.holds.job_id IS 'the job that it ends with; null = none';
COMMENT ON COLUMN awa_ledger.holds.run_lease IS 'the attempt of that job that it ends with; null = none';
COMMENT ON COLUMN awa_ledger.holds.is_floor IS 'whether it is what a floor above 0 keeps back; it ends when the floor is changed';
COMMENT ON COLUMN awa_ledger.holds.receipt IS 'of the attempt that made it, if it ends with that or with its job; else null';
COMMENT ON COLUMN awa_ledger.holds.transfer_id IS 'the posting: its transfer';
COMMENT ON COLUMN awa_ledger.holds.idx IS 'the posting: its place';
COMMENT ON COLUMN awa_ledger.holds.xid IS 'the top-level transaction that made it, as counted in its epoch';
COMMENT ON COLUMN awa_ledger.holds.epoch IS 'the cluster that it was made in, see the sequence epoch';
COMMENT ON COLUMN awa_ledger.holds.change IS 'from change_seq';

CREATE TABLE awa_ledger.hold_extensions (
    reservation bigint NOT NULL,
    extension   int NOT NULL CHECK (extension >= 1),
    expires_at  timestamptz NOT NULL,
    extended_at timestamptz NOT NULL,
    xid         xid8 NOT NULL DEFAULT pg_current_xact_id(),
    epoch       int NOT NULL DEFAULT awa_ledger.current_epoch(),
    change      bigint NOT NULL DEFAULT nextval('awa_ledger.change_seq'),
    PRIMARY KEY (reservation, extension)
);
CREATE INDEX hold_extensions_xid ON awa_ledger.hold_extensions (epoch, xid, change);
COMMENT ON TABLE awa_ledger.hold_extensions IS 'holds that were given more time';
COMMENT ON COLUMN awa_ledger.hold_extensions.reservation IS 'the hold';
COMMENT ON COLUMN awa_ledger.hold_extensions.extension IS 'counts the extensions of a hold from 1; the greatest is in force';
COMMENT ON COLUMN awa_ledger.hold_extensions.expires_at IS 'until when';
COMMENT ON COLUMN awa_ledger.hold_extensions.extended_at IS 'when it was extended';
COMMENT ON COLUMN awa_ledger.hold_extensions.xid IS 'the top-level transaction that extended it, as counted in its epoch';
COMMENT ON COLUMN awa_ledger.hold_extensions.epoch IS 'the cluster that it was extended in, see the sequence epoch';
COMMENT ON COLUMN awa_ledger.hold_extensions.change IS 'from change_seq';

CREATE TABLE awa_ledger.hold_outcomes (
    reservation bigint PRIMARY KEY,
    outcome     text NOT NULL CHECK (outcome IN ('posted', 'voided', 'expired')),
    ended_at    timestamptz NOT NULL,
    transfer_id bigint,
    with_job    boolean NOT NULL DEFAULT false,
    xid         xid8 NOT NULL DEFAULT pg_current_xact_id(),
    epoch       int NOT NULL DEFAULT awa_ledger.current_epoch(),
    change      bigint NOT NULL DEFAULT nextval('awa_ledger.change_seq')
);
CREATE INDEX hold_outcomes_xid ON awa_ledger.hold_outcomes (epoch, xid, change);
COMMENT ON TABLE awa_ledger.hold_outcomes IS 'holds that are over, and how: one outcome each';
COMMENT ON COLUMN awa_ledger.hold_outcomes.reservation IS 'the hold';
COMMENT ON COLUMN awa_ledger.hold_outcomes.outcome IS 'posted, voided or expired';
COMMENT ON COLUMN awa_ledger.hold_outcomes.ended_at IS 'when';
COMMENT ON COLUMN awa_ledger.hold_outcomes.transfer_id IS 'posted: the transfer that spent it; else null';
COMMENT ON COLUMN awa_ledger.hold_outcomes.with_job IS 'whether it ended because its attempt or its job did';
COMMENT ON COLUMN awa_ledger.hold_outcomes.xid IS 'the top-level transaction that ended it, as counted in its epoch';
COMMENT ON COLUMN awa_ledger.hold_outcomes.epoch IS 'the cluster that it ended in, see the sequence epoch';
COMMENT ON COLUMN awa_ledger.hold_outcomes.change IS 'from change_seq';
