"""Claiming and completing: awa_ring, the usual SKIP LOCKED table and PgQ, a commit for each of the two steps."""
from harness import ONE, Target, cell

from . import pgq

RATE = {'jobs_per_second': '1/s', 'latency': 'ms a transaction', 'wal_per_job': 'bytes'}
A_CALL = 1000  # jobs of a transaction that fills


def turn_rings(bench):
    """As after some hours of work: the rings have gone round, every slot was in use and is empty again."""
    bench.sql("SET awa_ring.history_retention = 0")
    bench.sql("SELECT awa.create_queue('turns')")
    for _ in range(17):
        bench.sql("SELECT awa.enqueue('turns', 'turn')")
        bench.sql("SELECT awa.complete(ARRAY(SELECT receipt FROM awa.claim('{turns}')))")
        bench.keep_house()
    bench.sql("RESET awa_ring.history_retention")


def claimed_total(bench, queue):
    """Jobs of the queue that were ever claimed, of priority 2; of its newest frontier, for queue_stats looks at all queues."""
    return bench.value("SELECT coalesce(max(claimed_total), 0) FROM awa.lane_frontiers WHERE lane_id = "
                       "(SELECT queue_id * 256 + 64 FROM awa.queues WHERE queue = %s AND dropped_at IS NULL)", queue)


def fill_ours(bench, queue, count):
    """At least so many jobs wait. All contestants get theirs in the same way and size: 1,000 a transaction."""
    if bench.sql("SELECT awa.create_queue(%s)", queue)[0][0]:
        bench.kept[queue] = 0
    taken = claimed_total(bench, queue)
    for _ in range((count - (bench.kept[queue] - taken) + A_CALL - 1) // A_CALL):
        bench.sql("SELECT count(*) FROM awa.enqueue_many(%s, 'bench', array_fill(%s::jsonb, ARRAY[%s]))", queue, ONE, A_CALL)
        bench.kept[queue] += A_CALL


def fill_table(bench, queue, count):
    waiting = bench.value("SELECT count(*) FROM bench.jobs WHERE queue = %s AND state = 'available'", queue)
    for _ in range((count - waiting + A_CALL - 1) // A_CALL):
        bench.sql("INSERT INTO bench.jobs (queue, kind, args) SELECT %s, 'bench', %s FROM generate_series(1, %s)", queue, ONE, A_CALL)
    bench.sql('VACUUM (ANALYZE) bench.jobs')


def check_left(bench, queue):
    """Claims that find nothing would look fast: enough must be left."""
    left = bench.kept[queue] - claimed_total(bench, queue)
    rows = bench.value("SELECT count(*) FROM bench.jobs WHERE queue = %s AND state = 'available'", queue)
    if left <= 0 or rows <= 0:
        raise RuntimeError(f'queue {queue} ran dry ({left} jobs, {rows} rows left): the figures would be wrong')


def work(bench, batch, clients, ours, table, events=0):
    """All do cycles of a claim and a completion, each committed by itself; the rows of the jobs go to the client. ours, table and
    events: how many jobs they get for each second, the last for PgQ, which is left out without."""
    queue = bench.cell.name
    contestants = [('awa_ring', 'awa_work'), ('skip_locked', 'table_work')]
    fill_ours(bench, queue, ours * bench.seconds)
    fill_table(bench, queue, table * bench.seconds)
    if events:
        contestants.append(('pgq', 'pgq_work'))
        pgq.fill(bench, queue, batch, events * bench.seconds)
    for contestant, script in bench.turns(*contestants):
        done = bench.pgbench(bench.script(script, queue=queue, batch=batch), clients=clients, receipts='{}')
        if contestant == 'pgq':
            pgq.check(bench, queue, done.transactions)
        bench.record(contestant, jobs_per_second=done.per_second * batch, latency=done.latency,
                     wal_per_job=done.wal / (done.transactions * batch))
    check_left(bench, queue)


@cell('claim + complete, two commits, batch 1, 1 client', RATE, targets=(Target('jobs_per_second', 'skip_locked', at_least=1.2),))
def work_1(bench):
    work(bench, 1, 1, 10_000, 10_000)


# PgQ acknowledges a batch as a whole and keeps no history of it: that is less work, and not what a queue of jobs does.
TIER = 'PgQ: batches acknowledged as a whole, no history'


@cell(f'claim + complete, two commits, batch 128, 1 client; {TIER}', RATE,
      targets=(Target('jobs_per_second', 'skip_locked', at_least=3), Target('jobs_per_second', 'pgq', at_least=1)))
def work_128(bench):
    work(bench, 128, 1, 400_000, 150_000, 400_000)


@cell(f'claim + complete, two commits, batch 512, 1 client; {TIER}', RATE,
      targets=(Target('jobs_per_second', 'skip_locked', at_least=3),))
def work_512(bench):
    work(bench, 512, 1, 500_000, 150_000, 1_000_000)


@cell('claim + complete, two commits, batch 1, 8 clients on one lane', RATE, usual=False,
      targets=(Target('jobs_per_second', 'skip_locked', at_least=1),))
def work_1x8(bench):
    work(bench, 1, 8, 30_000, 30_000)


@cell('claim + complete, two commits, batch 16, 8 clients on one lane', RATE, usual=False,
      targets=(Target('jobs_per_second', 'skip_locked', at_least=1),))
def work_16x8(bench):
    work(bench, 16, 8, 200_000, 200_000)


@cell('complete_and_claim, one commit, beside the two calls; batch 1, 1 client', RATE,
      targets=(Target('jobs_per_second', 'two_calls', at_least=1.6),))
def cycle_1(bench):
    fill_ours(bench, 'cycle_1', 30_000 * bench.seconds)
    for contestant, script in bench.turns(('awa_ring', 'awa_cycle'), ('two_calls', 'awa_work')):
        done = bench.pgbench(bench.script(script, queue='cycle_1', batch=1), receipts='{}')
        bench.record(contestant, jobs_per_second=done.per_second, latency=done.latency, wal_per_job=done.wal / done.transactions)
