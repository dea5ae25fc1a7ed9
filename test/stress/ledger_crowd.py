"""Sessions that move value at random, and a model of it: see test/stress/ledger.

The model knows each transfer that was committed, by what its caller asked for: balances, keys, reversals, closed accounts. Every few
seconds the sessions stand still, and the ledger must say the same; verify() must be empty at any time, and no balance beyond its limits.
"""
import collections
import itertools
import os
import random
import re
import threading
import time

import psycopg2

import anew
import ledger_verbs
import plants

LEVELS = ('READ COMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
SESSIONS = 8
STAND_STILL_EVERY = 5  # seconds
# Refusals: too little, contended, frozen, closed, limits; keys and reversals used before; spent, reserved or not empty; accounts that
# are not there (yet); a deadlock of several calls; a primitive that lost in a snapshot of its own; a cancel.
ALLOWED = ('AW101', 'AW102', 'AW103', 'AW104', 'AW105', '23505', '55000', '42704', '40P01', '40001', '57014')
LOST = ('57P01', None)  # the session was ended

SETUP = f"""
CREATE TABLE tally.committed (mark text PRIMARY KEY);
SELECT awa_ledger.create_asset(n, 'asset ' || n, 2) FROM generate_series(1, 2) n;
SELECT awa_ledger.create_account(n) FROM generate_series(0, 40) n;
SELECT awa_ledger.set_limits(0, 0, n, NULL) FROM generate_series(1, 2) n;
"""
# (what, a query without rows), at any moment
ALWAYS = (
    ('the assets come to 0', 'SELECT asset, sum(value) FROM awa_ledger.live_postings GROUP BY 1 HAVING sum(value) <> 0'),
    ('closed accounts are empty', 'SELECT l.* FROM awa_ledger.live_postings l JOIN awa_ledger.account_heads h USING (account, subaccount) WHERE h.closed'),
    ('balances are within their limits', """
        SELECT account, asset, floor, ceiling, balance FROM (SELECT DISTINCT ON (account, asset) account, asset, floor, ceiling FROM awa_ledger.limits ORDER BY account, asset, version DESC) l,
            LATERAL (SELECT coalesce(sum(value), 0) AS balance FROM awa_ledger.live_postings p WHERE p.account = l.account AND p.asset = l.asset) b
        WHERE balance < floor OR balance > ceiling"""),
    ('verify() is empty', 'SELECT * FROM awa_ledger.verify()'),
)


def connect():
    connection = psycopg2.connect('')
    connection.autocommit = True
    return connection, connection.cursor()


class Model:
    def __init__(self):
        self.lock = threading.Lock()
        self.transfers = {}  # id -> deltas
        self.reversed, self.keys, self.closed = {}, {}, set()
        self.balances = collections.Counter()
        self.wrong = []

    def some_transfer(self, rng):
        with self.lock:
            number = len(self.transfers)
            return next(itertools.islice(reversed(self.transfers), int(number * rng.random() ** 4), None)) if number else None

    def commit(self, made, closed):
        with self.lock:
            for transfer_id, deltas, replayed, key, reverses in made:
                if key is not None and self.keys.setdefault(key, transfer_id) != transfer_id:
                    self.wrong.append(f'key {key!r} has two transfers: {self.keys[key]}, {transfer_id}')
                if reverses is not None and self.reversed.setdefault(reverses, transfer_id) != transfer_id:
                    self.wrong.append(f'transfer {reverses} was reversed twice: {self.reversed[reverses]}, {transfer_id}')
                # The answer to a repetition may be known before the session that was first knows that it has committed.
                if transfer_id in self.transfers:
                    if key is None or self.transfers[transfer_id] != deltas:
                        self.wrong.append(f'transfer {transfer_id} was made twice')
                    continue
                self.transfers[transfer_id] = deltas
                self.balances.update(deltas)
            self.closed.update(closed)


class Session(threading.Thread):
    def __init__(self, number, run):
        super().__init__(daemon=True)
        self.run_, self.model, self.number, self.name = run, run.model, number, f'session {number}'
        self.rng = random.Random(f'{run.seed}/{number}')
        self.shared_keys, self.passing = run.shared_keys, run.passing
        self.errors, self.done, self.strange = collections.Counter(), collections.Counter(), []
        self.calls = self.contended = self.steps = self.numbers = 0
        self.resting = threading.Event()
        self.list, self.closing, self.frozen, self.ended = [], [], [], False
        self.reconnect()

    def reconnect(self):
        self.connection, self.cursor = connect()
        self.pid = self.connection.get_backend_pid()
        self.cursor.execute("SET deadlock_timeout = '20ms'")

    def rows(self, sql, *parameters):
        self.cursor.execute(sql, parameters or None)
        rows = self.cursor.fetchall() if self.cursor.description else []
        if self.run_.plant:
            self.run_.plant.after_call(self, sql, rows)
        return rows

    def row(self, sql, *parameters):
        return self.rows(sql, *parameters)[0]

    def drawn(self):
        self.numbers += 1
        return self.numbers

    def made(self, transfer_id, deltas, replayed=False, key=None, reverses=None):
        self.list.append((transfer_id, deltas, replayed, key, reverses))

    def closed(self, account):
        self.closing.append(account)

    def wrong(self, what, *detail):
        self.strange.append(f'{what}: {detail}')

    def refused(self, state, message):
        self.errors[state] += 1
        self.contended += state == 'AW102'
        if state not in ALLOWED:
            self.strange.append(f'{state} {message}')
        told = re.search(r'DETAIL:  (\d+) is to be paid; (\d+) can be spent', str(message))
        if state == 'AW101' and told and int(told.group(2)) >= int(told.group(1)):
            self.strange.append(f'insufficient, though it suffices: {message}')

    def run(self):
        while not self.run_.stop.is_set():
            if self.run_.rest.is_set():
                self.resting.set()
                time.sleep(0.01)
                continue
            self.resting.clear()
            self.transaction()
        self.resting.set()
        self.ended = True

    def transaction(self):
        self.list, self.closing = [], []
        self.steps += 1
        mark = f'{self.number}/{self.steps}'
        committing = False
        try:
            if self.rng.random() < 0.4:
                # a call that is a transaction by itself
                verb = self.pick()
                self.rows('BEGIN')
                verb(self)
            else:
                self.rows(f'BEGIN ISOLATION LEVEL {self.rng.choice(LEVELS)}')
                if self.rng.random() < 0.3:
                    self.rows('SELECT count(*) FROM pg_catalog.pg_class')
                self.part(0)
            if self.rng.random() < 0.15:
                self.rows('ROLLBACK')
                return
            self.rows('INSERT INTO tally.committed VALUES (%s)', mark)
            committing = True
            if self.rng.random() < 0.01:
                self.connection.close()  # and whoever committed does not know
                raise psycopg2.OperationalError('closed')
            self.rows('COMMIT')
            self.model.commit(self.list, self.closing)
        except psycopg2.Error as error:
            if not self.connection.closed and error.pgcode not in LOST:
                self.refused(error.pgcode, str(error))
            self.over()
            if committing and self.surely('SELECT 1 FROM tally.committed WHERE mark = %s', mark):
                self.model.commit(self.list, self.closing)

    def over(self):
        """The transaction did not come to its end, or nobody knows: whatever is to come of it has come when this returns."""
        try:
            if not self.connection.closed:
                self.cursor.execute('ROLLBACK')
                return
        except psycopg2.Error:
            pass
        self.errors['lost'] += 1
        pid = self.pid
        self.reconnect()
        while self.surely('SELECT 1 FROM pg_stat_activity WHERE pid = %s', pid):
            time.sleep(0.01)

    def surely(self, sql, *parameters):
        """Whoever is killed while it asks asks again."""
        while True:
            try:
                self.cursor.execute(sql, parameters)
                return self.cursor.fetchall()
            except psycopg2.Error:
                self.reconnect()

    def pick(self):
        verb = self.rng.choices(list(ledger_verbs.VERBS), list(ledger_verbs.VERBS.values()))[0]
        self.done[verb.__name__] += 1
        return verb

    def part(self, depth):
        for number in range(self.rng.randint(1, 3)):
            if self.rng.random() < 0.6:
                self.guarded(f's{depth}_{number}', lambda: self.pick()(self))
            else:
                self.pick()(self)
            if depth < 2 and self.rng.random() < 0.2:
                before = len(self.list), len(self.closing)
                self.rows(f'SAVEPOINT s{depth}')
                self.part(depth + 1)
                if self.rng.random() < 0.4:
                    self.rows(f'ROLLBACK TO s{depth}')
                    del self.list[before[0]:], self.closing[before[1]:]

    def guarded(self, name, work):
        """In a savepoint, so that a refusal does not end the transaction."""
        before = len(self.list), len(self.closing)
        self.rows(f'SAVEPOINT {name}')
        try:
            work()
        except psycopg2.Error as error:
            if self.connection.closed or error.pgcode in LOST + ('40P01', '40001', '57014'):
                raise
            self.refused(error.pgcode, str(error))
            self.rows(f'ROLLBACK TO {name}')
            del self.list[before[0]:], self.closing[before[1]:]


class Aside(threading.Thread):
    """Something that is done again and again beside the sessions."""

    def __init__(self, run, work, pause):
        super().__init__(daemon=True)
        self.run_, self.work, self.pause, self.strange = run, work, pause, []

    def run(self):
        _, self.cursor = connect()
        while not self.run_.stop.wait(self.pause):
            try:
                self.work(self)
            except psycopg2.Error as error:
                self.strange.append(f'{error.pgcode} {error}')

    def rows(self, sql, *parameters):
        self.cursor.execute(sql, parameters or None)
        return self.cursor.fetchall() if self.cursor.description else []


class Run:
    def __init__(self, seconds, seed, plant):
        self.seconds, self.seed, self.plant, self.failed = seconds, seed, plant, 0
        self.stop, self.rest = threading.Event(), threading.Event()
        self.model, self.shared_keys, self.passing = Model(), [], []
        _, self.cursor = connect()
        anew.install(self.cursor)
        self.cursor.execute(SETUP)
        self.sessions = [Session(number, self) for number in range(SESSIONS)]
        self.kills = self.looks = 0
        rng = random.Random(f'{seed}/asides')

        def kill(aside):
            how = rng.choice(('terminate', 'cancel'))
            aside.rows(f'SELECT pg_{how}_backend(%s)', rng.choice(self.sessions).pid)
            self.kills += 1

        self.asides = [Aside(self, kill, 0.5), Aside(self, lambda aside: aside.rows('CALL awa.maintain()'), 0.3),
                       Aside(self, lambda aside: aside.strange.extend(self.look(aside.rows, ALWAYS[:3])), 0.1),
                       Aside(self, lambda aside: aside.strange.extend(self.look(aside.rows, ALWAYS[3:])), 1)]

    def look(self, rows, checks):
        self.looks += 1
        return [f'{what}: {wrong[:3]}' for what, query in checks if (wrong := rows(query))]

    def report(self, holds, what, detail=''):
        self.failed += not holds
        print(f"{'ok' if holds else 'not ok'} - {what}", flush=True)
        if not holds:
            print(f'# {str(detail)[:3000]} (seed {self.seed})', flush=True)

    def rows(self, sql):
        self.cursor.execute(sql)
        return self.cursor.fetchall()

    def stand_still(self, wrong):
        self.rest.set()
        for session in self.sessions:
            session.resting.wait(30)
        model = self.model
        wrong['at a standstill'] += self.look(self.rows, ALWAYS)
        balances = {(account, asset): value for account, asset, value in self.rows('SELECT account, asset, sum(value)::bigint FROM awa_ledger.live_postings GROUP BY 1, 2')}
        wrong['balances are those of the model'] += [(wallet, balances.get(wallet, 0), model.balances[wallet]) for wallet in {*balances, *model.balances}
                                                     if balances.get(wallet, 0) != model.balances[wallet]]
        ids = {row[0] for row in self.rows("""SELECT transfer_id FROM awa_ledger.transfers t WHERE transfer_id > (SELECT max(transfer_id) FROM awa_ledger.transfers) - 20000""")}
        newest = max(model.transfers, default=0) - 19000
        recent = {transfer_id for transfer_id in model.transfers if transfer_id > newest}
        wrong['what was committed is there'] += sorted(recent - ids)[:5]
        foreign = [transfer_id for transfer_id in ids - set(model.transfers) if transfer_id > newest]
        # What nobody asked for moves nothing from one account to another: consolidations, floors, what closing spends.
        wrong['nothing else is there'] += self.rows(f"""SELECT t, account, asset, sum(value) FROM
                (SELECT transfer_id AS t, account, asset, value FROM awa_ledger.postings WHERE transfer_id = ANY ('{{{','.join(map(str, foreign))}}}')
                 UNION ALL SELECT spent_by, account, asset, -value FROM awa_ledger.spends JOIN awa_ledger.postings USING (transfer_id, idx) WHERE spent_by = ANY ('{{{','.join(map(str, foreign))}}}')) x
            GROUP BY 1, 2, 3 HAVING sum(value) <> 0""")
        wrong['keys are those of the model'] += [(key, told, model.keys.get(key)) for key, told in self.rows("SELECT request_key, transfer_id FROM awa_ledger.transfers WHERE request_key IS NOT NULL")
                                                 if model.keys.get(key) != told]
        closed = {row[0] for row in self.rows('SELECT account FROM awa_ledger.account_heads WHERE closed')}
        wrong['closed is what was closed'] += sorted(closed ^ model.closed)
        wrong['a key, an undoing, a transfer, once'] += model.wrong
        self.rest.clear()

    def go(self):
        wrong = collections.defaultdict(list)
        everybody = self.sessions + self.asides
        for thread in everybody:
            thread.start()
        end = time.monotonic() + self.seconds
        stood = 0
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(left, STAND_STILL_EVERY))
            self.stand_still(wrong)
            stood += 1
            if any(wrong.values()) or any(thread.strange for thread in everybody):
                break
        self.stop.set()
        for thread in everybody:
            thread.join(30)
        wrong['everybody goes on to the end'] = [session.name for session in self.sessions if not session.ended]
        self.stand_still(wrong)
        errors, done = collections.Counter(), collections.Counter()
        for session in self.sessions:
            errors += session.errors
            done += session.done
        calls, contended = (sum(getattr(session, what) for session in self.sessions) for what in ('calls', 'contended'))
        print(f'# {sum(s.steps for s in self.sessions)} transactions, {len(self.model.transfers)} transfers committed, {dict(done)}', flush=True)
        print(f'# refused {dict(errors)}, {calls} transfers tried, {contended} contended, {self.kills} kills, {self.looks} looks, {stood} standstills', flush=True)
        strange = [what for thread in everybody for what in thread.strange]
        self.report(not strange, 'nobody sees anything that must not be', strange[:10])
        for what, rows in wrong.items():
            self.report(not rows, what, rows[:10])
        self.report(contended <= max(calls / 1000, 1), 'at most one transfer in a thousand is contended', f'{contended} of {calls}')
        self.report(not self.rows('SELECT * FROM awa_ledger.rebuild_live() WHERE inserted + changed + removed > 0'), 'the hot tables are what the truth says')
        self.report(len(self.model.transfers) > 20 * self.seconds, 'much was done', len(self.model.transfers))
        if self.failed:
            print(f'# again: test/stress/ledger {self.seconds:g} {self.seed}', flush=True)
        return 1 if self.failed else 0


def main(arguments):
    arguments, plant = list(arguments[1:]), None
    if arguments and arguments[0] == '--plant':
        plant = plants.find(arguments[1])
        del arguments[:2]
    argument = dict(enumerate(arguments))
    seconds = float(argument.get(0) or os.environ.get('AWA_STRESS_SECONDS') or 60)
    seed = argument.get(1) or os.environ.get('AWA_SEED') or str(random.randrange(10**9))
    print(f'# seed {seed}: test/stress/ledger {seconds:g} {seed}', flush=True)
    return Run(seconds, seed, plant).go()
