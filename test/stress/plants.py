"""Bugs planted on purpose, to see that the stress driver finds them, and finds them again from the seed it printed.

A plant damages the evidence behind a call, in the transaction of that call, as a bug of the extension would. What it
damages is drawn from the seed of the plan; whether it shows may depend on how sessions interleave.
"""
import random


def find(name):
    if name is None:
        return None
    for each in Plant.__subclasses__():
        if each.name == name:
            return each()
    raise SystemExit(f"there is no plant '{name}': {', '.join(each.name for each in Plant.__subclasses__())}")


class Plant:
    name, verb, share = '', '', 1.0
    script = 'operations'  # that finds it

    def after(self, transaction, sql, rows):
        """After a call of a transaction: the damage, if it is a call of the verb."""
        if f'awa.{self.verb}(' in sql and random.Random(f'{transaction.name}/{len(transaction.calls)}').random() < self.share:
            self.damage(transaction, rows)

    def damage(self, transaction, rows):
        raise NotImplementedError

    def run(self, transaction, sql, *parameters):
        transaction.world.count[f'planted {self.name}'] += transaction.session.change(sql, parameters)


def receipts_ended(rows):
    return [row['receipt'] for row in rows if row.get('completed')]


UNCLOSE = """WITH r AS (SELECT split_part(r, ':', 1)::int AS slot, split_part(r, ':', 2)::bigint AS batch, split_part(r, ':', 3)::bigint AS receipt
                        FROM unnest(%s::text[]) r),
                  compact AS (DELETE FROM awa.lease_claim_closure_batches x USING r
                              WHERE x.claim_slot = r.slot AND x.claim_batch_id = r.batch AND x.receipt_ranges @> r.receipt RETURNING 1),
                  single AS (DELETE FROM awa.lease_claim_closures x USING r
                             WHERE x.claim_slot = r.slot AND x.receipt_id = r.receipt RETURNING 1)
             SELECT FROM compact UNION ALL SELECT FROM single"""


class LostClosure(Plant):
    """A completion now and then forgets the closure of what it recorded as completed."""
    name, verb, share = 'lost-closure', 'complete_each', 0.1

    def damage(self, transaction, rows):
        self.run(transaction, UNCLOSE, receipts_ended(rows)[:3])


class TwoWinners(Plant):
    """A race: when another session waits for the attempts that a completion has ended, it finds them open."""
    name, verb = 'two-winners', 'complete_each'

    def damage(self, transaction, rows):
        if transaction.session.execute("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid BETWEEN 102 AND 104 AND NOT granted"):
            self.run(transaction, UNCLOSE, receipts_ended(rows))


class LostEntry(Plant):
    """Enqueueing in bulk now and then loses a row."""
    name, verb, share = 'lost-entry', 'enqueue_many', 0.05

    def damage(self, transaction, rows):
        self.run(transaction, 'DELETE FROM awa.ready_entries WHERE job_id = ANY (%s::bigint[])', rows[0]['jobs'][:1])


class LostEmission(Plant):
    """A claim forgets to say what it handed out, and the frontier is one from before."""
    name, verb, share = 'lost-emission', 'claim_ready_runtime', 0.2

    def damage(self, transaction, rows):
        batches = list({row['receipt'].split(':')[1] for row in rows})
        if batches:
            self.run(transaction, 'DELETE FROM awa.ready_claim_attempt_batches WHERE batch_id = ANY (%s::bigint[])', batches)
            self.run(transaction, """DELETE FROM awa.lane_frontiers f
                                     USING (SELECT batch_id, lane_id FROM awa.lease_claim_batches
                                            UNION ALL SELECT receipt_id, lane_id FROM awa.lease_claims) b
                                     WHERE b.batch_id = ANY (%s::bigint[]) AND f.lane_id = b.lane_id AND f.frontier_id > b.batch_id""",
                     batches)


class StaleSeal(Plant):
    """The slot that is opened keeps the seal of its last use: entries of later transactions are passed by."""
    name, verb = 'stale-seal', 'enqueue_jobs'

    def damage(self, transaction, rows):
        if transaction.level == 'READ COMMITTED':
            self.run(transaction, """UPDATE awa.queue_ring_slots s SET sealed_xid = pg_snapshot_xmin(pg_current_snapshot())
                                     WHERE s.slot = (SELECT last_value % 16 FROM awa.queue_ring_generation) AND s.sealed_xid IS NULL""")


class LedgerDamage:
    """After a call of test/stress/ledger; `sql` has its transfer, or its reservation, as %s."""
    script, sql = 'ledger', ''

    def after_call(self, session, sql, rows):
        if f'awa_ledger.{self.verb}(' in sql and rows and session.rng.random() < self.share:
            session.cursor.execute(self.sql, [rows[0][0]])


class DoubleSpend(LedgerDamage, Plant):
    """A transfer now and then forgets to take what it spends from the hot table."""
    name, verb, share = 'double-spend', 'transfer', 0.02
    sql = """INSERT INTO awa_ledger.live_postings SELECT p.transfer_id, p.idx, p.asset, p.account, p.subaccount, p.value
             FROM awa_ledger.spends s JOIN awa_ledger.postings p USING (transfer_id, idx) WHERE s.spent_by = %s LIMIT 1"""


class LostChange(LedgerDamage, Plant):
    """A transfer now and then loses what it created last."""
    name, verb, share = 'lost-change', 'transfer', 0.02
    sql = 'DELETE FROM awa_ledger.live_postings WHERE (transfer_id, idx) = (SELECT transfer_id, max(idx) FROM awa_ledger.postings WHERE transfer_id = %s GROUP BY 1)'


class ReservedForAll(LedgerDamage, Plant):
    """What is reserved is not, a moment later."""
    name, verb, share = 'reserved-for-all', 'reserve', 0.3
    sql = 'UPDATE awa_ledger.live_postings SET reservation = NULL WHERE reservation IS NOT NULL AND %s IS NOT NULL'
