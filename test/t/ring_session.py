"""Sessions over the rings, for the tests of them: work, turning, and an extension that is new for each part of a test."""
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'stress'))
import anew
import psycopg2
from account import connect

failed = 0


def report(holds, what, detail=''):
    global failed
    failed += not holds
    print(f"{'ok' if holds else 'not ok'} - {what}", flush=True)
    if not holds:
        print(f'# {str(detail)[:2000]}', flush=True)


class Session:
    open_ones = []

    def __init__(self):
        self.connection, self.cursor = connect()
        Session.open_ones.append(self)
        self('SET awa_ring.history_retention = 0')

    def __call__(self, sql, *parameters):
        self.cursor.execute(sql, parameters or None)
        return self.cursor.fetchall() if self.cursor.description else []

    def one(self, sql, *parameters):
        return self(sql, *parameters)[0][0]

    def error(self, sql, *parameters):
        try:
            self(sql, *parameters)
            return None
        except psycopg2.Error as error:
            return error.pgcode

    def close(self):
        self.connection.close()

    # What the extension does, shortly.
    def put(self, n=1, queue='q'):
        return self.one("SELECT awa.enqueue_many(%s, 'k', array_fill('1'::jsonb, ARRAY[%s]))", queue, n)

    def take(self, n=100, queue='q'):
        return [row[0] for row in self('SELECT receipt::text FROM awa.claim(ARRAY[%s], %s)', queue, n)]

    def done(self, receipts):
        return self.one('SELECT awa.complete(%s::text[])', receipts)

    def rotate(self, ring='queue'):
        return self.one('CALL awa.rotate(%s)', ring)

    def prune(self, ring='queue'):
        return self.one('CALL awa.prune(%s)', ring)

    def generation(self, ring='queue'):
        return self.one(f'SELECT last_value FROM awa.{ring}_ring_generation')

    def check(self, what):
        violations = self('SELECT * FROM awa.check()')
        report(not violations, f'{what}: check() is empty', violations[:10])


def jobs_of(receipts):
    return [int(receipt.split(':')[3]) for receipt in receipts]


def fresh():
    """The extension anew, with queues q and r."""
    for session in Session.open_ones:
        session.close()
    Session.open_ones.clear()
    connection, cursor = connect()
    anew.install(cursor)
    cursor.execute("SELECT awa.create_queue('q'), awa.create_queue('r')")
    connection.close()
    return Session()


def wrap(session, seen, n=16):
    """Turns both rings n times, work and prune between; returns the slots that each ring came by."""
    slots = {'queue': [], 'claim': []}
    for _ in range(n):
        session.put(3, 'r')
        receipts = session.take(3, 'r')
        seen.extend(jobs_of(receipts))
        session.done(receipts)
        for ring, count in (('queue', 16), ('claim', 8)):
            outcome = session.rotate(ring)
            if outcome == 'rotated':
                slots[ring].append(session.generation(ring) % count)
            session.prune(ring)
    return slots


def run_parts(*functions):
    """Runs the parts that the command line names, else all."""
    parts = {part.__name__: part for part in functions}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        for name in sys.argv[1:] or parts:
            began = time.monotonic()
            parts[name]()
            print(f'# {name}: {time.monotonic() - began:.0f} s', flush=True)
    finally:
        fresh()('DROP EXTENSION awa_ring')
        Session.open_ones[0].close()
    sys.exit(1 if failed else 0)
