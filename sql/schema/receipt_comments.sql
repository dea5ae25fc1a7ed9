-- What the parts of type awa.receipt are for.

COMMENT ON FUNCTION awa.receipt_in(cstring) IS 'type receipt: reads the text form. Errors: 22P02 malformed';
COMMENT ON FUNCTION awa.receipt_out(awa.receipt) IS 'type receipt: writes the text form';
COMMENT ON FUNCTION awa.receipt_recv(internal) IS
    'type receipt: reads the binary form, 48 bytes: int2, six zero bytes, then five int8. Errors: 22P03 malformed';
COMMENT ON FUNCTION awa.receipt_send(awa.receipt) IS
    'type receipt: writes the binary form, 48 bytes: int2, six zero bytes, then five int8';
COMMENT ON FUNCTION awa.receipt(text) IS 'The receipt of a text form, as the casts do it. Errors: 22P02 malformed';
COMMENT ON CAST (text AS awa.receipt) IS 'so that a text parameter, and text[], is taken for receipts';
COMMENT ON CAST (varchar AS awa.receipt) IS
    'so that a varchar parameter (JDBC: setString), and varchar[], is taken for receipts';

COMMENT ON FUNCTION awa.receipt_eq(awa.receipt, awa.receipt) IS 'type receipt: implements awa.=';
COMMENT ON FUNCTION awa.receipt_ne(awa.receipt, awa.receipt) IS 'type receipt: implements awa.<>';
COMMENT ON FUNCTION awa.receipt_lt(awa.receipt, awa.receipt) IS 'type receipt: implements awa.<';
COMMENT ON FUNCTION awa.receipt_le(awa.receipt, awa.receipt) IS 'type receipt: implements awa.<=';
COMMENT ON FUNCTION awa.receipt_gt(awa.receipt, awa.receipt) IS 'type receipt: implements awa.>';
COMMENT ON FUNCTION awa.receipt_ge(awa.receipt, awa.receipt) IS 'type receipt: implements awa.>=';
COMMENT ON FUNCTION awa.receipt_cmp(awa.receipt, awa.receipt) IS
    'type receipt: less than, equal to or greater than 0 as the first is below, the same as or above the second';
COMMENT ON FUNCTION awa.receipt_hash(awa.receipt) IS 'type receipt: hash value';
COMMENT ON FUNCTION awa.receipt_hash_extended(awa.receipt, bigint) IS 'type receipt: hash value with a seed';
COMMENT ON FUNCTION awa.receipt_smaller(awa.receipt, awa.receipt) IS
    'type receipt: the smaller of two; a step of awa.min';
COMMENT ON FUNCTION awa.receipt_larger(awa.receipt, awa.receipt) IS
    'type receipt: the larger of two; a step of awa.max';
COMMENT ON AGGREGATE awa.min(awa.receipt) IS
    'smallest receipt, in the order of slot, batch, receipt, job, lease, fence';
COMMENT ON AGGREGATE awa.max(awa.receipt) IS 'largest receipt, in the order of slot, batch, receipt, job, lease, fence';

COMMENT ON OPERATOR awa.= (awa.receipt, awa.receipt) IS 'the same receipt';
COMMENT ON OPERATOR awa.<> (awa.receipt, awa.receipt) IS 'another receipt';
COMMENT ON OPERATOR awa.< (awa.receipt, awa.receipt) IS
    'less than, in the order of slot, batch, receipt, job, lease, fence';
COMMENT ON OPERATOR awa.<= (awa.receipt, awa.receipt) IS 'less than or equal';
COMMENT ON OPERATOR awa.> (awa.receipt, awa.receipt) IS 'greater than';
COMMENT ON OPERATOR awa.>= (awa.receipt, awa.receipt) IS 'greater than or equal';
COMMENT ON OPERATOR CLASS awa.receipt_ops USING btree IS 'order of receipts: for indexes, ORDER BY and merge joins';
COMMENT ON OPERATOR CLASS awa.receipt_ops USING hash IS
    'equality of receipts: for hash joins, GROUP BY and hash indexes';
COMMENT ON OPERATOR FAMILY awa.receipt_ops USING btree IS 'order of receipts';
COMMENT ON OPERATOR FAMILY awa.receipt_ops USING hash IS 'equality of receipts';
