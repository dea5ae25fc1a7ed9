-- Completing. A receipt that is not open any more, or never was, is stale: it is counted out, not an error.

CREATE FUNCTION awa.complete(receipts awa.receipt[], strict boolean = false) RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'awa_complete';
COMMENT ON FUNCTION awa.complete(awa.receipt[], boolean) IS
$$Completes the attempts of the receipts and returns how many were completed now. A null array is empty; a receipt named
twice counts once. strict: raise AW001, and complete none, if any receipt is stale.
Errors: 22023 null or multi-dimensional elements, 22P02 malformed receipt text, 55P03 the keys of the attempts were held
for awa_ring.key_wait, 25006.$$;

CREATE FUNCTION awa.complete_one(receipt awa.receipt, result jsonb = NULL) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'awa_complete_one';
COMMENT ON FUNCTION awa.complete_one(awa.receipt, jsonb) IS
$$Completes one attempt, with a result to keep if given; a JSON null is a result. Returns false when the receipt is stale.
Errors: 22004 null receipt, 54000 result too large, 55P03, 25006.$$;

CREATE FUNCTION awa.complete_each(receipts awa.receipt[], results jsonb[] = NULL)
RETURNS TABLE (receipt awa.receipt, completed boolean)
    LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 100
    AS 'MODULE_PATHNAME', 'awa_complete_each';
COMMENT ON FUNCTION awa.complete_each(awa.receipt[], jsonb[]) IS
$$Completes the attempts of the receipts and tells for each, in order, whether it was completed now. results: null or as
long as receipts; a null element = no result. A receipt named twice: the first place counts, the second answers false.
Errors: as complete; 54000 result too large.$$;

CREATE FUNCTION awa.complete_and_claim(receipts awa.receipt[], queues text[], max_batch int = 1, strict boolean = false)
RETURNS SETOF awa.claimed_job
    LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 100
    AS 'MODULE_PATHNAME', 'awa_complete_and_claim';
COMMENT ON FUNCTION awa.complete_and_claim(awa.receipt[], text[], int, boolean) IS
$$Completes as complete does, then claims as claim does, in one transaction: a worker's whole cycle with one commit.
A lane that is busy is tried for at most 50 ms. Returns the rows of the claim; call it in FROM, and take all of them, as
claim says. Errors: as complete and claim: a queue that does not exist undoes the completions of the call as well.$$;
