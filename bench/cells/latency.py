"""How long after its commit a worker has a job, in an idle system."""
import random
import statistics
import threading
import time

from harness import ONE, Target, at, cell

TABLE_CLAIM = """
UPDATE bench.jobs SET state = 'running', attempt = attempt + 1, claimed_at = now()
WHERE id = ANY (ARRAY(SELECT id FROM bench.jobs WHERE queue = 'latency' AND state = 'available' AND run_at <= now()
                      ORDER BY priority, run_at, id LIMIT 10 FOR UPDATE SKIP LOCKED)) RETURNING id, kind, args"""
TABLE_END = """
WITH ended AS (DELETE FROM bench.jobs WHERE id = ANY (%s) AND state = 'running' RETURNING *)
INSERT INTO bench.history SELECT id, queue, priority, 'completed', kind, args, attempt, max_attempts, run_at, created_at, claimed_at,
    now() FROM ended"""


class Ring:
    """Waits with wait_for_jobs."""
    enqueue = "SELECT awa.enqueue('latency', 'bench', %s::jsonb)"

    def __init__(self, session):
        self.cursor = session.cursor()

    def wait(self):
        self.cursor.execute("CALL awa.wait_for_jobs('{latency}', '1 s')")

    def claim(self):
        self.cursor.execute("SELECT job_id, kind, args, receipt FROM awa.claim('{latency}', 10)")
        return self.cursor.fetchall()

    def complete(self, rows):
        self.cursor.execute('SELECT awa.complete(%s::awa.receipt[])', ([row[3] for row in rows],))


class Polled(Ring):
    """Looks into the table each 100 ms."""
    enqueue = "INSERT INTO bench.jobs (queue, kind, args) VALUES ('latency', 'bench', %s) RETURNING id"

    def wait(self):
        time.sleep(0.1)

    def claim(self):
        self.cursor.execute(TABLE_CLAIM)
        return self.cursor.fetchall()

    def complete(self, rows):
        self.cursor.execute(TABLE_END, ([row[0] for row in rows],))


class Notified(Polled):
    """The producer notifies; the worker listens."""
    enqueue = ("WITH job AS (INSERT INTO bench.jobs (queue, kind, args) VALUES ('latency', 'bench', %s) RETURNING id) "
               "SELECT id, pg_notify('latency', '') FROM job")

    def __init__(self, session):
        super().__init__(session)
        self.session = session
        self.cursor.execute('LISTEN latency')

    def wait(self):
        import select
        if not self.session.notifies:
            select.select([self.session], [], [], 1)
        self.session.poll()
        self.session.notifies.clear()


def pickups(bench, kind, jobs, settings=''):
    """Milliseconds from the moment when the producer hears of its commit to the one when the worker, which hears of its own, has
    the job. Less than nothing is nothing. One clock: both are threads of this process, and neither computes."""
    sessions = [bench.session('latency') for _ in range(2)]
    for session in sessions:
        session.cursor().execute(settings or 'SELECT 1')
    committed, got, failed = {}, {}, []
    worker = kind(sessions[0])

    def work():
        try:
            while len(got) < jobs:
                rows = worker.claim()
                now = time.monotonic()
                if not rows:
                    worker.wait()
                    continue
                got.update((row[0], now) for row in rows)
                worker.complete(rows)
        except Exception as failure:  # told by the thread that measures
            failed.append(failure)
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    producer = sessions[1].cursor()
    for _ in range(jobs):
        time.sleep(random.uniform(0.005, 0.015))
        producer.execute(kind.enqueue, (ONE,))
        now = time.monotonic()
        committed[producer.fetchone()[0]] = now
    thread.join(30)
    for session in sessions:
        session.close()
    if failed or set(committed) != set(got):
        raise RuntimeError(f'{kind.__name__}: {len(committed)} jobs, {len(got)} were got {failed}')
    return [max(0.0, (got[job] - committed[job]) * 1000) for job in committed]


@cell('pickup of a job in an idle system, from its commit to the end of the claim, one every 10 ms', {
    'p50': 'ms', 'p90': 'ms', 'p99': 'ms', 'most': 'ms', 'by_share': 'ms'}, usual=False, drawn=('by_share',),
      targets=(Target('p50', at_most=1), Target('p99', at_most=5), Target('p50', at_most=1, of='without_waiting_for_the_disk'),
               Target('p99', at_most=5, of='without_waiting_for_the_disk')))
def pickup(bench):
    bench.sql("SELECT awa.create_queue('latency')")
    contestants = (('awa_ring', Ring, ''), ('without_waiting_for_the_disk', Ring, 'SET synchronous_commit = off'),
                   ('table_with_notify', Notified, ''), ('table_polled_each_100_ms', Polled, ''))
    for contestant, kind, settings in bench.turns(*contestants):
        bench.sql('VACUUM bench.jobs')
        waited = pickups(bench, kind, 250 * max(bench.seconds, 2), settings)
        shares = statistics.quantiles(waited, n=100, method='inclusive')
        bench.record(contestant, p50=shares[49], p90=shares[89], p99=shares[98], most=max(waited))
        for percent in range(1, 100):
            bench.record(at(contestant, percent), by_share=shares[percent - 1])
