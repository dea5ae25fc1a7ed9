-- One draw of entry_seq or receipt_seq yields a block of INCREMENT consecutive numbers: the value drawn is the block's
-- first. The increments are constants of the program as well (src/core/blocks.hpp); changing one means changing both.

CREATE SEQUENCE awa.queue_seq AS int MAXVALUE 8388607;
COMMENT ON SEQUENCE awa.queue_seq IS 'queue ids; never reused';

CREATE SEQUENCE awa.entry_seq INCREMENT BY 32 START 32 MINVALUE 32;
COMMENT ON SEQUENCE awa.entry_seq IS 'job ids and lane positions, in blocks of 32; a new job''s job_id is its first lane_seq';

CREATE SEQUENCE awa.receipt_seq INCREMENT BY 16384 START 16384 MINVALUE 16384;
COMMENT ON SEQUENCE awa.receipt_seq IS 'receipt, batch and frontier ids, in blocks of 16384: one draw serves one claim on one lane';

-- A ring's generation is a sequence that is only ever written exactly (setval) and read from its page: it is WAL-logged,
-- not transactional, and leaves no dead rows.
CREATE SEQUENCE awa.queue_ring_generation MINVALUE 0 START 0;
COMMENT ON SEQUENCE awa.queue_ring_generation IS 'generation of the queue ring; its last_value is current, slot = generation mod 16';
CREATE SEQUENCE awa.lease_ring_generation MINVALUE 0 START 0;
COMMENT ON SEQUENCE awa.lease_ring_generation IS 'generation of the lease ring; its last_value is current, slot = generation mod 8';
CREATE SEQUENCE awa.claim_ring_generation MINVALUE 0 START 0;
COMMENT ON SEQUENCE awa.claim_ring_generation IS 'generation of the claim ring; its last_value is current, slot = generation mod 8';

-- Likewise only ever written exactly; left out of dumps: in another cluster it is unknown.
CREATE SEQUENCE awa.deferred_low_water MINVALUE 0 START 0;
COMMENT ON SEQUENCE awa.deferred_low_water IS 'no deferred job is due before it: microseconds since 2000-01-01 UTC, rounded to 1024; 0 = unknown; last_value % 1024 counts resets';
