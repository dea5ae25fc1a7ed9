"""Enqueueing, beside a plain INSERT and COPY of the same rows into a table with the same two indexes, and beside PgQ."""
from harness import HERE, ONE, Target, cell

from . import pgq
from .working import A_CALL, RATE


def prepare(bench):
    """The physical reference: the same rows as ours, into tables with the same two indexes, without any of the work around them."""
    if bench.kept.setdefault('plain', False):
        return
    bench.kept['plain'] = True
    bench.sql((HERE / 'plain.sql').read_text())
    bench.sql("SELECT awa.create_queue('single'), awa.create_queue('many')")
    pgq.create(bench, 'single')
    pgq.create(bench, 'many')


def single(bench, clients):
    pgq.keep_house(bench)
    for contestant, script in bench.turns(('awa_ring', 'awa_single'), ('plain_insert', 'plain_single'), ('skip_locked', 'table_single'),
                                          ('pgq', 'pgq_single')):
        done = bench.pgbench(bench.script(script), clients=clients, one=ONE)
        bench.record(contestant, jobs_per_second=done.per_second, latency=done.latency, wal_per_job=done.wal / done.transactions)


@cell('enqueue of one job, 1 client', RATE, prepare=prepare, targets=(Target('jobs_per_second', 'plain_insert', at_least=0.9),))
def single_1(bench):
    single(bench, 1)


@cell('enqueue of one job, 8 clients', RATE, prepare=prepare, targets=(Target('jobs_per_second', 'plain_insert', at_least=0.9),))
def single_8(bench):
    single(bench, 8)


@cell('enqueue of one job, 8 clients, with and without a ninth session that enqueued and sits idle in its transaction', RATE,
      prepare=prepare, targets=(Target('jobs_per_second', 'without', at_least=0.95),))
def single_8_idle(bench):
    for contestant in bench.turns('awa_ring', 'without'):
        with bench.transaction("SELECT awa.enqueue('single', 'bench')" if contestant == 'awa_ring' else 'SELECT 1'):
            done = bench.pgbench(bench.script('awa_single'), clients=8, one=ONE)
        bench.record(contestant, jobs_per_second=done.per_second, latency=done.latency, wal_per_job=done.wal / done.transactions)


@cell('enqueue_many of 1,000 jobs, 1 client; PgQ: 1,000 calls of a statement', RATE, prepare=prepare,
      targets=(Target('jobs_per_second', 'copy', at_least=0.8), Target('jobs_per_second', 'pgq', at_least=3),
               Target('wal_per_job', at_most=400)))
def many_1000(bench):
    rows = [ONE.replace('104729', str(104729 + i)) for i in range(A_CALL)]
    copied = bench.work / 'copied'
    copied.write_text(''.join(f'bench\t{row}\n' for row in rows))
    copied.chmod(0o644)
    many = '{' + ','.join('"' + row.replace('"', '\\"') + '"' for row in rows) + '}'
    pgq.keep_house(bench)
    for contestant, script in bench.turns(('awa_ring', 'awa_many'), ('copy', 'plain_copy'), ('plain_insert', 'plain_many'),
                                          ('pgq', 'pgq_many')):
        # Rows that stay: so many that the tables grow alike.
        done = bench.pgbench(bench.script(script, **({'file': copied} if contestant == 'copy' else {})),
                             transactions=100 * bench.seconds, many=many)
        bench.record(contestant, jobs_per_second=done.per_second * A_CALL, latency=done.latency,
                     wal_per_job=done.wal / (done.transactions * A_CALL))
