"""What the tests of the ledger with many sessions share: sessions, all at once, and what they report."""
import os
import signal
import sys
import threading
import time

import psycopg2
from server import Server

SESSIONS = 8
SLOW = 5 if os.environ.get('AWA_SLOW') else 1
CONF = """
max_connections = 30
deadlock_timeout = 50ms
autovacuum_naptime = 1s
"""
failed = 0


def report(holds, what, detail=''):
    global failed
    failed += not holds
    print(f"{'ok' if holds else 'not ok'} - {what}", flush=True)
    if not holds:
        print(f'# {str(detail)[:2000]}', flush=True)


class Session:
    def __init__(self, server):
        self.dsn = server.dsn
        self.reconnect()

    def reconnect(self):
        self.connection = psycopg2.connect(self.dsn)
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()

    def __call__(self, sql, *parameters):
        self.cursor.execute(sql, parameters or None)
        return self.cursor.fetchall() if self.cursor.description else []

    def one(self, sql, *parameters):
        return self(sql, *parameters)[0][0]

    def close(self):
        self.connection.close()


def at_once(server, sql, arguments, before=None):
    """Runs a statement in as many sessions as there are arguments, beginning together; their rows, or SQLSTATEs."""
    sessions = [Session(server) for _ in arguments]
    for session in sessions:
        if before:
            session(before)
    start = threading.Barrier(len(sessions))
    results = [None] * len(sessions)

    def work(n):
        start.wait()
        try:
            results[n] = sessions[n](sql, *arguments[n])
        except psycopg2.Error as error:
            results[n] = f'{error.pgcode} {error}'
        sessions[n].close()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(sessions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def added(results):
    """What procedures that count outcomes by SQLSTATE returned, all together."""
    total = {}
    for result in results:
        for state, count in (result[0][0].items() if not isinstance(result, str) else {result: 1}.items()):
            total[state] = total.get(state, 0) + count
    return total


def within(seconds, condition):
    """How long it took until the condition came true; None: it did not in time."""
    began = time.monotonic()
    while time.monotonic() - began < seconds * SLOW:
        if condition():
            return time.monotonic() - began
        time.sleep(0.05)
    return None


def verified(session, what):
    violations = session('SELECT * FROM awa_ledger.verify()')
    report(not violations, f'{what}: verify() is empty', violations[:5])


def run(setup, parts, conf=''):
    """Calls setup(session) and each part(server, session) on a server of the test's own; ends the program."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    server = Server()
    try:
        server.create()
        server.configure(CONF + conf)
        server.start()
        session = Session(server)
        session('CREATE EXTENSION awa_ring')
        setup(session)
        for part in parts:
            began = time.monotonic()
            part(server, session)
            verified(session, part.__name__)
            print(f'# {part.__name__}: {time.monotonic() - began:.0f} s', flush=True)
        session.close()
        broken = [line for line in server.log().splitlines() if 'PANIC' in line or 'was terminated by signal' in line or 'TRAP:' in line]
        report(not broken, 'no process of the server crashed by itself', broken[:5])
    finally:
        server.remove()
    sys.exit(1 if failed else 0)
