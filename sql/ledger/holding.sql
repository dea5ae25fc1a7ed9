-- Holds: value that is set aside, and what becomes of it.

CREATE FUNCTION awa_ledger.hold(
    account bigint, subaccount bigint, asset int, amount bigint, expires_in interval DEFAULT NULL, purpose text DEFAULT NULL,
    receipt awa.receipt DEFAULT NULL, bind text DEFAULT 'attempt', idempotency_key text DEFAULT NULL)
RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_hold';
COMMENT ON FUNCTION awa_ledger.hold(bigint, bigint, int, bigint, interval, text, awa.receipt, text, text) IS
$$Sets an amount of an account aside: until it is posted, voided or expires nobody else can spend it. Returns its reservation.
amount: 1 or more, in minor units; expires_in: more than 0, up to 100 years, null = it does not expire; purpose: 1 to 200 bytes,
for people. receipt: of a job's attempt that must not be over. With bind = 'attempt' the hold ends when that attempt does, in
whichever way (completed without posting, failed, given back, cancelled, rescued), in the same commit; with 'job' when the job
does (completed, failed for good, cancelled, a dead letter, deleted). Waiting for a callback ends neither.
idempotency_key: 1 to 200 bytes, one namespace for all verbs; a call with a key that was used returns the first reservation, over or
not. A hold that came to nothing because its attempt or job ended gives its key back; so does, for the job's next attempt, one
that was voided or has expired.
What is held counts in the balance, for floors as what is not there, for ceilings as what is.
Errors: AW101 not enough; AW102 contended, try again; AW103 frozen; AW104 closed; AW107 the attempt is over; 23505 the key was used
for something else; 42704 unknown account or asset; 22023 and 22004 arguments out of range or null; 55P03, 40P01; 25006.$$;

CREATE FUNCTION awa_ledger.extend_hold(reservation bigint, by interval) RETURNS timestamptz
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_extend_hold';
COMMENT ON FUNCTION awa_ledger.extend_hold(bigint, interval) IS
$$Gives a hold more time, by an interval of more than 0; returns when it expires now, 100 years from now at most.
Errors: AW106 it is over; AW107 its attempt is over; 55000 it does not expire, or is what a floor keeps back; 42704 no such hold;
22023 too long; 22004 null; AW102, 55P03, 40P01; 25006.$$;

CREATE FUNCTION awa_ledger.post(
    reservation bigint, movements jsonb, effective_at timestamptz DEFAULT NULL, metadata jsonb DEFAULT '{}',
    receipt awa.receipt DEFAULT NULL)
RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_post';
COMMENT ON FUNCTION awa_ledger.post(bigint, jsonb, timestamptz, jsonb, awa.receipt) IS
$$Spends what is held, and ends the hold; returns the id of the transfer that it makes.
movements: an array of legs as for transfer, which leave the account of the hold in its asset; what they come to is paid, the rest
of the hold can be spent by anybody again. effective_at, metadata: as for transfer. receipt: of an attempt that must not be over;
a hold that is bound to an attempt needs none: it is refused when that attempt is over, and the attempt does not end before this
transaction does. Posting and completing with strict => true in one transaction spends exactly once.
Errors: AW106 the hold is over, posted before, voided or expired; AW107 the attempt is over; AW101 less is held; AW103, AW104, AW105
of the accounts; 42704 no such hold or account; 55000 it is what a floor keeps back; 22023 a leg that does not leave the hold's
account, a receipt of another job; others as transfer.$$;

CREATE FUNCTION awa_ledger.void(reservation bigint) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_void';
COMMENT ON FUNCTION awa_ledger.void(bigint) IS
$$Ends a hold without spending anything: what was held can be spent again. Returns true; false when it was voided or had expired
before. One whose time has passed ends as expired. It works on frozen accounts, and waits for no payer.
Errors: AW106 it was posted; 42704 no such hold; 55000 it is what a floor keeps back; 22004 null; AW102, 55P03, 40P01; 25006.$$;

CREATE FUNCTION awa_ledger.expire_due(max_rows int DEFAULT 200) RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'awa_ledger_expire_due';
COMMENT ON FUNCTION awa_ledger.expire_due(int) IS
$$Duty: ends holds whose time has passed, up to max_rows (1..1000) of them, and returns how many. From its time on a hold cannot be
posted, expired or not; this gives back what is held. It waits for nobody: what others are at is left for the next call.
Errors: 22004 null, 22023 out of range, 25006.$$;
