-- Reading: one statement each, so one snapshot.

CREATE FUNCTION awa_ledger.require(name text, given boolean) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT given THEN
        RAISE EXCEPTION '% must not be null', name USING ERRCODE = '22004',
            HINT = 'Give a value; \df+ awa_ledger.* in psql tells what is expected.';
    END IF;
END $$;
COMMENT ON FUNCTION awa_ledger.require(text, boolean) IS 'internal: raises an error unless an argument was given';

CREATE FUNCTION awa_ledger.require_one_of(name text, value text, VARIADIC known text[]) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM awa_ledger.require(name, value IS NOT NULL);
    IF value <> ALL (known) THEN
        RAISE EXCEPTION 'invalid value for %: "%"', name, left(value, 64) USING ERRCODE = '22023',
            HINT = format('%s must be one of %s.', name, array_to_string(known, ', '));
    END IF;
END $$;
COMMENT ON FUNCTION awa_ledger.require_one_of(text, text, text[]) IS
    'internal: raises an error unless an argument is one of the known words';

CREATE TYPE awa_ledger.posting AS (
    id awa_ledger.posting_id, account bigint, subaccount bigint, asset int, value bigint, state text,
    reservation bigint, spent_by bigint
);
COMMENT ON TYPE awa_ledger.posting IS 'a posting and its state';
COMMENT ON COLUMN awa_ledger.posting.id IS 'its id';
COMMENT ON COLUMN awa_ledger.posting.account IS 'its owner';
COMMENT ON COLUMN awa_ledger.posting.subaccount IS 'the part of the owner';
COMMENT ON COLUMN awa_ledger.posting.asset IS 'of what';
COMMENT ON COLUMN awa_ledger.posting.value IS 'how much';
COMMENT ON COLUMN awa_ledger.posting.state IS 'active, reserved, spent or missing';
COMMENT ON COLUMN awa_ledger.posting.reservation IS 'reserved: who holds it; else null';
COMMENT ON COLUMN awa_ledger.posting.spent_by IS 'spent: the transfer that consumed it; else null';

CREATE FUNCTION awa_ledger.posting_states(ids awa_ledger.posting_id[]) RETURNS SETOF awa_ledger.posting
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF array_ndims(ids) > 1 THEN
        RAISE EXCEPTION 'ids must be a one-dimensional array' USING ERRCODE = '22023', HINT = 'Pass a plain list.',
            DETAIL = format('It has %s dimensions.', array_ndims(ids));
    END IF;
    IF array_position(ids, NULL) IS NOT NULL THEN
        RAISE EXCEPTION 'ids must not contain nulls' USING ERRCODE = '22023', HINT = 'Leave it out.',
            DETAIL = format('Element %s is null.', array_position(ids, NULL));
    END IF;
    RETURN QUERY
    SELECT w.id, p.account, p.subaccount, p.asset, p.value,
           CASE WHEN l.transfer_id IS NOT NULL AND l.reservation IS NULL THEN 'active'
                WHEN l.transfer_id IS NOT NULL THEN 'reserved'
                WHEN p.transfer_id IS NOT NULL THEN 'spent'
                ELSE 'missing' END,
           l.reservation, s.spent_by
    FROM unnest(ids) WITH ORDINALITY w(id, n)
         LEFT JOIN awa_ledger.postings p
             ON p.transfer_id = awa_ledger.transfer_of(w.id) AND p.idx = awa_ledger.idx_of(w.id)
         LEFT JOIN awa_ledger.live_postings l
             ON l.account = p.account AND l.subaccount = p.subaccount AND l.asset = p.asset
                 AND l.transfer_id = p.transfer_id AND l.idx = p.idx
         LEFT JOIN awa_ledger.spends s ON s.transfer_id = p.transfer_id AND s.idx = p.idx
    ORDER BY w.n;
END $$;
COMMENT ON FUNCTION awa_ledger.posting_states(awa_ledger.posting_id[]) IS
$$Postings by their ids: one row for each element, in order, repetitions repeated. state: active, reserved (reservation
tells by whom), spent (spent_by tells by which transfer) or missing, when there is no such posting. A null array is empty.
Errors: 22023 null or multi-dimensional elements.$$;

-- Planned for the arguments at hand: those that are given narrow the index, those that are null vanish. What belongs to
-- the rows of a page is looked up for each, however large the planner believes the tables to be.
CREATE FUNCTION awa_ledger.postings_of(
    account bigint, subaccount bigint DEFAULT NULL, asset int DEFAULT NULL, filter text DEFAULT 'live',
    after awa_ledger.posting_id DEFAULT NULL, max_rows int DEFAULT 100)
RETURNS SETOF awa_ledger.posting
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET plan_cache_mode = force_custom_plan SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    after_transfer bigint := awa_ledger.transfer_of(after);
    after_idx      int := awa_ledger.idx_of(after);
BEGIN
    PERFORM awa_ledger.require('account', postings_of.account IS NOT NULL);
    PERFORM awa_ledger.require_one_of('filter', filter, 'live', 'active', 'reserved', 'all');
    PERFORM awa_ledger.require('max_rows', max_rows IS NOT NULL);
    IF max_rows NOT BETWEEN 1 AND 10000 THEN
        RAISE EXCEPTION 'invalid value for max_rows: %', max_rows USING ERRCODE = '22023',
            HINT = 'max_rows must be from 1 to 10000.';
    END IF;
    IF filter = 'all' THEN
        RETURN QUERY
        SELECT awa_ledger.id_of(p.transfer_id, p.idx), p.account, p.subaccount, p.asset, p.value,
               CASE WHEN l.transfer_id IS NULL THEN 'spent' WHEN l.reservation IS NULL THEN 'active' ELSE 'reserved' END,
               l.reservation, s.spent_by
        FROM (SELECT q.transfer_id, q.idx, q.account, q.subaccount, q.asset, q.value
              FROM awa_ledger.postings q
              WHERE q.account = postings_of.account
                AND (postings_of.subaccount IS NULL OR q.subaccount = postings_of.subaccount)
                AND (postings_of.asset IS NULL OR q.asset = postings_of.asset)
                AND (after_transfer IS NULL
                     OR (q.transfer_id, q.idx) > (after_transfer, after_idx)
                        AND least(q.transfer_id >> 12, 2147483647)::int >= least(after_transfer >> 12, 2147483647)::int)
              -- the index postings_owner has blocks of ids
              ORDER BY least(q.transfer_id >> 12, 2147483647)::int, q.transfer_id, q.idx
              LIMIT max_rows) p
             LEFT JOIN awa_ledger.live_postings l
                 ON l.account = p.account AND l.subaccount = p.subaccount AND l.asset = p.asset
                     AND l.transfer_id = p.transfer_id AND l.idx = p.idx
             LEFT JOIN awa_ledger.spends s ON s.transfer_id = p.transfer_id AND s.idx = p.idx
        ORDER BY p.transfer_id, p.idx;
    ELSE
        RETURN QUERY
        SELECT awa_ledger.id_of(l.transfer_id, l.idx), l.account, l.subaccount, l.asset, l.value,
               CASE WHEN l.reservation IS NULL THEN 'active' ELSE 'reserved' END, l.reservation, NULL::bigint
        FROM awa_ledger.live_postings l
        WHERE l.account = postings_of.account
          AND (postings_of.subaccount IS NULL OR l.subaccount = postings_of.subaccount)
          AND (postings_of.asset IS NULL OR l.asset = postings_of.asset)
          AND (filter = 'live' OR (l.reservation IS NULL) = (filter = 'active'))
          AND (after_transfer IS NULL OR (l.transfer_id, l.idx) > (after_transfer, after_idx))
        ORDER BY l.transfer_id, l.idx
        LIMIT max_rows;
    END IF;
END $$;
COMMENT ON FUNCTION awa_ledger.postings_of(bigint, bigint, int, text, awa_ledger.posting_id, int) IS
$$Postings of an account, in the order of their ids, a page at a time. subaccount: null = all of them; asset: null = all;
filter: live (active and reserved), active, reserved, or all (spent ones as well); after: the last posting of the page
before; max_rows: 1..10000. With subaccount and asset given a page of live ones reads its own rows only, one of all the
account's in its block of 4096 ids; without, all of the account's are sorted. Errors: 22004 null account, filter or max_rows; 22023 unknown filter, max_rows out of range.$$;

CREATE FUNCTION awa_ledger.balance(account bigint, subaccount bigint, asset int, kind text DEFAULT 'live')
RETURNS bigint
    LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM awa_ledger.require('account', balance.account IS NOT NULL);
    PERFORM awa_ledger.require('subaccount', balance.subaccount IS NOT NULL);
    PERFORM awa_ledger.require('asset', balance.asset IS NOT NULL);
    PERFORM awa_ledger.require_one_of('kind', kind, 'live', 'active', 'reserved');
    -- The sum of bigints is numeric: it is exact on the way, and checked once, as it is returned.
    RETURN (SELECT coalesce(sum(l.value), 0)::bigint
            FROM awa_ledger.live_postings l
            WHERE l.account = balance.account AND l.subaccount = balance.subaccount AND l.asset = balance.asset
              AND (kind = 'live' OR (l.reservation IS NULL) = (kind = 'active')));
END $$;
COMMENT ON FUNCTION awa_ledger.balance(bigint, bigint, int, text) IS
$$Sum of an account's postings of an asset; 0 when there is none. kind: live (active and reserved), active (what can be
spent) or reserved. It reads them all. Errors: 22004 null, 22023 unknown kind, 22003 a sum beyond bigint.$$;

CREATE FUNCTION awa_ledger.has_live_postings(account bigint, subaccount bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM awa_ledger.require('account', has_live_postings.account IS NOT NULL);
    PERFORM awa_ledger.require('subaccount', has_live_postings.subaccount IS NOT NULL);
    RETURN EXISTS (SELECT FROM awa_ledger.live_postings l
                   WHERE l.account = has_live_postings.account AND l.subaccount = has_live_postings.subaccount);
END $$;
COMMENT ON FUNCTION awa_ledger.has_live_postings(bigint, bigint) IS
$$Whether an account has any posting that is not spent, of any asset and value, active or reserved.
Errors: 22004 null.$$;
