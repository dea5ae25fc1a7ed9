"""Clients, background workers and servers are killed at random moments under load, and work goes on: nothing is lost, no job is worked on
by two at once, no end of an attempt that was fenced is accepted. For test/t/kills and test/t/kills-worker.

AWA_SEED replays the choices. What test/t/crash has beside this: prepared and asynchronous commits, and forged receipts.
"""
import collections
import os
import random
import signal
import sys
import tempfile
import time

import honest
from server import Server
from worker_session import SLOW, within

STALE_AFTER = 2  # seconds
MOST_WAITING = 2000
# Small slots, so that the rings go round and are emptied while all that goes on.
SETTINGS = ('history_retention = 0', 'claim_turn_claims = 30', 'queue_turn_size = 256', 'lease_turn_age = 1', 'retention_interval = 1')
OFTEN = 'duty_interval = 50'
CADENCE = 1  # second, of the background worker: the default of duty_interval


class Outages:
    """Ends of the background worker, and how long it took until maintenance was done again."""

    def __init__(self, server, rng):
        self.server, self.rng = server, rng
        self.took = collections.defaultdict(list)
        self.crashes = 0

    def connect(self):
        found = []

        def tries():
            try:
                found.append(honest.connect(self.server.dsn))
            except honest.psycopg2.OperationalError:
                return False
            return True

        within(30, tries)
        return found[0]

    def worker(self, cursor):
        cursor.execute('SELECT pid FROM awa.worker_status WHERE leads')
        row = cursor.fetchone()
        return row and row[0]

    def resumes(self, what, since):
        """A job that is due at once is promoted; it is claimed and completed like any other."""
        connection, cursor = self.connect()
        up = time.monotonic()
        cursor.execute(honest.PUT_OFF, ['probe', '1 ms', 'probe'])
        job = cursor.fetchone()[0]

        def promoted():
            cursor.execute('SELECT state FROM awa.jobs WHERE job_id = %s', [job])
            return cursor.fetchone()[0] == 'available'

        if within(30, promoted):
            self.took[what].append((time.monotonic() - since, time.monotonic() - up))
            cursor.execute(honest.CLAIM, [['probe'], 10])
            cursor.execute(honest.COMPLETE, [[row[2] for row in cursor.fetchall()]])
        else:
            self.took[what].append((99, 99))
        connection.close()

    def kill(self):
        """The worker is ended, then killed, which the server takes for a crash of its own."""
        for what in ('terminated', 'killed'):
            time.sleep(self.rng.uniform(0, 1))
            connection, cursor = self.connect()
            within(5, lambda: self.worker(cursor))
            pid = self.worker(cursor)
            since = time.monotonic()
            if pid is None:
                self.took[what].append((99, 99))
            elif what == 'terminated':
                cursor.execute('SELECT pg_terminate_backend(%s)', [pid])
            else:
                os.kill(pid, signal.SIGKILL)
                self.crashes += 1
            connection.close()
            if what == 'killed':
                time.sleep(0.1)
            self.resumes(what, since)

    def tell(self, report):
        # A second until it is started again, or the time in which the server comes up; a round comes each CADENCE.
        for what, most in (('terminated', 1 + CADENCE), ('killed', CADENCE), ('stopped', CADENCE)):
            whole, from_there = zip(*self.took[what])
            print(f'# {what}: maintenance again after {sorted(whole)[len(whole) // 2]:.2f} s, {max(whole):.2f} s at most; '
                  f'once the server was up {max(from_there):.2f} s at most', flush=True)
            report(max(from_there) < most + SLOW, f'{len(whole)} times {what}: work resumes within one cadence', self.took[what])


def main(rounds, worker=False):
    """worker: maintenance is done by the background worker, which is killed as well; else by clients."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    seed = os.environ.get('AWA_SEED') or str(random.randrange(10**9))
    rng = random.Random(seed)
    failed = 0

    def report(holds, what, detail=''):
        nonlocal failed
        failed += not holds
        print(f"{'ok' if holds else 'not ok'} - {what}", flush=True)
        if not holds:
            print(f'# {str(detail)[:3000]} (seed {seed})', flush=True)

    print(f'# seed {seed}', flush=True)
    server, crew = Server(), None
    try:
        began = time.monotonic()
        server.create()
        if worker:
            server.configure("shared_preload_libraries = 'awa_ring'\nawa_ring.autostart = on\n" +
                             ''.join(f'awa_ring.{setting}\n' for setting in (*SETTINGS, 'empty_slots = 6')))
        server.start()
        outages = Outages(server, rng)
        connection, cursor = honest.connect(server.dsn)
        honest.set_up(cursor, STALE_AFTER)
        cursor.execute("SELECT awa.create_queue('probe')")
        connection.close()
        crew = honest.Crew(seed, server.dsn, tempfile.mkdtemp(dir=server.folder), STALE_AFTER, settings=() if worker else (*SETTINGS, OFTEN))
        for role, count in ((honest.producer, 2), (honest.worker, 4), (honest.keeper, 0 if worker else 2)):
            for _ in range(count):
                crew.begin(role)
        kills, violations, down = collections.Counter(), [], []
        for _ in range(rounds):
            for _ in range(rng.randint(1, 3)):
                time.sleep(rng.uniform(0.05, 0.5))
                kills[crew.kill()] += 1
            if worker:
                outages.kill()
            time.sleep(rng.uniform(0.05, 0.6))
            at = time.monotonic()
            server.stop('immediate')
            server.start()
            down.append(time.monotonic() - at)
            if worker:
                outages.resumes('stopped', at)
            connection, cursor = honest.connect(server.dsn)
            cursor.execute('SELECT * FROM awa.check()')
            violations += cursor.fetchall()
            cursor.execute("SELECT coalesce(sum(available_estimate), 0) FROM awa.queue_stats")
            crew.full.value = cursor.fetchone()[0] > MOST_WAITING
            connection.close()
        print(f'# {time.monotonic() - began:.0f} s for {rounds} stops, down for {max(down):.1f} s at most; clients killed: {dict(kills)}', flush=True)
        if worker:
            outages.tell(report)
        report(not violations, f'check() after each of {rounds} restarts, with work going on: {len(violations)} violations', violations[:10])
        # What is left is worked off; the attempts of the dead become stale.
        crew.full.value = 1
        connection, cursor = honest.connect(server.dsn)
        until, left = time.monotonic() + 60, None
        while left != 0 and time.monotonic() < until:
            time.sleep(0.5)
            cursor.execute("SELECT count(*) FROM (SELECT job_id FROM tally.enqueued EXCEPT SELECT job_id FROM tally.ended WHERE by = 'completed') x")
            left = cursor.fetchone()[0]
        late = crew.finish()
        report(not late, 'every client came to its end', late)
        for holds, what, detail in honest.checks(cursor, crew, True):
            report(holds, f'at the end: {what}', detail)
        _, _, notes = crew.read()
        print(f'# {dict(notes)}', flush=True)
        cursor.execute("""
            SELECT (SELECT count(*) FROM (SELECT job_id, run_lease FROM tally.claimed EXCEPT SELECT job_id, run_lease FROM tally.ended) x),
                   (SELECT last_value FROM awa.claim_ring_generation), (SELECT last_value FROM awa.queue_ring_generation)""")
        rescued, claim_turns, queue_turns = cursor.fetchone()
        cursor.execute('SELECT coalesce(sum(jobs), 0) FROM awa.queue_terminal_rollups')
        pruned = cursor.fetchone()[0]
        report(rescued > 0, f'attempts that only a rescue ended: {rescued}', 'the kills hit nobody')
        report(claim_turns > 8 * rounds / 20 and queue_turns > 16 * rounds / 20 and pruned > 0,
               f'the rings went round: claim {claim_turns / 8:.1f} times, queue {queue_turns / 16:.1f} times; {pruned} jobs pruned')
        connection.close()
        crashes = [line for line in server.log().splitlines() if 'PANIC' in line or 'was terminated by signal' in line or 'TRAP:' in line]
        ours = [line for line in crashes if 'awa_ring worker' in line and 'signal 9' in line]
        report(len(crashes) == len(ours) == outages.crashes, 'no process of the server crashed by itself', crashes[:5])
        print(f'# {time.monotonic() - began:.0f} s in all', flush=True)
    finally:
        if crew:
            crew.finish(0)
        if failed and os.environ.get('AWA_KEEP') == '1':
            server.stop('fast')
            print(f'# kept: {server.folder}')
        else:
            server.remove()
    sys.exit(1 if failed else 0)

