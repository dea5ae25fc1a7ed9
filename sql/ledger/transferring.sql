-- Moving value, one call each.

CREATE FUNCTION awa_ledger.transfer(
    movements jsonb, idempotency_key text DEFAULT NULL, effective_at timestamptz DEFAULT NULL, metadata jsonb DEFAULT '{}',
    receipt awa.receipt DEFAULT NULL, OUT transfer_id bigint, OUT replayed boolean)
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'awa_ledger_transfer';
COMMENT ON FUNCTION awa_ledger.transfer(jsonb, text, timestamptz, jsonb, awa.receipt) IS
$$Moves value between accounts, all of it or nothing; returns the transfer's id.
movements: an array of legs, [{"from": 1, "to": 2, "asset": 1, "amount": 100}, …]: the payers' postings are chosen. Or
postings by their ids, {"consumes": ["17:0"], "creates": [{"account": 1, "asset": 1, "value": 100, "idx": 0}]}, as much of
every asset; idx, the place in the transfer, may be left out. An account is a number, or [account, subaccount]. Numbers may be
strings; amounts are 1 or more, values may be 0 or less where the account has no floor. Legs happen at once: what an account
receives in a transfer it can pass on in it.
idempotency_key: 1 to 200 bytes, one namespace for all verbs. A call with a key that was used returns what the first returned,
with replayed = true, and moves nothing. A call that failed is not remembered. effective_at: when it counts from, for its users;
null = now. metadata: any jsonb up to awa_ring.max_payload_bytes.
receipt: of an attempt that must not be over; it does not end before this transaction does.
A payer waits for nobody who pays from the same account, unless there is not enough for all of them at that moment; then, and
for freezes and limits, it waits for awa_ring.gate_wait at most.
Errors: AW101 not enough; AW102 contended, try again; AW103 frozen; AW104 closed; AW105 beyond a limit; AW107 the attempt is over;
23505 the key was used for something else; 42704 unknown account, asset or posting; 55000 a posting that is reserved or
spent; 23514 creates are not as much as consumes; 22003 what comes to more than a bigint; 22023 and 22004 movements of another
shape; 54000 metadata too large; 40P01 beside other calls in the same transactions; 25006.$$;

CREATE FUNCTION awa_ledger.transfer_many(
    transfers jsonb, OUT item int, OUT transfer_id bigint, OUT replayed boolean, OUT sqlstate text, OUT message text)
RETURNS SETOF record
    LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 100
    AS 'MODULE_PATHNAME', 'awa_ledger_transfer_many';
COMMENT ON FUNCTION awa_ledger.transfer_many(jsonb) IS
$$Carries out many transfers, in order, in one call: later ones can spend what earlier ones brought.
transfers: an array of objects with the keys movements, idempotency_key, effective_at, metadata as for transfer, and group: 1 to
200 bytes. Transfers with the same group that follow one another are carried out all or none; others each for itself.
Returns a row for each, in order. item: its place, from 1; transfer_id: null when it was refused, then sqlstate and message tell
why (of a group: what the first that was refused was refused for); replayed: its key was used before, nothing was moved.
Errors of the whole call: 22023 and 22004 an array of another shape, AW102 contended, 40P01, 25006. All others, see transfer,
are outcomes of single transfers.$$;

CREATE FUNCTION awa_ledger.reverse(
    transfer_id bigint, idempotency_key text DEFAULT NULL, OUT reversal bigint, OUT replayed boolean)
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_reverse';
COMMENT ON FUNCTION awa_ledger.reverse(bigint, text) IS
$$Undoes a transfer with another one, and returns the id of that: who had less after it is paid as much by those who had more,
out of whatever they have now. Once for each transfer; a reversal can be reversed in turn.
Errors: 42704 no such transfer, 23505 it was reversed already, or the key was used for something else; others as transfer.$$;

CREATE FUNCTION awa_ledger.consolidate(account bigint, subaccount bigint, asset int, max_rows int DEFAULT 1000) RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_consolidate';
COMMENT ON FUNCTION awa_ledger.consolidate(bigint, bigint, int, int) IS
$$Makes one posting of up to max_rows (2..10000) active ones of an account, oldest first; returns how many it spent. Of an
account without a floor those below 0 are netted with the others. Postings that others are at are passed by.
Errors: 42704 unknown account, AW102 contended, AW103 frozen, AW104 closed, 22004 null, 22023 max_rows out of range, 25006.$$;

CREATE FUNCTION awa_ledger.consolidate_crowded(max_accounts int DEFAULT 20, max_rows int DEFAULT 1000) RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_consolidate_crowded';
COMMENT ON FUNCTION awa_ledger.consolidate_crowded(int, int) IS
$$The duty by hand: consolidates accounts with more than 64 live postings of an asset, those with most of them first: up to max_accounts
(1..10000), up to max_rows (2..10000) postings each. Returns how many postings it spent; 0 = there is nothing to do. It waits
for nobody, and reads the index of all live postings. Errors: 22004 null, 22023 out of range, 25006.$$;
