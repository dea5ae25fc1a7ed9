"""Producers and claimers with habits good and bad, for the stress and crash tests; account.py says what they left."""
import json
import multiprocessing
import os
import random
import time

import psycopg2
from account import CLAIM, COMPLETE_EACH, QUEUES

# Since 3.14 Python would start them anew, from modules that they could import by name.
multiprocessing.set_start_method('fork', force=True)
LEVELS = ('READ COMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
MOST_WAITING = 20000  # producers pause above it

RECORD_JOBS = 'INSERT INTO tally.enqueued (job_id, queue) SELECT * FROM unnest(%s::bigint[], %s::text[])'
CLAIM_RUNTIME = """
WITH c AS MATERIALIZED (SELECT job_id, receipt::text AS receipt, queue || '/' || lane_priority || '/' || enqueue_shard AS lane
                        FROM awa.claim_ready_runtime(%s, %s)),
     t AS (INSERT INTO tally.claimed SELECT job_id, receipt, lane FROM c)
SELECT receipt FROM c"""
COMPLETE_AND_CLAIM = """
WITH c AS MATERIALIZED (SELECT job_id, receipt::text AS receipt FROM awa.complete_and_claim(%s::text[], %s, %s, strict => true)),
     t AS (INSERT INTO tally.claimed SELECT job_id, receipt FROM c),
     d AS (INSERT INTO tally.completed SELECT DISTINCT unnest(%s::text[]) FROM (SELECT count(*) FROM c) done)
SELECT receipt FROM c"""
# Receipts that are completed as a whole are listed, when the count says that all of them were.
COMPLETE_ALL = """
WITH e AS MATERIALIZED (SELECT awa.complete(%s::text[], strict => true) AS n),
     t AS (INSERT INTO tally.completed SELECT DISTINCT unnest(%s::text[]) FROM e)
SELECT n FROM e"""


class Shared:
    """What the processes of one run share. The numbers are for show and for pacing only; the account is in the database."""

    def __init__(self, seed, dsn='', asynchronous=False, seen_log=None, kept_log=None):
        self.seed, self.dsn, self.asynchronous = seed, dsn, asynchronous
        self.seen_log, self.kept_log = seen_log, kept_log  # files: receipts that a client saw; ids whose commit was confirmed
        self.stop = multiprocessing.Event()
        self.enqueued = multiprocessing.Value('q', 0)
        self.completed = multiprocessing.Value('q', 0)
        self.transactions = multiprocessing.Value('q', 0)
        self.pids = multiprocessing.Array('i', 16)
        manager = multiprocessing.Manager()
        self.errors = manager.list()  # (role, SQLSTATE, message)
        self.hot = manager.list()     # receipts that somebody is completing right now

    def add(self, counter, n):
        with counter.get_lock():
            counter.value += n


class Session:
    """A connection that comes back when it is lost."""

    def __init__(self, shared, role, slot=None):
        self.shared, self.role, self.slot = shared, role, slot
        self.rng = random.Random(f'{shared.seed}/{role}')
        self.connect()

    def connect(self):
        for attempt in range(100):
            try:
                self.connection = psycopg2.connect(self.shared.dsn, application_name=self.role)
                break
            except psycopg2.OperationalError:
                if self.shared.stop.is_set() or attempt == 99:
                    raise SystemExit(0)
                time.sleep(0.1)
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()
        if self.shared.asynchronous and self.rng.random() < 0.5:
            self.run('SET synchronous_commit = off')
            self.durable = False
        else:
            self.durable = True
        if self.slot is not None:
            self.shared.pids[self.slot] = self.connection.get_backend_pid()

    def run(self, sql, *parameters):
        self.cursor.execute(sql, parameters)
        return self.cursor.fetchall() if self.cursor.description else []

    def begin(self):
        self.run(f'BEGIN ISOLATION LEVEL {self.rng.choice(LEVELS)}')
        if self.rng.random() < 0.3:
            self.run('SELECT count(*) FROM pg_catalog.pg_class')  # an old snapshot, for the levels that keep it

    def chance(self, probability):
        return self.rng.random() < probability

    def repeat(self, work):
        """work() until the end; errors are noted, the transaction undone, a lost connection made again."""
        while not self.shared.stop.is_set():
            try:
                work()
                self.shared.add(self.shared.transactions, 1)
            except (psycopg2.OperationalError, psycopg2.InterfaceError, psycopg2.DatabaseError) as error:
                state = getattr(error, 'pgcode', None)
                if self.connection.closed or state in ('57P01', '57P02', '57P03') or state is None:
                    self.connection.close()
                    self.connect()
                    continue
                self.shared.errors.append((self.role, state, str(error)))
                self.run('ROLLBACK')
            except KeyboardInterrupt:
                return


def producer(shared, index, prepared):
    session = Session(shared, f'producer{index}')
    rng = session.rng
    pending = []  # names of prepared transactions
    kept = open(shared.kept_log, 'a') if shared.kept_log else None
    names = iter(range(1 << 60))

    def some_jobs():
        """One call of a random kind; the ids."""
        priority = rng.randint(1, 4)
        queue = rng.choice(list(QUEUES))
        key = rng.choice((None, None, f'key{rng.randint(1, 9)}'))
        kind = rng.random()
        if kind < 0.5:
            ids = [session.run('SELECT awa.enqueue(%s, %s, %s, priority => %s, ordering_key => %s)', queue, 'one',
                               json.dumps({'n': rng.randint(1, 999)}), priority, key)[0][0]]
            queues = [queue]
        elif kind < 0.8:
            n = rng.choice((0, 1, 2, 10, 33, 64, 65, 200))
            ids = session.run('SELECT awa.enqueue_many(%s, %s, %s::jsonb[], priority => %s)', queue, 'many',
                              [json.dumps(i) for i in range(n)], priority)[0][0]
            queues = [queue] * n
        else:
            queues = [rng.choice(list(QUEUES)) for _ in range(rng.randint(1, 20))]
            jobs = [{'queue': q, 'kind': 'mixed', 'priority': rng.randint(1, 4), 'args': {'x': 'y' * rng.randint(0, 3000)}}
                    for q in queues]
            ids = session.run('SELECT awa.enqueue_jobs(%s)', json.dumps(jobs))[0][0]
        session.run(RECORD_JOBS, ids, queues)
        return ids

    def part(depth):
        ids = list(some_jobs())
        if depth < 3 and session.chance(0.4):
            name = f's{depth}'
            session.run(f'SAVEPOINT {name}')
            inner = part(depth + 1)
            if session.chance(0.4):
                session.run(f'ROLLBACK TO {name}')
            else:
                ids += inner
            if session.chance(0.5):
                session.run(f'RELEASE {name}')
            if session.chance(0.5):
                ids += some_jobs()
        return ids

    def finish_one():
        name, ids = pending[0]
        # A second try after a lost connection finds it gone, or not.
        if session.run('SELECT 1 FROM pg_prepared_xacts WHERE gid = %s', name):
            if session.chance(0.6):
                session.run(f"COMMIT PREPARED '{name}'")
                shared.add(shared.enqueued, len(ids))
            else:
                session.run(f"ROLLBACK PREPARED '{name}'")
        pending.pop(0)

    def work():
        while shared.enqueued.value - shared.completed.value > MOST_WAITING and not shared.stop.is_set():
            time.sleep(0.02)
        if pending and (len(pending) == 2 or session.chance(0.2)):
            finish_one()
        if session.chance(0.2):
            # without a transaction block: a statement by itself
            queue = rng.choice(list(QUEUES))
            ids = [row[0] for row in session.run(
                'INSERT INTO tally.enqueued (job_id, queue) SELECT awa.enqueue(%s, %s, priority => %s), %s RETURNING job_id',
                queue, 'alone', rng.randint(1, 4), queue)]
        else:
            session.begin()
            ids = part(0)
            idle = rng.random()
            if idle < 0.02:
                shared.stop.wait(rng.uniform(1, 4))
            elif idle < 0.2:
                time.sleep(rng.uniform(0, 0.1))
            end = rng.random()
            if end < 0.15:
                session.run('ROLLBACK')
                return
            if prepared and end < 0.3:
                name = f'awa/{os.getpid()}/{next(names)}'
                pending.append((name, ids))
                session.run(f"PREPARE TRANSACTION '{name}'")
                return
            session.run('COMMIT')
        shared.add(shared.enqueued, len(ids))
        if kept and session.durable:
            kept.write(''.join(f'{i}\n' for i in ids))
            kept.flush()

    session.repeat(work)
    try:
        while pending:
            finish_one()
    except psycopg2.Error:
        pass  # the crash test ends them


def forged(rng, receipt):
    """A handle that differs in one field."""
    fields = receipt.split(':')
    at = rng.randrange(len(fields))
    fields[at] = str((int(fields[at]) + 1) % 8 if at == 0 else int(fields[at]) ^ (1 << rng.randrange(8)))
    return ':'.join(fields)


def claimer(shared, index):
    session = Session(shared, f'claimer{index}', index)
    rng = session.rng
    held = []
    seen = open(shared.seen_log, 'a') if shared.seen_log else None

    def note(rows):
        receipts = [row[0] for row in rows]
        if seen:
            seen.write(''.join(f'{r}\n' for r in receipts))
            seen.flush()
        return receipts

    def some_queues():
        return rng.sample(list(QUEUES), rng.randint(1, len(QUEUES)))

    def claim():
        most = rng.choice((1, 3, 16, 17, 50, 100, 400))
        if session.chance(0.4):
            return note(session.run(CLAIM_RUNTIME, rng.choice(list(QUEUES)), most))
        return note(session.run(CLAIM, some_queues(), most))

    def complete_each(receipts):
        done = session.run(COMPLETE_EACH, receipts)
        return sum(completed for _, completed in done)

    def claim_in_a_block():
        got = []
        session.begin()
        got += claim()
        if session.chance(0.3):
            session.run('SAVEPOINT a')
            more = claim()
            if session.chance(0.5):
                session.run('ROLLBACK TO a')
            else:
                got += more
        if session.chance(0.2):
            time.sleep(rng.uniform(0, 0.2))  # its lanes stay locked
        if session.chance(0.2):
            n = complete_each(got)
            if n != len(got):
                shared.errors.append((session.role, 'own', f'{n} of {len(got)} own receipts were completed'))
            session.run('COMMIT')
            shared.add(shared.completed, n)
        elif session.chance(0.25):
            session.run('ROLLBACK')
        else:
            session.run('COMMIT')
            held.extend(got)

    def unless_stale(receipts, strictly):
        """strictly(), or, when others were faster with some of them, one by one."""
        try:
            return strictly()
        except psycopg2.Error as error:
            if error.pgcode != 'AW001':
                raise
            return complete_each(receipts)

    def complete_some():
        count = rng.choice((1, 2, 16, 17, 40, 70, 300, 1000))
        rng.shuffle(held)
        receipts, rest = held[:count], held[count:]
        n = 0
        way = rng.random()
        if way < 0.4:
            session.begin()
            n = complete_each(receipts + receipts[:rng.randint(0, 3)])
            if session.chance(0.3):
                shared.hot[:] = receipts[:200]
                shared.stop.wait(rng.uniform(0, 0.3))  # its keys stay locked
            if session.chance(0.15):
                session.run('ROLLBACK')
                return
            session.run('COMMIT')
        elif way < 0.7:
            n = unless_stale(receipts, lambda: session.run(COMPLETE_ALL, receipts + receipts[:1], receipts)[0][0])
        else:
            def cycle():
                rest.extend(note(session.run(COMPLETE_AND_CLAIM, receipts, some_queues(), rng.choice((1, 10, 100)), receipts)))
                return len(receipts)
            n = unless_stale(receipts, cycle)
        held[:] = rest
        shared.add(shared.completed, n)

    def complete_others():
        """Receipts of anybody, done or not, and forged ones."""
        others = list(shared.hot) if session.chance(0.7) else [
            row[0] for row in session.run('SELECT receipt FROM tally.claimed TABLESAMPLE SYSTEM (5) LIMIT 500')]
        if not others:
            return
        some = rng.sample(others, min(len(others), rng.choice((1, 5, 30, 200))))
        n = complete_each(some)
        shared.add(shared.completed, n)
        false = list({forged(rng, r) for r in some} - set(others))
        n = session.run('SELECT awa.complete(%s::text[])', false)[0][0]
        # A forged handle could be a true one only with the fence of another batch.
        if n:
            shared.errors.append((session.role, 'forged', f'{n} of {len(false)} forged receipts were completed'))

    def work():
        if session.chance(0.1):
            complete_others()
        elif len(held) > 1500 or (held and session.chance(0.5)):
            complete_some()
        elif session.chance(0.4):
            claim_in_a_block()
        else:
            got = claim()
            held.extend(got)
            if not got:
                time.sleep(0.005)

    session.repeat(work)


def start(shared, producers, claimers, prepared):
    processes = [multiprocessing.Process(target=producer, args=(shared, i, prepared), daemon=True) for i in range(producers)]
    processes += [multiprocessing.Process(target=claimer, args=(shared, i), daemon=True) for i in range(claimers)]
    for process in processes:
        process.start()
    return processes
