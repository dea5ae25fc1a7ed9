-- Type awa_ledger.posting_id: names a posting, transfer:idx. 12 bytes: the transfer as int8, the place as int4.

CREATE TYPE awa_ledger.posting_id;

CREATE FUNCTION awa_ledger.posting_id_in(cstring) RETURNS awa_ledger.posting_id
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_in';
CREATE FUNCTION awa_ledger.posting_id_out(awa_ledger.posting_id) RETURNS cstring
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_out';
CREATE FUNCTION awa_ledger.posting_id_recv(internal) RETURNS awa_ledger.posting_id
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_recv';
CREATE FUNCTION awa_ledger.posting_id_send(awa_ledger.posting_id) RETURNS bytea
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_send';

CREATE TYPE awa_ledger.posting_id (
    INPUT = awa_ledger.posting_id_in, OUTPUT = awa_ledger.posting_id_out, RECEIVE = awa_ledger.posting_id_recv,
    SEND = awa_ledger.posting_id_send, INTERNALLENGTH = 12, ALIGNMENT = int4, STORAGE = plain
);
COMMENT ON TYPE awa_ledger.posting_id IS
$$names a posting: the transfer that created it, and its place there, 0 or more; text form transfer:idx. Text and varchar,
and arrays of them, are taken where a posting_id is wanted. Comparing ids needs schema awa_ledger in the search_path, or
the operator by its full name: a OPERATOR(awa_ledger.=) b.$$;

CREATE FUNCTION awa_ledger.posting_id(text) RETURNS awa_ledger.posting_id
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_from_text';
CREATE CAST (text AS awa_ledger.posting_id) WITH FUNCTION awa_ledger.posting_id(text) AS IMPLICIT;
-- What some drivers call their strings; as parameters they have this type and no other.
CREATE CAST (varchar AS awa_ledger.posting_id) WITH FUNCTION awa_ledger.posting_id(text) AS IMPLICIT;

CREATE FUNCTION awa_ledger.id_of(transfer_id bigint, idx int) RETURNS awa_ledger.posting_id
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_make';
CREATE FUNCTION awa_ledger.transfer_of(id awa_ledger.posting_id) RETURNS bigint
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_transfer';
CREATE FUNCTION awa_ledger.idx_of(id awa_ledger.posting_id) RETURNS int
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_idx';

CREATE FUNCTION awa_ledger.posting_id_eq(awa_ledger.posting_id, awa_ledger.posting_id) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_eq';
CREATE FUNCTION awa_ledger.posting_id_ne(awa_ledger.posting_id, awa_ledger.posting_id) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_ne';
CREATE FUNCTION awa_ledger.posting_id_lt(awa_ledger.posting_id, awa_ledger.posting_id) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_lt';
CREATE FUNCTION awa_ledger.posting_id_le(awa_ledger.posting_id, awa_ledger.posting_id) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_le';
CREATE FUNCTION awa_ledger.posting_id_gt(awa_ledger.posting_id, awa_ledger.posting_id) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_gt';
CREATE FUNCTION awa_ledger.posting_id_ge(awa_ledger.posting_id, awa_ledger.posting_id) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_ge';
CREATE FUNCTION awa_ledger.posting_id_cmp(awa_ledger.posting_id, awa_ledger.posting_id) RETURNS int
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_cmp';
CREATE FUNCTION awa_ledger.posting_id_hash(awa_ledger.posting_id) RETURNS int
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_hash';
CREATE FUNCTION awa_ledger.posting_id_hash_extended(awa_ledger.posting_id, bigint) RETURNS bigint
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'awa_posting_id_hash_extended';

CREATE OPERATOR awa_ledger.= (LEFTARG = awa_ledger.posting_id, RIGHTARG = awa_ledger.posting_id,
    FUNCTION = awa_ledger.posting_id_eq, COMMUTATOR = OPERATOR(awa_ledger.=), NEGATOR = OPERATOR(awa_ledger.<>),
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR awa_ledger.<> (LEFTARG = awa_ledger.posting_id, RIGHTARG = awa_ledger.posting_id,
    FUNCTION = awa_ledger.posting_id_ne, COMMUTATOR = OPERATOR(awa_ledger.<>), NEGATOR = OPERATOR(awa_ledger.=),
    RESTRICT = neqsel, JOIN = neqjoinsel);
CREATE OPERATOR awa_ledger.< (LEFTARG = awa_ledger.posting_id, RIGHTARG = awa_ledger.posting_id,
    FUNCTION = awa_ledger.posting_id_lt, COMMUTATOR = OPERATOR(awa_ledger.>), NEGATOR = OPERATOR(awa_ledger.>=),
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR awa_ledger.<= (LEFTARG = awa_ledger.posting_id, RIGHTARG = awa_ledger.posting_id,
    FUNCTION = awa_ledger.posting_id_le, COMMUTATOR = OPERATOR(awa_ledger.>=), NEGATOR = OPERATOR(awa_ledger.>),
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR awa_ledger.> (LEFTARG = awa_ledger.posting_id, RIGHTARG = awa_ledger.posting_id,
    FUNCTION = awa_ledger.posting_id_gt, COMMUTATOR = OPERATOR(awa_ledger.<), NEGATOR = OPERATOR(awa_ledger.<=),
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR awa_ledger.>= (LEFTARG = awa_ledger.posting_id, RIGHTARG = awa_ledger.posting_id,
    FUNCTION = awa_ledger.posting_id_ge, COMMUTATOR = OPERATOR(awa_ledger.<=), NEGATOR = OPERATOR(awa_ledger.<),
    RESTRICT = scalargesel, JOIN = scalargejoinsel);

CREATE OPERATOR CLASS awa_ledger.posting_id_ops DEFAULT FOR TYPE awa_ledger.posting_id USING btree AS
    OPERATOR 1 awa_ledger.<, OPERATOR 2 awa_ledger.<=, OPERATOR 3 awa_ledger.=, OPERATOR 4 awa_ledger.>=,
    OPERATOR 5 awa_ledger.>,
    FUNCTION 1 awa_ledger.posting_id_cmp(awa_ledger.posting_id, awa_ledger.posting_id);
CREATE OPERATOR CLASS awa_ledger.posting_id_ops DEFAULT FOR TYPE awa_ledger.posting_id USING hash AS
    OPERATOR 1 awa_ledger.=,
    FUNCTION 1 awa_ledger.posting_id_hash(awa_ledger.posting_id),
    FUNCTION 2 awa_ledger.posting_id_hash_extended(awa_ledger.posting_id, bigint);

COMMENT ON FUNCTION awa_ledger.posting_id_in(cstring) IS 'type posting_id: reads the text form. Errors: 22P02 malformed';
COMMENT ON FUNCTION awa_ledger.posting_id_out(awa_ledger.posting_id) IS 'type posting_id: writes the text form';
COMMENT ON FUNCTION awa_ledger.posting_id_recv(internal) IS
    'type posting_id: reads the binary form, int8 and int4. Errors: 22P03 malformed';
COMMENT ON FUNCTION awa_ledger.posting_id_send(awa_ledger.posting_id) IS 'type posting_id: writes the binary form, int8 and int4';
COMMENT ON FUNCTION awa_ledger.posting_id(text) IS 'The posting_id of a text form, as the casts do it. Errors: 22P02 malformed';
COMMENT ON CAST (text AS awa_ledger.posting_id) IS 'so that a text parameter, and text[], is taken for ids';
COMMENT ON CAST (varchar AS awa_ledger.posting_id) IS
    'so that a varchar parameter (JDBC: setString), and varchar[], is taken for ids';
COMMENT ON FUNCTION awa_ledger.id_of(bigint, int) IS
    'The id of a posting: its transfer, and its place there. Errors: 22023 a negative place';
COMMENT ON FUNCTION awa_ledger.transfer_of(awa_ledger.posting_id) IS 'The transfer that created the posting';
COMMENT ON FUNCTION awa_ledger.idx_of(awa_ledger.posting_id) IS 'The place of the posting in its transfer';

COMMENT ON FUNCTION awa_ledger.posting_id_eq(awa_ledger.posting_id, awa_ledger.posting_id) IS 'type posting_id: implements awa_ledger.=';
COMMENT ON FUNCTION awa_ledger.posting_id_ne(awa_ledger.posting_id, awa_ledger.posting_id) IS 'type posting_id: implements awa_ledger.<>';
COMMENT ON FUNCTION awa_ledger.posting_id_lt(awa_ledger.posting_id, awa_ledger.posting_id) IS 'type posting_id: implements awa_ledger.<';
COMMENT ON FUNCTION awa_ledger.posting_id_le(awa_ledger.posting_id, awa_ledger.posting_id) IS 'type posting_id: implements awa_ledger.<=';
COMMENT ON FUNCTION awa_ledger.posting_id_gt(awa_ledger.posting_id, awa_ledger.posting_id) IS 'type posting_id: implements awa_ledger.>';
COMMENT ON FUNCTION awa_ledger.posting_id_ge(awa_ledger.posting_id, awa_ledger.posting_id) IS 'type posting_id: implements awa_ledger.>=';
COMMENT ON FUNCTION awa_ledger.posting_id_cmp(awa_ledger.posting_id, awa_ledger.posting_id) IS
    'type posting_id: less than, equal to or greater than 0 as the first is below, the same as or above the second';
COMMENT ON FUNCTION awa_ledger.posting_id_hash(awa_ledger.posting_id) IS 'type posting_id: hash value';
COMMENT ON FUNCTION awa_ledger.posting_id_hash_extended(awa_ledger.posting_id, bigint) IS 'type posting_id: hash value with a seed';
COMMENT ON OPERATOR awa_ledger.= (awa_ledger.posting_id, awa_ledger.posting_id) IS 'the same posting';
COMMENT ON OPERATOR awa_ledger.<> (awa_ledger.posting_id, awa_ledger.posting_id) IS 'another posting';
COMMENT ON OPERATOR awa_ledger.< (awa_ledger.posting_id, awa_ledger.posting_id) IS 'less than, in the order of transfer, place';
COMMENT ON OPERATOR awa_ledger.<= (awa_ledger.posting_id, awa_ledger.posting_id) IS 'less than or equal';
COMMENT ON OPERATOR awa_ledger.> (awa_ledger.posting_id, awa_ledger.posting_id) IS 'greater than';
COMMENT ON OPERATOR awa_ledger.>= (awa_ledger.posting_id, awa_ledger.posting_id) IS 'greater than or equal';
COMMENT ON OPERATOR CLASS awa_ledger.posting_id_ops USING btree IS 'order of postings: for indexes, ORDER BY and merge joins';
COMMENT ON OPERATOR CLASS awa_ledger.posting_id_ops USING hash IS
    'equality of postings: for hash joins, GROUP BY and hash indexes';
COMMENT ON OPERATOR FAMILY awa_ledger.posting_id_ops USING btree IS 'order of postings';
COMMENT ON OPERATOR FAMILY awa_ledger.posting_id_ops USING hash IS 'equality of postings';
