"""Limits: the server's lock table, and the memory of a backend."""
import random
import threading
import time

from harness import ONE, Target, cell

from .working import fill_ours

SESSIONS, RECEIPTS = 64, 1000


def complete_at_once(bench, mixed):
    """Seconds, errors and completed jobs of 64 sessions that complete 1,000 receipts each at the same moment."""
    fill_ours(bench, 'at_once', SESSIONS * RECEIPTS)
    batches = [bench.value("SELECT array_agg(receipt::text) FROM awa.claim('{at_once}', %s)", RECEIPTS) for _ in range(SESSIONS)]
    if mixed:
        receipts = [receipt for batch in batches for receipt in batch]
        random.Random(bench.round).shuffle(receipts)
        batches = [receipts[i::SESSIONS] for i in range(SESSIONS)]
    sessions = [bench.session('at_once') for _ in batches]
    ready, errors, completed = threading.Barrier(SESSIONS + 1), [], []

    def complete(session, batch):
        cursor = session.cursor()
        ready.wait(60)
        try:
            cursor.execute('SELECT awa.complete(%s::awa.receipt[])', (batch,))
            completed.append(cursor.fetchone()[0])
        except Exception as error:
            errors.append(str(error))
    threads = [threading.Thread(target=complete, args=pair, daemon=True) for pair in zip(sessions, batches)]
    for thread in threads:
        thread.start()
    ready.wait(60)
    began = time.monotonic()
    for thread in threads:
        thread.join(120)
    seconds = time.monotonic() - began
    for session in sessions:
        session.close()
    if not errors and sum(completed) != SESSIONS * RECEIPTS:
        raise RuntimeError(f'{sum(completed)} of {SESSIONS * RECEIPTS} jobs were completed')
    return seconds, errors


@cell('64 sessions complete 1,000 receipts each at once: those of a claim of their own, and those of all claims mixed',
      {'time': 's', 'errors': 'sessions'}, usual=False,
      targets=(Target('errors', at_most=0), Target('errors', at_most=0, of='mixed')))
def locks(bench):
    if bench.value('SHOW max_locks_per_transaction') != '64':
        raise RuntimeError('max_locks_per_transaction is not the default')
    for contestant in bench.turns('awa_ring', 'mixed'):
        seconds, errors = complete_at_once(bench, contestant == 'mixed')
        bench.record(contestant, time=seconds, errors=len(errors))


def private_memory(pid):
    """MB."""
    with open(f'/proc/{pid}/status') as status:
        return next(int(line.split()[1]) for line in status if line.startswith('RssAnon')) / 1024


@cell('memory of a backend that enqueues, claims and completes 100 jobs at a time, 500,000 for each second of a usual cell',
      {'growth': 'MB from the 100,000th job on', 'memory': 'MB in the end'}, usual=False, rounds=2,
      targets=(Target('growth', at_most=2),))
def memory(bench):
    bench.sql("SELECT awa.create_queue('memory')")
    session = bench.session('memory')
    cursor = session.cursor()
    cursor.execute('SET synchronous_commit = off')
    cursor.execute("PREPARE enqueue AS SELECT count(*) FROM awa.enqueue_many('memory', 'bench', array_fill($1::jsonb, ARRAY[100]))")
    cursor.execute("PREPARE claim AS SELECT array_agg(receipt)::text FROM awa.claim('{memory}', 100)")
    cursor.execute('PREPARE complete AS SELECT awa.complete($1::awa.receipt[])')
    early, total = 0, 500_000 * bench.seconds
    for done in range(100, total + 1, 100):
        cursor.execute('EXECUTE enqueue (%s)', (ONE,))
        cursor.execute('EXECUTE claim')
        cursor.execute('EXECUTE complete (%s)', cursor.fetchone())
        if cursor.fetchone()[0] != 100:
            raise RuntimeError(f'not all of the jobs before the {done}th were completed')
        if done == 100_000:
            early = private_memory(session.info.backend_pid)
    late = private_memory(session.info.backend_pid)
    session.close()
    bench.record('awa_ring', growth=late - early, memory=late)
