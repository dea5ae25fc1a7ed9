-- Type awa.receipt: the handle a worker carries. 48 bytes: claim_slot int2, six bytes of zero padding to 8, then batch,
-- receipt, job, run lease and fence as int8.

CREATE TYPE awa.receipt;

CREATE FUNCTION awa.receipt_in(cstring) RETURNS awa.receipt
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_receipt_in';
CREATE FUNCTION awa.receipt_out(awa.receipt) RETURNS cstring
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_receipt_out';
CREATE FUNCTION awa.receipt_recv(internal) RETURNS awa.receipt
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_receipt_recv';
CREATE FUNCTION awa.receipt_send(awa.receipt) RETURNS bytea
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_receipt_send';

CREATE TYPE awa.receipt (
    INPUT = awa.receipt_in, OUTPUT = awa.receipt_out, RECEIVE = awa.receipt_recv, SEND = awa.receipt_send,
    INTERNALLENGTH = 48, ALIGNMENT = double, STORAGE = plain
);
COMMENT ON TYPE awa.receipt IS
$$receipt handle: the proof that a worker holds one attempt of one job; text form slot:batch:receipt:job:lease:fence,
opaque to the worker. Text and varchar, and arrays of them, are taken where a receipt is wanted. Comparing receipts
needs schema awa in the search_path, or the operator by its full name: a OPERATOR(awa.=) b.$$;

CREATE FUNCTION awa.receipt(text) RETURNS awa.receipt
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_receipt_from_text';
CREATE CAST (text AS awa.receipt) WITH FUNCTION awa.receipt(text) AS IMPLICIT;
-- What some drivers call their strings; as parameters they have this type and no other.
CREATE CAST (varchar AS awa.receipt) WITH FUNCTION awa.receipt(text) AS IMPLICIT;

CREATE FUNCTION awa.receipt_eq(awa.receipt, awa.receipt) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_receipt_eq';
CREATE FUNCTION awa.receipt_ne(awa.receipt, awa.receipt) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_receipt_ne';
CREATE FUNCTION awa.receipt_lt(awa.receipt, awa.receipt) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_receipt_lt';
CREATE FUNCTION awa.receipt_le(awa.receipt, awa.receipt) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_receipt_le';
CREATE FUNCTION awa.receipt_gt(awa.receipt, awa.receipt) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_receipt_gt';
CREATE FUNCTION awa.receipt_ge(awa.receipt, awa.receipt) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_receipt_ge';
CREATE FUNCTION awa.receipt_cmp(awa.receipt, awa.receipt) RETURNS int
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_receipt_cmp';
CREATE FUNCTION awa.receipt_hash(awa.receipt) RETURNS int
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_receipt_hash';
CREATE FUNCTION awa.receipt_hash_extended(awa.receipt, bigint) RETURNS bigint
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_receipt_hash_extended';

CREATE OPERATOR awa.= (LEFTARG = awa.receipt, RIGHTARG = awa.receipt, FUNCTION = awa.receipt_eq,
    COMMUTATOR = OPERATOR(awa.=), NEGATOR = OPERATOR(awa.<>), RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR awa.<> (LEFTARG = awa.receipt, RIGHTARG = awa.receipt, FUNCTION = awa.receipt_ne,
    COMMUTATOR = OPERATOR(awa.<>), NEGATOR = OPERATOR(awa.=), RESTRICT = neqsel, JOIN = neqjoinsel);
CREATE OPERATOR awa.< (LEFTARG = awa.receipt, RIGHTARG = awa.receipt, FUNCTION = awa.receipt_lt,
    COMMUTATOR = OPERATOR(awa.>), NEGATOR = OPERATOR(awa.>=), RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR awa.<= (LEFTARG = awa.receipt, RIGHTARG = awa.receipt, FUNCTION = awa.receipt_le,
    COMMUTATOR = OPERATOR(awa.>=), NEGATOR = OPERATOR(awa.>), RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR awa.> (LEFTARG = awa.receipt, RIGHTARG = awa.receipt, FUNCTION = awa.receipt_gt,
    COMMUTATOR = OPERATOR(awa.<), NEGATOR = OPERATOR(awa.<=), RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR awa.>= (LEFTARG = awa.receipt, RIGHTARG = awa.receipt, FUNCTION = awa.receipt_ge,
    COMMUTATOR = OPERATOR(awa.<=), NEGATOR = OPERATOR(awa.<), RESTRICT = scalargesel, JOIN = scalargejoinsel);

CREATE OPERATOR CLASS awa.receipt_ops DEFAULT FOR TYPE awa.receipt USING btree AS
    OPERATOR 1 awa.<, OPERATOR 2 awa.<=, OPERATOR 3 awa.=, OPERATOR 4 awa.>=, OPERATOR 5 awa.>,
    FUNCTION 1 awa.receipt_cmp(awa.receipt, awa.receipt);
CREATE OPERATOR CLASS awa.receipt_ops DEFAULT FOR TYPE awa.receipt USING hash AS
    OPERATOR 1 awa.=,
    FUNCTION 1 awa.receipt_hash(awa.receipt), FUNCTION 2 awa.receipt_hash_extended(awa.receipt, bigint);

CREATE FUNCTION awa.receipt_smaller(a awa.receipt, b awa.receipt) RETURNS awa.receipt
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN a OPERATOR(awa.<) b THEN a ELSE b END;
CREATE FUNCTION awa.receipt_larger(a awa.receipt, b awa.receipt) RETURNS awa.receipt
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN a OPERATOR(awa.>) b THEN a ELSE b END;
CREATE AGGREGATE awa.min(awa.receipt) (
    SFUNC = awa.receipt_smaller, STYPE = awa.receipt, COMBINEFUNC = awa.receipt_smaller, SORTOP = OPERATOR(awa.<),
    PARALLEL = SAFE);
CREATE AGGREGATE awa.max(awa.receipt) (
    SFUNC = awa.receipt_larger, STYPE = awa.receipt, COMBINEFUNC = awa.receipt_larger, SORTOP = OPERATOR(awa.>),
    PARALLEL = SAFE);
