"""Sessions that do verbs at random in transactions of all kinds, beside maintenance, and an account of what they committed.

A script chooses the verbs (crowd_verbs.py) and calls run(). Beside the sessions, one promotes and rescues, three turn, evict
and empty the rings, and one looks: at every moment each job that was enqueued is in one state of `jobs`, or counted as gone.
Every few seconds the sessions stand still, and every way of looking must agree with every other and with the account.
"""
import collections
import os
import random
import threading
import time

import anew
import psycopg2

LEVELS = ('READ COMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
# A key that is held, a lane or a job that is held, keys in opposite orders, and what snapshots that are kept cannot see.
ALLOWED = ('23505', '55P03', '40P01', '40001')
SESSIONS = 8
STAND_STILL_EVERY = 5  # seconds

# What is written here is committed or undone with what it tells of.
SETUP = """
-- ids that were given to jobs; the same one again is a job that had it before
CREATE TABLE tally.jobs (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, job_id bigint);
-- receipts that were handed out
CREATE TABLE tally.attempts (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, job_id bigint, run_lease bigint, receipt text);
CREATE TABLE tally.over (job_id bigint, run_lease bigint, by text);  -- attempts whose worker was told that it ended them
CREATE TABLE tally.ended (job_id bigint, by text);                   -- jobs that came to an end
CREATE TABLE tally.retried (job_id bigint);                          -- and began again
CREATE TABLE tally.tokens (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, token uuid, receipt text);
CREATE FUNCTION tally.put(queue text, kind text, run_at timestamptz, deadline interval, key text, mask text[], mode text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    id bigint;
BEGIN
    id := awa.enqueue(queue, kind, priority => 1 + (random() * 3)::int, run_at => put.run_at, deadline => put.deadline, unique_key => key, unique_while => mask, on_conflict => mode);
    INSERT INTO tally.jobs (job_id) VALUES (id);
    RETURN id;
END $$;
CREATE VIEW tally.sums AS
SELECT (SELECT count(DISTINCT job_id) FROM tally.jobs) AS enqueued,
       j.jobs, j.twice, (SELECT coalesce(sum(jobs), 0)::bigint FROM awa.queue_terminal_rollups) AS counted
FROM (SELECT count(*) AS jobs, count(*) - count(DISTINCT job_id) AS twice FROM awa.jobs) j;
"""
CLAIM = """
WITH c AS MATERIALIZED (SELECT job_id, receipt::text AS receipt FROM {}),
     t AS (INSERT INTO tally.attempts (job_id, run_lease, receipt) SELECT job_id, split_part(receipt, ':', 5)::bigint, receipt FROM c)
SELECT receipt FROM c"""
OVER = "INSERT INTO tally.over VALUES (split_part(%s, ':', 4)::bigint, split_part(%s, ':', 5)::bigint, %s)"

DUTIES = ('SELECT awa.promote_due()', 'SELECT awa.rescue_stale()', 'SELECT awa.rescue_deadlines()', 'SELECT awa.rescue_callbacks()')

# (what, a query that returns no rows). At a standstill, with the leaves locked.
AT_REST = (
    ('every job is one that was enqueued', 'SELECT job_id FROM awa.jobs EXCEPT SELECT job_id FROM tally.jobs'),
    ('no deleted job came back', "SELECT job_id FROM tally.ended WHERE by = 'deleted' INTERSECT SELECT job_id FROM awa.jobs"),
    ('jobs and queue_counts agree', """
        SELECT j.queue, j.state, j.n, c.n FROM
            (SELECT queue, state, count(*) AS n FROM awa.jobs WHERE queue IN (SELECT queue FROM awa.list_queues()) GROUP BY 1, 2) j
            FULL JOIN (SELECT q.queue, x.key AS state, x.value::bigint AS n FROM awa.list_queues() q, awa.queue_counts(q.queue) c, jsonb_each_text(to_jsonb(c)) x
                       WHERE x.value ~ '^[1-9][0-9]*$') c USING (queue, state)
        WHERE j.n IS DISTINCT FROM c.n AND j.queue <> 'passing'"""),
    ('jobs and terminal_jobs agree', """
        SELECT job_id, state FROM awa.jobs WHERE state IN ('completed', 'failed', 'cancelled', 'dead_letter')
        EXCEPT ALL SELECT job_id, state FROM awa.terminal_jobs"""),
    ('jobs and open_claims agree', """
        (SELECT job_id, run_lease FROM awa.jobs WHERE state IN ('running', 'waiting_external') EXCEPT ALL SELECT job_id, run_lease FROM awa.open_claims)
        UNION ALL (SELECT job_id, run_lease FROM awa.open_claims EXCEPT ALL SELECT job_id, run_lease FROM awa.jobs WHERE state IN ('running', 'waiting_external'))"""),
    ('jobs and dead_letters agree', "SELECT job_id FROM awa.jobs WHERE state = 'dead_letter' EXCEPT ALL SELECT job_id FROM awa.dead_letters"),
    ('receipt_state agrees with jobs', """
        SELECT a.receipt, s.state, j.state FROM tally.attempts a JOIN awa.jobs j USING (job_id, run_lease) CROSS JOIN LATERAL awa.receipt_state(a.receipt::awa.receipt) s
        WHERE (j.state IN ('running', 'waiting_external')) <> (s.state IN ('open', 'leased'))"""),
    ('a job shows its last attempt', """
        SELECT j.job_id, j.run_lease, a.last FROM awa.jobs j LEFT JOIN (SELECT job_id, max(run_lease) AS last FROM tally.attempts GROUP BY 1) a USING (job_id)
        WHERE j.run_lease <> coalesce(a.last, 0)"""),
    ('no attempt was handed out twice, or left out', """
        SELECT job_id, count(*), max(run_lease) FROM tally.attempts GROUP BY 1 HAVING count(*) <> max(run_lease) OR count(DISTINCT run_lease) <> count(*)"""),
    ('no attempt was ended twice', 'SELECT job_id, run_lease, array_agg(by) FROM tally.over GROUP BY 1, 2 HAVING count(*) > 1'),
    ('what was ended was handed out', 'SELECT job_id, run_lease FROM tally.over EXCEPT SELECT job_id, run_lease FROM tally.attempts'),
    ('no job ended more often than it began', """
        SELECT e.job_id, e.ends, coalesce(r.retries, 0), e.by FROM (SELECT job_id, count(*) AS ends, array_agg(by) AS by FROM tally.ended WHERE by <> 'deleted' GROUP BY 1) e
        LEFT JOIN (SELECT job_id, count(*) AS retries FROM tally.retried GROUP BY 1) r USING (job_id) WHERE e.ends > 1 + coalesce(r.retries, 0)"""),
    ('no job failed more often than max_attempts allows', """
        SELECT f.job_id, f.failures, l.lives FROM (SELECT job_id, count(*) AS failures FROM tally.over WHERE by IN ('retryable', 'failed', 'dead_letter', 'retried') GROUP BY 1) f
        JOIN (SELECT job_id, count(*) AS lives FROM (SELECT job_id FROM tally.jobs UNION ALL SELECT job_id FROM tally.retried) x GROUP BY 1) l USING (job_id)
        WHERE f.failures > 4 * l.lives"""),
    ('no two jobs hold a key', """
        SELECT queue, unique_key FROM awa.jobs JOIN awa.queues USING (queue) JOIN awa.job_unique_claims u USING (queue_id, unique_key)
        WHERE state IN ('available', 'running') AND u.job_id = jobs.job_id GROUP BY 1, 2 HAVING count(*) > 1"""),
)


def connect():
    connection = psycopg2.connect('')
    connection.autocommit = True
    return connection, connection.cursor()


class Resting(threading.Thread):
    """Works until it is to stop, and rests while it is to rest."""

    def __init__(self, stop, rest=None):
        super().__init__(daemon=True)
        self.stop_event, self.rest, self.resting = stop, rest, threading.Event()

    def goes_on(self):
        while self.rest and self.rest.is_set() and not self.stop_event.is_set():
            self.resting.set()
            time.sleep(0.01)
        self.resting.clear()
        return not self.stop_event.is_set()


class Worker(Resting):
    """Does verbs at random. What it holds is as its transaction left it: committed, or undone."""

    verbs = ()
    allowed = ALLOWED

    def __init__(self, number, seed, stop, rest):
        super().__init__(stop, rest)
        self.rng = random.Random(f'{seed}/{number}')
        self.errors, self.done = collections.Counter(), collections.Counter()
        self.strange = []
        self.steps = 0
        self.held = []
        self.connection, self.cursor = connect()

    def rows(self, sql, *parameters):
        self.cursor.execute(sql, parameters or None)
        return self.cursor.fetchall() if self.cursor.description else []

    def value(self, sql, *parameters):
        return self.rows(sql, *parameters)[0][0]

    def run(self):
        self.rows("SET awa_ring.claim_wait = '200ms'")
        self.rows("SET awa_ring.key_wait = '500ms'")
        while self.goes_on():
            self.transaction()

    def transaction(self):
        taken = list(self.held)
        try:
            self.rows(f'BEGIN ISOLATION LEVEL {self.rng.choice(LEVELS)}')
            if self.rng.random() < 0.3:
                self.rows('SELECT count(*) FROM pg_catalog.pg_class')
            self.part(0)
            if self.rng.random() < 0.15:
                self.rows('ROLLBACK')
                self.held = taken
            else:
                self.rows('COMMIT')
            self.steps += 1
        except psycopg2.Error as error:
            self.errors[error.pgcode] += 1
            if error.pgcode not in self.allowed or not self.is_to_be_expected(error):
                self.strange.append(f'{error.pgcode} {error}')
            self.rows('ROLLBACK')
            self.held = taken

    def is_to_be_expected(self, error):
        return True

    def part(self, depth):
        for _ in range(self.rng.randint(1, 3)):
            verb = self.rng.choice(self.verbs)
            verb(self)
            self.done[verb.__name__] += 1
            if depth < 2 and self.rng.random() < 0.2:
                taken = list(self.held)
                self.rows(f'SAVEPOINT s{depth}')
                self.part(depth + 1)
                if self.rng.random() < 0.4:
                    self.rows(f'ROLLBACK TO s{depth}')
                    self.held = taken

    def one_of(self, column, table):
        """One of the newest rows rather than of the old ones. None: there is none."""
        back = int(1000 * self.rng.random() ** 3)
        found = self.rows(f'SELECT {column} FROM {table} WHERE n <= (SELECT max(n) FROM {table}) - %s ORDER BY n DESC LIMIT 1', back)
        return found[0] if found else None

    def wrong(self, what, *detail):
        self.strange.append(f'{what}: {detail}')


class Maintenance(Resting):
    """Calls the same things again and again, each in a transaction of its own. outcomes: (call, answer) -> times."""

    def __init__(self, calls, pause, stop, rest=None):
        super().__init__(stop, rest)
        self.calls, self.pause = calls, pause
        self.outcomes, self.strange = collections.Counter(), []

    def run(self):
        _, cursor = connect()
        cursor.execute('SET awa_ring.history_retention = 0')
        while self.goes_on():
            for call in self.calls:
                try:
                    cursor.execute(call)
                    answer = cursor.fetchone()[0]
                    self.outcomes[call, answer.split('(')[0] if isinstance(answer, str) else 'some' if answer else 'nothing'] += 1
                except psycopg2.Error as error:
                    self.outcomes[call, error.pgcode] += 1
                    if error.pgcode != '40001':
                        self.strange.append(f'{call}: {error.pgcode} {error}')
            self.stop_event.wait(self.pause)


class Looker(threading.Thread):
    """At every moment each job that was enqueued is in one state of `jobs`, or counted as gone: with the leaves locked the sums
    are exact; without, nothing may show twice."""

    def __init__(self, stop):
        super().__init__(daemon=True)
        self.stop_event = stop
        self.looks, self.wrong = 0, []

    def run(self):
        connection, cursor = connect()
        while not self.stop_event.is_set():
            cursor.execute('BEGIN')
            cursor.execute('SELECT awa.lock_for_reading()')
            cursor.execute('SELECT enqueued - counted - jobs, twice, s FROM tally.sums s')
            missing, twice, sums = cursor.fetchone()
            if missing or twice:
                self.wrong.append(f'{missing} missing, {twice} twice: {sums}')
            cursor.execute('COMMIT')
            cursor.execute('SELECT job_id, array_agg(state) FROM awa.jobs GROUP BY 1 HAVING count(*) > 1')
            for row in cursor.fetchall():
                self.wrong.append(f'in two states: {row}')
            self.looks += 1
            self.stop_event.wait(0.05)


def drain(cursor, queues):
    """Ends every job: nothing is left that waits or runs."""
    for queue in queues:
        cursor.execute('SELECT awa.create_queue(%s), awa.resume_queue(%s)', [queue, queue])
    for _ in range(200):
        cursor.execute("UPDATE awa.deferred_jobs SET run_at = clock_timestamp() - interval '1 s' WHERE run_at > clock_timestamp()")
        cursor.execute('SELECT awa.promote_due()')
        cursor.execute(CLAIM.format('awa.claim(%s, %s)'), [list(queues), 5000])
        cursor.execute('SELECT awa.complete(ARRAY(SELECT receipt FROM awa.open_claims))')
        completed = cursor.fetchone()[0]
        cursor.execute('SELECT sum(scheduled + available + running + waiting_external + retryable) FROM unnest(%s) q(queue), awa.queue_counts(q.queue)', [list(queues)])
        if cursor.fetchone()[0] == 0 and not completed:
            return True
    return False


class Run:
    def __init__(self, name, arguments, workers, queues):
        """workers(number, seed, stop, rest) -> Worker. queues: name -> settings."""
        argument = dict(enumerate(arguments))
        self.seconds = float(argument.get(1) or os.environ.get('AWA_STRESS_SECONDS') or 60)
        self.seed = argument.get(2) or os.environ.get('AWA_SEED') or str(random.randrange(10**9))
        self.queues, self.failed = queues, 0
        print(f'# seed {self.seed}: test/stress/{name} {self.seconds:g} {self.seed}', flush=True)
        _, self.cursor = connect()
        anew.install(self.cursor)
        self.cursor.execute(SETUP)
        for queue, settings in queues.items():
            named = ''.join(f', {setting} => %s' for setting in settings)
            self.cursor.execute(f'SELECT awa.create_queue(%s{named})', [queue, *settings.values()])
        self.stop, self.rest = threading.Event(), threading.Event()
        self.workers = [workers(number, self.seed, self.stop, self.rest) for number in range(SESSIONS)]
        rings = [[f"CALL awa.{verb}('{ring}')" for verb in ('rotate', 'evict', 'prune')] for ring in ('queue', 'claim', 'lease')]
        self.maintenance = [Maintenance(DUTIES, 0.05, self.stop, self.rest)] + [Maintenance(calls, 0.1, self.stop) for calls in rings]
        self.looker = Looker(self.stop)

    def report(self, holds, what, detail=''):
        self.failed += not holds
        print(f"{'ok' if holds else 'not ok'} - {what}", flush=True)
        if not holds:
            print(f'# {str(detail)[:3000]} (seed {self.seed})', flush=True)

    def stand_still(self, wrong):
        """Everything agrees when nobody is at work, though the rings turn. wrong: what -> rows."""
        self.rest.set()
        for thread in (*self.workers, self.maintenance[0]):
            if not thread.resting.wait(60):
                wrong['every session comes to the end of its transaction'].append(thread.name)
        time.sleep(0.5)  # the rings can be emptied now
        self.look(wrong)
        self.rest.clear()

    def look(self, wrong):
        self.cursor.execute('SELECT * FROM awa.check()')
        wrong['check() finds nothing'] += self.cursor.fetchall()
        for what, sql in AT_REST:
            self.cursor.execute('BEGIN')
            self.cursor.execute('SELECT awa.lock_for_reading()')
            self.cursor.execute(sql)
            wrong[what] += self.cursor.fetchall()
            self.cursor.execute('COMMIT')

    def go(self):
        threads = (*self.workers, *self.maintenance, self.looker)
        for thread in threads:
            thread.start()
        under_load, looks, wrong, rests = [], 0, collections.defaultdict(list), 0
        until = time.monotonic() + self.seconds
        while time.monotonic() < until:
            time.sleep(min(STAND_STILL_EVERY / 2, max(0.1, until - time.monotonic())))
            self.cursor.execute('SELECT * FROM awa.check()')
            under_load += self.cursor.fetchall()
            looks += 1
            if looks % 2 == 0:
                self.stand_still(wrong)
                rests += 1
        self.stop.set()
        for thread in threads:
            thread.join(60)
        self.tell(under_load, looks, threads)
        self.look(wrong)
        for what in dict.fromkeys(['check() finds nothing', *(what for what, _ in AT_REST), *wrong]):
            self.report(not wrong[what], f'{what}: {rests + 1} times at rest', wrong[what][:20])
        self.end()
        return self.failed > 0

    def tell(self, under_load, looks, threads):
        alive = [thread.name for thread in threads if thread.is_alive()]
        self.report(not alive, 'every session came to its end', alive)
        self.report(not under_load, f'check() found nothing, {looks} times under load', under_load[:20])
        self.report(self.looker.looks and not self.looker.wrong, f'every job is in one state of jobs, or counted as gone: {self.looker.looks} times under load',
                    self.looker.wrong[:10])
        errors = sum((worker.errors for worker in self.workers), collections.Counter())
        strange = [message for each in (*self.workers, *self.maintenance) for message in each.strange]
        steps = sum(worker.steps for worker in self.workers)
        done = sum((worker.done for worker in self.workers), collections.Counter())
        print(f'# {steps} transactions, errors {dict(errors)}', flush=True)
        print('# ' + ', '.join(f'{n} {verb}' for verb, n in sorted(done.items())), flush=True)
        outcomes = sum((each.outcomes for each in self.maintenance), collections.Counter())
        for call in sorted({call for call, _ in outcomes}):
            print(f"# {call}: {', '.join(f'{n} {answer}' for (c, answer), n in sorted(outcomes.items()) if c == call)}", flush=True)
        self.report(not strange, 'no answer and no error but those that are to be expected', strange[:5])
        self.report(steps > self.seconds, 'the sessions got on', steps)

    def end(self):
        self.report(drain(self.cursor, self.queues), 'what was left could be ended')
        self.cursor.execute('SELECT * FROM tally.sums')
        enqueued, there, twice, counted = self.cursor.fetchone()
        self.report(there + counted == enqueued and not twice, f'{enqueued} jobs: each is there or counted as gone', f'{there} there, {twice} twice, {counted} counted')
        for what, sql in (('no key is held when no job is left', 'SELECT * FROM awa.job_unique_claims'), ('check() finds nothing at the end', 'SELECT * FROM awa.check()')):
            self.cursor.execute(sql)
            rows = self.cursor.fetchall()
            self.report(not rows, what, rows[:20])
