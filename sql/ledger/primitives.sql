-- The primitives: each takes a whole set, acts on each posting under a guard, passes by what fails it, and returns how
-- many it changed.

CREATE FUNCTION awa_ledger.insert_postings(
    transfer_ids bigint[], idxs int[], accounts bigint[], subaccounts bigint[], assets int[], vals bigint[])
RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_insert_postings';
COMMENT ON FUNCTION awa_ledger.insert_postings(bigint[], int[], bigint[], bigint[], int[], bigint[]) IS
$$Creates postings, active; returns how many are new. One that is there already with the same content is passed by, alive
or spent. The arrays are parallel: transfer (drawn with new_ids; its row is made when it is new), place in the transfer,
owner, asset, value. An array that is null is empty; repeated elements count once.
The transaction cannot commit unless each transfer creates as much of every asset as it consumes, see consume().
Errors: 22023 arrays of different lengths, null elements, an id that was not drawn, a negative place, the least bigint as
value; 42704 unknown account or asset; 23505 a posting that is there with other content; 55000 a new posting for a
transfer of an earlier transaction; 40001 in REPEATABLE READ and SERIALIZABLE, when another transaction did the same;
25006.$$;

CREATE FUNCTION awa_ledger.reserve(ids awa_ledger.posting_id[], reservation bigint) RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_reserve';
COMMENT ON FUNCTION awa_ledger.reserve(awa_ledger.posting_id[], bigint) IS
$$Reserves those of the postings that are active; returns how many. Those that are reserved (by this reservation as well),
spent or unknown are passed by. reservation: drawn with new_ids.
Of calls at the same time one gets a posting: the others wait for its transaction, and get it if that rolls back. A call
locks postings in the order of their ids, so calls do not deadlock with one another; transactions of several calls may.
Errors: 22004 null reservation; 22023 null or multi-dimensional elements, a reservation that was not drawn; 55000 the
reservation is a hold's; 40001 in REPEATABLE READ and SERIALIZABLE, when a posting was changed since the snapshot; 40P01;
25006.$$;

CREATE FUNCTION awa_ledger.release(ids awa_ledger.posting_id[], reservation bigint) RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_release';
COMMENT ON FUNCTION awa_ledger.release(awa_ledger.posting_id[], bigint) IS
$$Makes those of the postings active again that this reservation holds; returns how many. Errors: as reserve.$$;

CREATE FUNCTION awa_ledger.consume(ids awa_ledger.posting_id[], reservation bigint, spent_by bigint) RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_consume';
COMMENT ON FUNCTION awa_ledger.consume(awa_ledger.posting_id[], bigint, bigint) IS
$$Spends those of the postings that this reservation holds, for ever; returns how many. spent_by: the transfer that
consumes them, drawn with new_ids; its row is made when it is new and something was spent. The transaction cannot commit
(23514) unless each transfer creates as much of every asset as it consumes.
Errors: as reserve; and 22004 null spent_by, 22023 one that was not drawn, 55000 one of an earlier transaction.$$;

CREATE FUNCTION awa_ledger.deactivate(ids awa_ledger.posting_id[], spent_by bigint) RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_deactivate';
COMMENT ON FUNCTION awa_ledger.deactivate(awa_ledger.posting_id[], bigint) IS
$$Spends those of the postings that are active, without a reservation; returns how many. Otherwise as consume.$$;
