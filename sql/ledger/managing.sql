-- Assets, accounts and ids.

CREATE FUNCTION awa_ledger.create_asset(asset int, code text, scale int) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_create_asset';
COMMENT ON FUNCTION awa_ledger.create_asset(int, text, int) IS
$$Creates an asset and returns true; returns false when there is just this one already.
asset: its number, 0 or more; code: its name, 1 to 200 bytes, unique; scale: decimal places of the minor unit that values
are counted in, 0..38.
Errors: 22004 null, 22023 out of range, 23505 the number or the code is taken by another asset, 25006.$$;

CREATE FUNCTION awa_ledger.create_account(
    account bigint, subaccount bigint DEFAULT 0, code text DEFAULT NULL, flags text[] DEFAULT '{}',
    metadata jsonb DEFAULT '{}')
RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_create_account';
COMMENT ON FUNCTION awa_ledger.create_account(bigint, bigint, text, text[], jsonb) IS
$$Creates an account and returns true; returns false when it was created already, in the same way.
account, subaccount: any numbers; each subaccount is a complete account of its own, created by itself, 0 the main one.
code: a name, 1 to 200 bytes, unique. flags: up to 32 labels of 1 to 200 bytes, not frozen or closed; keep_postings: maintenance
leaves its postings as they are, for those who name them by their ids. metadata: any jsonb
up to awa_ring.max_payload_bytes.
Errors: 22004 null, 22023 invalid code or flags, 23505 it was created with another code, other flags or metadata, or the
code is another account's, 54000 metadata too large, 25006.$$;

CREATE FUNCTION awa_ledger.new_ids(count int DEFAULT 1) RETURNS SETOF bigint
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 1 SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM awa_ledger.require('count', count IS NOT NULL);
    IF count NOT BETWEEN 1 AND 10000 THEN
        RAISE EXCEPTION 'invalid value for count: %', count USING ERRCODE = '22023',
            HINT = 'count must be from 1 to 10000.';
    END IF;
    RETURN QUERY SELECT nextval('awa_ledger.id_seq') FROM generate_series(1, count);
END $$;
COMMENT ON FUNCTION awa_ledger.new_ids(int) IS
$$Draws ids for transfers and reservations, 1..10000 of them, rising. No number is ever drawn twice, nor used for both.
Errors: 22004 null, 22023 out of range, 25006.$$;
