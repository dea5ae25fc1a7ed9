"""Sessions of tests about what happens by itself: reports, waiting for a condition, one database."""
import os
import time

import psycopg2
from account import connect

FULL = os.environ.get('AWA_SCALE') == 'full'
SLOW = 5 if os.environ.get('AWA_SLOW') else 1
failures = []


def report(holds, what, detail=''):
    if not holds:
        failures.append(what)
    print(f"{'ok' if holds else 'not ok'} - {what}", flush=True)
    if not holds:
        print(f'# {detail}', flush=True)


class Database:
    """A session of a database."""

    def __init__(self, server, name='postgres'):
        self.dsn = server.dsn.replace('dbname=postgres', f'dbname={name}')
        self.connection, self.cursor = connect(self.dsn)

    def run(self, sql, *parameters):
        self.cursor.execute(sql, parameters or None)
        return self.cursor.fetchall() if self.cursor.description else []

    def value(self, sql, *parameters):
        rows = self.run(sql, *parameters)
        return rows[0][0] if rows else None

    def error(self, sql):
        try:
            self.run(sql)
        except psycopg2.Error as error:
            return error.pgcode
        return None

    def worker(self):
        return self.value('SELECT pid FROM awa.worker_status WHERE leads')

    def close(self):
        self.connection.close()


def processes(session, database=None):
    """How many background workers there are."""
    return session.value("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'awa_ring worker' "
                         "AND datname = coalesce(%s, datname)", database)


def promotes(database, seconds=3, queue='mail'):
    """Whether somebody does maintenance: a job that is due soon can be claimed. How long it took."""
    job = database.value("SELECT awa.enqueue(%s, 'later', run_at => clock_timestamp() + interval '200 ms')", queue)
    return within(seconds, lambda: database.value('SELECT state FROM awa.jobs WHERE job_id = %s', job) == 'available')


def cpu_of(*pids):
    """Seconds of the processor that processes have used; those that are gone count nothing. By the nanosecond if the kernel tells: what
    many use a little of would not show in ticks."""
    used = 0
    for pid in pids:
        try:
            with open(f'/proc/{pid}/schedstat') as file:
                used += int(file.read().split()[0]) / 1e9
        except OSError:
            try:
                with open(f'/proc/{pid}/stat') as file:
                    used += sum(map(int, file.read().rpartition(')')[2].split()[11:13])) / os.sysconf('SC_CLK_TCK')
            except OSError:
                pass
    return used


def within(seconds, condition):
    """Whether the condition comes true in time; how long it took."""
    began = time.monotonic()
    while time.monotonic() - began < seconds * SLOW:
        if condition():
            return time.monotonic() - began
        time.sleep(0.05)
    return None
