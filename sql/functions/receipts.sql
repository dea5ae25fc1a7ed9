-- What became of a receipt.

CREATE FUNCTION awa.receipt_state(receipt awa.receipt, OUT state text, OUT outcome text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_receipt_state';
COMMENT ON FUNCTION awa.receipt_state(awa.receipt) IS
$$State of a receipt: open, leased (the attempt goes on outside the rings), closed (outcome tells how) or unknown (pruned,
or of nothing we know). It is what was committed when the call looked. Errors: 22004 null receipt.$$;

CREATE FUNCTION awa.receipt_states(receipts awa.receipt[])
RETURNS TABLE (receipt awa.receipt, state text, outcome text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 100 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_receipt_states';
COMMENT ON FUNCTION awa.receipt_states(awa.receipt[]) IS
$$States of receipts, one row for each element in order; see receipt_state. A null array is empty.
Errors: 22023 null or multi-dimensional elements.$$;
