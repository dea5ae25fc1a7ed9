"""Processes that turn and empty the rings as fast as they go, and the account of a run whose history is pruned."""
import collections
import multiprocessing
import time

import account
import psycopg2

multiprocessing.set_start_method('fork', force=True)  # see load.py
RINGS = (('queue', 16), ('claim', 8))
# What the account says of history is said here, with what was pruned.
WITHOUT_PRUNE = ('enqueued, and not in jobs', 'completed here, and not in terminal_jobs', 'queue_counts agree')


class Turning(multiprocessing.Process):
    """CALLs one verb (rotate or prune) on a ring, or maintain, until stopped. outcomes: outcome -> times."""

    def __init__(self, verb, ring, dsn='', pause=0.0, settings=()):
        super().__init__(daemon=True)
        self.verb, self.ring, self.dsn, self.pause, self.settings = verb, ring, dsn, pause, settings
        self.stop = multiprocessing.Event()
        self.results = multiprocessing.Queue()
        self.outcomes, self.errors, self.seconds = collections.Counter(), [], []

    def run(self):
        outcomes, errors, seconds = collections.Counter(), [], []
        connection, cursor = account.connect(self.dsn)
        cursor.execute("SET application_name = 'turning'")
        for setting in ('history_retention = 0', *self.settings):
            cursor.execute(f'SET awa_ring.{setting}')
        while not self.stop.is_set():
            began = time.monotonic()
            try:
                cursor.execute(f'CALL awa.{self.verb}(%s)', [self.ring])
                outcome = cursor.fetchone()[0]
            except psycopg2.Error as error:
                outcome = error.pgcode
                errors.append((error.pgcode, str(error)))
            outcomes[outcome] += 1
            seconds.append(time.monotonic() - began)
            self.stop.wait(self.pause)
        connection.close()
        self.results.put((outcomes, errors, seconds))

    def finish(self):
        """Stops it, and takes over and shows what it counted."""
        self.stop.set()
        self.outcomes, self.errors, self.seconds = self.results.get(timeout=60)
        self.join(60)
        words = ', '.join(f'{n} {outcome}' for outcome, n in sorted(self.outcomes.items()))
        print(f'# {self.verb}({self.ring}): {words}; {sum(self.seconds):.1f} s in all, {max(self.seconds) * 1000:.0f} ms the slowest',
              flush=True)


def start(dsn='', rotate_every=0.05):
    """Turns and empties both rings, each verb in a process of its own. A slot that holds one job is full history already:
    rotations without any pause would leave the jobs no slot to gather in."""
    turners = [Turning('rotate', ring, dsn, rotate_every) for ring, _ in RINGS] + [Turning('prune', ring, dsn) for ring, _ in RINGS]
    for turner in turners:
        turner.start()
    return turners


def start_maintaining(dsn=''):
    """Two sessions that call maintain() all the time: one is the leader, or the other. A session that has it all to itself would turn the
    rings by claims and by size as soon as they are due."""
    settings = ('duty_interval = 10', 'claim_turn_claims = 200', 'queue_turn_size = 512', 'lease_turn_age = 1', 'retention_interval = 1')
    turners = [Turning('maintain', None, dsn, 0.005, settings) for _ in range(2)]
    for turner in turners:
        turner.start()
    return turners


def generations(cursor):
    cursor.execute('SELECT (SELECT last_value FROM awa.queue_ring_generation), (SELECT last_value FROM awa.claim_ring_generation)')
    return dict(zip(('queue', 'claim'), cursor.fetchone()))


def checks(cursor, drained):
    """As account.checks; completed jobs are in terminal_jobs or, when pruned, in the rollups."""
    for holds, what, detail in account.checks(cursor, drained):
        if not what.startswith(WITHOUT_PRUNE):
            yield holds, what, detail
    # account.checks left a copy of the view of jobs in pg_temp.seen
    cursor.execute("""
        SELECT count(*) FROM (SELECT job_id FROM tally.enqueued EXCEPT SELECT job_id FROM seen
                              EXCEPT SELECT job_id FROM tally.claimed JOIN tally.completed USING (receipt)) x""")
    n = cursor.fetchone()[0]
    yield n == 0, f'neither completed nor in jobs = {n}', ''
    cursor.execute("""
        SELECT count(*) FROM tally.claimed JOIN tally.completed USING (receipt) JOIN awa.jobs j USING (job_id)
        WHERE j.state <> 'completed'""")
    n = cursor.fetchone()[0]
    yield n == 0, f'completed, and in jobs in another state = {n}', ''
    cursor.execute("""
        SELECT q.queue, coalesce(d.completed, 0), coalesce(r.pruned, 0), coalesce(t.kept, 0), s.completed_total
        FROM awa.list_queues() q JOIN awa.queues i ON i.queue = q.queue JOIN awa.queue_stats s ON s.queue = q.queue
             LEFT JOIN (SELECT queue, count(*) AS completed
                        FROM tally.enqueued JOIN tally.claimed USING (job_id) JOIN tally.completed USING (receipt)
                        GROUP BY queue) d ON d.queue = q.queue
             LEFT JOIN (SELECT queue_id, sum(jobs)::bigint AS pruned FROM awa.queue_terminal_rollups WHERE outcome = 'completed'
                        GROUP BY queue_id) r ON r.queue_id = i.queue_id
             LEFT JOIN (SELECT queue, count(*) AS kept FROM awa.terminal_jobs WHERE state = 'completed' GROUP BY queue) t
                 ON t.queue = q.queue""")
    rows = cursor.fetchall()
    yield (all(completed == pruned + kept == total for _, completed, pruned, kept, total in rows),
           'completed = rollups + terminal_jobs = completed_total', f'(queue, completed, rollups, terminal_jobs, completed_total) {rows}')
