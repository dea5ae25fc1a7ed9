"""Sessions of the stress driver: they carry out planned transactions, lose their connections as planned, and find out what
became of what they had begun.

Each statement writes what it returned into tally.results, in the transaction that it is part of: what that table says of
a transaction whose outcome the client never heard is what became of it. Plans come from seeds alone (see plan.py); what a
step works on is drawn from a seed of its own, so that chance elsewhere does not shift it.
"""
import contextlib
import json
import os
import random
import re
import socket
import threading
import time

import psycopg2

GONE = ('57P01', '57P02', '57P03', '08006', '08003')
RECEIPT = re.compile(r'\b\d+:\d+:\d+:(\d+):(\d+):-?\d+')


def brief(value):
    """For the log: of rows with receipts only those; long texts cut."""
    if isinstance(value, dict):
        return value['receipt'] if 'receipt' in value else {key: brief(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [brief(each) for each in value]
    return value[:80] if isinstance(value, str) and not RECEIPT.fullmatch(value) else value


class Log:
    """The operation log: a line of JSON for each step. Receipts are shortened to job/lease."""

    def __init__(self, path):
        self.path, self.file, self.lock, self.began = path, open(path, 'w'), threading.Lock(), time.monotonic()

    def write(self, transaction, what, detail=''):
        text = RECEIPT.sub(r'\1/\2', detail if isinstance(detail, str) else json.dumps(detail, default=str))
        line = json.dumps({'at': round(time.monotonic() - self.began, 3), 'by': transaction, 'what': what, 'detail': text[:6000]})
        with self.lock:
            self.file.write(line + '\n')

    def about(self, job, most=30):
        """The lines that name a job."""
        self.file.flush()
        wanted = re.compile(rf'\b{job}\b')
        with open(self.path) as file:
            return [line.rstrip()[:700] for line in file if wanted.search(line)][-most:]


class Call:
    """A statement of a transaction, and what follows for the model from the rows that it returned."""

    def __init__(self, effects, undo):
        self.effects, self.undo, self.rows = effects, undo, None


class Transaction:
    """One planned transaction. began and committed bound when it had and had not its transaction id, on the client's clock."""

    def __init__(self, session, name):
        self.session, self.world, self.name = session, session.world, name
        self.calls, self.marks, self.began, self.committed = [], {}, time.monotonic(), None
        self.level, self.in_block = 'READ COMMITTED', False
        self.gid, self.touched_notify = None, False

    def call(self, sql, parameters, effects=None, undo=None):
        """Runs a query whose rows are recorded. effects(rows) -> what follows if the transaction commits; undo() if not."""
        call = Call(effects, undo)
        self.calls.append(call)
        call.rows = [row[0] for row in self.session.execute(
            f'INSERT INTO tally.results (transaction, step, result) SELECT %s, %s, to_jsonb(r) FROM ({sql}) r RETURNING result',
            [self.name, len(self.calls) - 1, *parameters])]
        self.world.log.write(self.name, sql.split('awa.')[-1].split('(')[0], [brief(parameters), brief(call.rows)])
        if self.world.plant:
            self.world.plant.after(self, sql, call.rows)
        return call.rows

    def savepoint(self, name):
        self.session.execute(f'SAVEPOINT {name}')
        self.marks[name] = len(self.calls)

    def rollback_to(self, name):
        self.session.execute(f'ROLLBACK TO {name}')
        for call in self.calls[self.marks[name]:]:
            if call.undo:
                call.undo()
            call.effects = call.undo = None

    def decide(self, committed):
        self.committed = time.monotonic() if committed else None
        with self.world.lock:
            if committed:
                effects = [effect for call in self.calls if call.effects and call.rows is not None for effect in call.effects(call.rows)]
                self.world.take_over(effects, self)
            else:
                for call in self.calls:
                    if call.undo:
                        call.undo()
        self.world.count['committed' if committed else 'rolled back'] += 1
        self.world.log.write(self.name, 'COMMITTED' if committed else 'ROLLED BACK')
        self.calls = []

    def resolve(self, connection_of_others):
        """Nobody told us whether it was committed: its results are there, or not."""
        found = {}
        with connection_of_others.cursor() as cursor:
            cursor.execute('SELECT step, result FROM tally.results WHERE transaction = %s ORDER BY ordinal', [self.name])
            for step, result in cursor.fetchall():
                found.setdefault(step, []).append(result)
        for step, call in enumerate(self.calls):
            if step in found:
                call.rows = found[step] if call.rows is None else call.rows
            elif call.rows != [] and call.effects:
                if call.undo:
                    call.undo()
                call.effects = call.undo = None
        self.world.count['found committed' if found else 'found rolled back'] += 1
        self.decide(bool(found))


class Session(threading.Thread):
    """A client. Its connection may be taken away at any moment; it makes a new one and finds out where it stands."""

    def __init__(self, world, name):
        super().__init__(name=name, daemon=True)
        self.world, self.cursor, self.connection = world, None, None
        self.current = None      # the transaction in hand
        self.settings = {}       # of the round
        self.spanning = None     # a transaction that stays open beyond its round, and its plan
        self.held = []           # prepared transactions
        self.failure = None      # an exception that is the driver's own

    def connect(self):
        self.connection = psycopg2.connect(self.world.dsn, application_name=self.name)
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()
        self.pid = self.connection.get_backend_pid()
        # Whoever lost its client ends soon; a statement that does not end is a failure, not a hang. Queues are paused by
        # prepared transactions as well, and whoever pauses them next would wait for those.
        self.cursor.execute("SET client_connection_check_interval = '100ms'; SET statement_timeout = '120s'; SET lock_timeout = '1s'")
        for name, value in self.settings.items():
            self.cursor.execute(f"SET awa_ring.{name} = '{value}'")

    def execute(self, sql, parameters=None):
        self.cursor.execute(sql, parameters)
        return self.cursor.fetchall() if self.cursor.description else []

    def change(self, sql, parameters):
        self.cursor.execute(sql, parameters or None)
        return self.cursor.rowcount

    def lose(self, how):
        """Called by a timer's thread."""
        self.world.count[f'killed by {how}'] += 1
        self.world.log.write(self.current.name if self.current else self.name, 'KILL', how)
        try:
            if how == 'socket':
                with socket.socket(fileno=os.dup(self.connection.fileno())) as copy:
                    copy.shutdown(socket.SHUT_RDWR)
            else:
                function = 'pg_terminate_backend' if how == 'terminate' else 'pg_cancel_backend'
                with contextlib.closing(psycopg2.connect(self.world.dsn)) as other, other.cursor() as cursor:
                    cursor.execute(f'SELECT {function}(%s)', [self.pid])
        except (OSError, psycopg2.Error):
            pass  # it was faster

    @contextlib.contextmanager
    def losing(self, kill):
        """kill: (how, seconds) or None. Within, the connection is lost after so long, if the block takes that long."""
        timer = threading.Timer(kill[1], self.lose, [kill[0]]) if kill else None
        if timer:
            timer.daemon = True
            timer.start()
        try:
            yield
        finally:
            if timer:
                timer.cancel()
                timer.join()

    def find_out(self, transaction):
        """After the connection was lost: a new one, and what became of the transaction."""
        pid = self.pid
        with contextlib.suppress(psycopg2.Error):
            self.connection.close()
        self.connect()
        until = time.monotonic() + 60
        while self.execute('SELECT 1 FROM pg_stat_activity WHERE pid = %s AND pid <> pg_backend_pid()', [pid]):
            if time.monotonic() > until:
                self.world.report('a session whose client is gone goes on for 60 s', transaction.name)
                break
            time.sleep(0.02)
        if transaction.gid and self.execute('SELECT 1 FROM pg_prepared_xacts WHERE gid = %s', [transaction.gid]):
            self.held.append(transaction)
        else:
            transaction.resolve(self.connection)

    def carry_out(self, plan):
        transaction = Transaction(self, plan.name)
        self.attempt(transaction, plan, lambda: self.perform(transaction, plan), plan.kill)

    def attempt(self, transaction, plan, work, kill=None):
        """Does work() for a transaction; whatever comes between, afterwards it is decided, or held, or spans the round."""
        self.current = transaction
        try:
            with self.losing(kill):
                work()
        except psycopg2.Error as error:
            if self.connection.closed or error.pgcode is None or error.pgcode in GONE:
                self.world.log.write(plan.name, 'LOST', str(error)[:200])
                self.find_out(transaction)
            else:
                self.world.log.write(plan.name, 'ERROR', f'{error.pgcode} {error}'[:500])
                if not self.may_fail(transaction, plan, error.pgcode):
                    self.world.report(f'an error that must not happen: {error.pgcode}', f'{plan.name}: {error}')
                self.world.count[error.pgcode] += 1
                try:
                    self.execute('ROLLBACK')
                    transaction.decide(False)
                except psycopg2.Error:
                    self.find_out(transaction)
        self.current = None

    def may_fail(self, transaction, plan, state):
        if state == '57014':
            return plan.kill is not None and plan.kill[0] == 'cancel'
        if state == '40001':
            return plan.level == 'SERIALIZABLE' and self.world.cold_serializable or (
                plan.level == 'REPEATABLE READ' and any(step.operation and step.operation.cold for step in plan.steps))
        if state == '0A000':
            return plan.end == 'prepare' and transaction.touched_notify
        return any(step.operation and state in step.operation.may_fail_with for step in plan.steps)

    def perform(self, transaction, plan):
        if not plan.in_block:
            transaction.began = time.monotonic()
            plan.steps[0].operation.run(transaction, random.Random(plan.steps[0].seed))
            transaction.decide(True)
            return
        transaction.level = plan.level
        self.execute(f'BEGIN ISOLATION LEVEL {plan.level}')
        if plan.old_snapshot:
            self.execute('SELECT count(*) FROM pg_catalog.pg_class')
        transaction.began = time.monotonic()
        for step in plan.steps:
            if step.pause:
                time.sleep(step.pause)
            elif step.control:
                self.control(transaction, *step.control)
            else:
                self.do(transaction, plan, step)
        if plan.span:
            self.world.count['spanning'] += 1
            self.spanning = (transaction, plan)
        else:
            self.finish(transaction, plan)

    def finish_spanning(self):
        if self.spanning:
            (transaction, plan), self.spanning = self.spanning, None
            self.attempt(transaction, plan, lambda: self.finish(transaction, plan))

    def control(self, transaction, what, name):
        if what == 'savepoint':
            transaction.savepoint(name)
        elif what == 'rollback to':
            transaction.rollback_to(name)
        else:
            self.execute(f'RELEASE {name}')

    def do(self, transaction, plan, step):
        """A guarded step may fail without the transaction failing."""
        if not step.guarded:
            step.operation.run(transaction, random.Random(step.seed))
            return
        transaction.savepoint('guard')
        try:
            step.operation.run(transaction, random.Random(step.seed))
        except psycopg2.Error as error:
            if self.connection.closed or error.pgcode is None or not self.may_fail(transaction, plan, error.pgcode):
                raise
            self.world.count[error.pgcode] += 1
            self.world.log.write(plan.name, 'FAILED STEP', f'{error.pgcode} {error}'[:300])
            transaction.rollback_to('guard')
        self.execute('RELEASE guard')

    def finish(self, transaction, plan):
        if plan.end == 'rollback':
            self.execute('ROLLBACK')
            transaction.decide(False)
        elif plan.end == 'prepare' and self.world.can_prepare:
            transaction.gid = f'stress/{os.getpid()}/{plan.name}'
            self.execute(f"PREPARE TRANSACTION '{transaction.gid}'")
            self.held.append(transaction)
        else:
            self.execute('COMMIT')
            transaction.decide(True)

    def finish_prepared(self, commit):
        transaction = self.held.pop(0)
        verb = 'COMMIT' if commit else 'ROLLBACK'
        self.world.log.write(transaction.name, f'{verb} PREPARED')
        self.execute(f"{verb} PREPARED '{transaction.gid}'")
        transaction.decide(commit)
