-- The ledger lives in a schema of its own, which belongs to the extension: one that is there already is a stranger's.

CREATE SCHEMA awa_ledger;
COMMENT ON SCHEMA awa_ledger IS 'awa_ring''s ledger: immutable postings, and which of them are spendable, held or spent';

CREATE SEQUENCE awa_ledger.id_seq;
COMMENT ON SEQUENCE awa_ledger.id_seq IS
    'ids of transfers and of reservations, one sequence for both; the primitives take no id that was not drawn from it';

CREATE SEQUENCE awa_ledger.log_seq;
COMMENT ON SEQUENCE awa_ledger.log_seq IS
    'order of reservation_log: a value is drawn when the rows it is about are locked, so the log of a posting is in the order of events';

CREATE SEQUENCE awa_ledger.change_seq MINVALUE -4611686018427387904 START -4611686018427387904;
COMMENT ON SEQUENCE awa_ledger.change_seq IS
    'order of changes of accounts within a transaction; below 0, so that no number is a transfer''s as well';

CREATE SEQUENCE awa_ledger.epoch;
COMMENT ON SEQUENCE awa_ledger.epoch IS
    'only ever set exactly; its last_value counts the clusters that the ledger has lived in: transaction ids of another one mean nothing here';

CREATE FUNCTION awa_ledger.current_epoch() RETURNS int
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$ SELECT last_value::int FROM awa_ledger.epoch $$;
COMMENT ON FUNCTION awa_ledger.current_epoch() IS 'internal: the epoch that transactions of now belong to';
