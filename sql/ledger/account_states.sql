-- What accounts may do: frozen, closed, limited.

CREATE FUNCTION awa_ledger.freeze_account(account bigint, subaccount bigint DEFAULT 0) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_freeze_account';
COMMENT ON FUNCTION awa_ledger.freeze_account(bigint, bigint) IS
$$Freezes an account: nothing is paid from it or to it, reserved or posted, until it is unfrozen. Reservations can be
released. Returns true; false when it is frozen already. It waits for transactions that paid from it or to it, and those that
come later wait for this one, for awa_ring.gate_wait at most.
Errors: 42704 unknown account, AW104 it is closed, AW102 contended, 22004 null, 40P01, 25006.$$;

CREATE FUNCTION awa_ledger.unfreeze_account(account bigint, subaccount bigint DEFAULT 0) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_unfreeze_account';
COMMENT ON FUNCTION awa_ledger.unfreeze_account(bigint, bigint) IS
$$Lets a frozen account pay and be paid again. Returns true; false when it is not frozen. Errors: as freeze_account.$$;

CREATE FUNCTION awa_ledger.close_account(account bigint, subaccount bigint DEFAULT 0) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_close_account';
COMMENT ON FUNCTION awa_ledger.close_account(bigint, bigint) IS
$$Closes an account for ever. What is left on it must come to 0 in every asset, and none of it be reserved; it is spent.
Returns true; false when it is closed already. A frozen account can be closed.
Errors: 55000 it is not empty; others as freeze_account.$$;

CREATE FUNCTION awa_ledger.set_limits(
    account bigint, subaccount bigint, asset int, floor bigint DEFAULT 0, ceiling bigint DEFAULT NULL)
RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_set_limits';
COMMENT ON FUNCTION awa_ledger.set_limits(bigint, bigint, int, bigint, bigint) IS
$$Sets how little and how much an account can have of an asset. An account without limits of its own has floor 0 and no
ceiling. Returns true; false when they are so already.
floor: below 0, a credit: -floor more can be paid than there is. 0: what there is. Above 0: that much is kept back and cannot
be paid. Null: unbounded, for accounts that stand for the outside world. ceiling: the greatest balance, what is reserved
counted; null = none. Accounts with a ceiling are paid to one after the other.
Limits hold for transfers; the primitives pass them by. A floor other than 0 is made of postings of the account's, in a
transfer of its own.
Errors: AW105 the account is not within them now; 42704 unknown account or asset; AW104 it is closed; AW102 contended; 55000 a
reserved posting below 0 is in the way; 22023 a floor above the ceiling; 22004 null account, subaccount or asset; 40P01;
25006.$$;
