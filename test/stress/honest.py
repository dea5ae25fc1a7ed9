"""Workers as they should be, whom anything may happen to: they beat while they work, go on after a lost connection, and stop in time when they
could not beat. What they did is written down twice: in schema `tally`, by the transactions that it is about, and in a file of each
process, which tells who worked on what, from when to when, and outlives a crash of the server.
"""
import collections
import glob
import multiprocessing
import os
import random
import signal
import time

import anew
import psycopg2

multiprocessing.set_start_method('fork', force=True)  # see load.py

# queue -> settings. The attempts of a job that is only ever lost never run out here.
QUEUES = {
    'plain': {'max_attempts': 1000, 'backoff_base': '10 ms', 'backoff_cap': '100 ms'},
    'sharded': {'max_attempts': 1000, 'enqueue_shards': 4, 'backoff_base': '10 ms', 'backoff_cap': '100 ms'},
    'deadline': {'max_attempts': 1000, 'deadline': '2 s', 'backoff_base': '10 ms', 'backoff_cap': '100 ms'},
}
SETUP = """
CREATE TABLE tally.enqueued (job_id bigint, queue text);
CREATE TABLE tally.claimed (job_id bigint, run_lease bigint);
CREATE TABLE tally.ended (job_id bigint, run_lease bigint, by text);
"""
ENQUEUE = """
WITH e AS MATERIALIZED (SELECT unnest(awa.enqueue_many(%s, 'k', array_fill('1'::jsonb, ARRAY[%s]), priority => %s)) AS id)
INSERT INTO tally.enqueued SELECT id, %s FROM e RETURNING job_id"""
PUT_OFF = """
WITH e AS MATERIALIZED (SELECT awa.enqueue(%s, 'later', run_at => clock_timestamp() + %s::interval) AS id)
INSERT INTO tally.enqueued SELECT id, %s FROM e RETURNING job_id"""
CLAIM = """
WITH c AS MATERIALIZED (SELECT job_id, receipt::text AS receipt, split_part(receipt::text, ':', 5)::bigint AS lease,
                               extract(epoch FROM deadline_at)::float8 AS deadline FROM awa.claim(%s, %s)),
     t AS (INSERT INTO tally.claimed SELECT job_id, lease FROM c)
SELECT job_id, lease, receipt, deadline FROM c"""
# {}: a call that gives (receipt text, state text), no state if the attempt was not open
END = """
WITH e AS MATERIALIZED ({}),
     t AS (INSERT INTO tally.ended SELECT split_part(receipt, ':', 4)::bigint, split_part(receipt, ':', 5)::bigint, state FROM e WHERE state IS NOT NULL)
SELECT count(*) FILTER (WHERE state IS NOT NULL) FROM e"""
COMPLETE = END.format("SELECT receipt::text, CASE WHEN completed THEN 'completed' END AS state FROM awa.complete_each(%s::text[])")
FAIL = END.format("SELECT receipt::text, nullif(state, 'stale') AS state FROM awa.fail_many(%s::text[], array_fill('no'::text, ARRAY[%s]))")
RELEASE = END.format("SELECT r AS receipt, CASE WHEN awa.release(r::awa.receipt) THEN 'released' END AS state FROM unnest(%s::text[]) r")

Run = collections.namedtuple('Run', 'job lease begin end who')


def connect(dsn, name='account'):
    connection = psycopg2.connect(dsn, application_name=name)
    connection.autocommit = True
    return connection, connection.cursor()


def set_up(cursor, stale_after, queues=QUEUES):
    """stale_after: seconds."""
    anew.install(cursor)
    cursor.execute(SETUP)
    for queue, settings in queues.items():
        names = ''.join(f', {name} => %s' for name in settings)
        cursor.execute(f'SELECT awa.create_queue(%s, stale_after => %s{names})', [queue, f'{stale_after} s', *settings.values()])


class Crew:
    """Processes of one run: kill() ends one without a word and begins another in its place. stop, rest: seen by all of them; no locks, for
    those die with who holds them."""

    def __init__(self, seed, dsn, folder, stale_after, queues=QUEUES, settings=()):
        self.seed, self.dsn, self.folder, self.stale_after, self.queues, self.settings = seed, dsn, folder, stale_after, queues, settings
        self.rng = random.Random(f'{seed}/crew')
        self.stop, self.full = multiprocessing.RawValue('b', 0), multiprocessing.RawValue('b', 0)
        self.members, self.number, self.killed = [], 0, {}

    def begin(self, role):
        self.number += 1
        process = multiprocessing.Process(target=role, args=(self, self.number), daemon=True, name=f'{role.__name__}{self.number}')
        process.start()
        self.members.append((role, process, self.number))

    def kill(self):
        """One of them, at random. Returns its role."""
        role, process, number = self.members.pop(self.rng.randrange(len(self.members)))
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        self.killed[number] = time.time()
        self.begin(role)
        return role.__name__

    def finish(self, seconds=60):
        """Those that did not come to their end."""
        self.stop.value = 1
        for _, process, _ in self.members:
            process.join(seconds)
        late = [process.name for _, process, _ in self.members if process.exitcode != 0]
        for _, process, _ in self.members:
            process.kill()
        return late

    def log(self, number):
        return os.open(os.path.join(self.folder, f'log.{number}'), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)

    def read(self):
        """(runs, ids of jobs whose commit was confirmed, counted notes), of all that ever wrote."""
        runs, jobs, notes = [], set(), collections.Counter()
        for path in glob.glob(os.path.join(self.folder, 'log.*')):
            number, begun, sure = int(path.rsplit('.', 1)[1]), {}, 0
            with open(path) as file:
                for line in file:
                    if not line.endswith('\n'):
                        continue
                    word, *rest = line.split()
                    if word == 'job':
                        jobs.update(map(int, rest))
                    elif word == 'begin':
                        begun[rest[0], rest[1]] = float(rest[2]), float(rest[3])
                    elif word == 'end':
                        runs.append(Run(int(rest[0]), int(rest[1]), begun.pop((rest[0], rest[1]))[0], float(rest[2]), number))
                    elif word == 'sure':
                        sure = float(rest[0])
                    else:
                        notes[' '.join([word, *rest])] += 1
            # Who was killed worked until then, unless it waited for the answer to a heartbeat.
            runs += [Run(int(job), int(lease), at, max(at, min(self.killed.get(number, time.time()), sure, deadline)), number)
                     for (job, lease), (at, deadline) in begun.items()]
        return runs, jobs, notes


class Member:
    """A connection that comes back, and a log."""

    def __init__(self, crew, number):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # the parent's handler is not theirs
        self.crew, self.rng = crew, random.Random(f'{crew.seed}/{number}')
        self.name, self.descriptor = f'{type(self).__name__.lower()}{number}', crew.log(number)
        self.connection = self.cursor = None

    def note(self, *words):
        os.write(self.descriptor, (' '.join(map(str, words)) + '\n').encode())

    def connected(self):
        if self.connection is None or self.connection.closed:
            self.connection, self.cursor = connect(self.crew.dsn, self.name)
            for setting in self.crew.settings:
                self.cursor.execute(f'SET awa_ring.{setting}')

    def rows(self, sql, *parameters):
        self.cursor.execute(sql, parameters or None)
        return self.cursor.fetchall() if self.cursor.description else []

    def tried(self, work):
        """Whether it went well. A lost connection is made again; any other error is noted, and is a failure of the run."""
        try:
            self.connected()
            work()
            return True
        except psycopg2.Error as error:
            state = getattr(error, 'pgcode', None)
            lost = self.connection is None or self.connection.closed or state is None or state in ('57P01', '57P02', '57P03')
            if lost:
                if self.connection is not None:
                    self.connection.close()
                self.connection = None
                time.sleep(0.05)
            elif state != '40P01':
                self.note('error', state, *str(error).split())
            return False


class Producer(Member):
    def work(self):
        rng, queue = self.rng, self.rng.choice(list(self.crew.queues))
        if rng.random() < 0.1:
            rows = self.rows(PUT_OFF, queue, f'{rng.uniform(0, 1):.3f} s', queue)
        else:
            rows = self.rows(ENQUEUE, queue, rng.choice((1, 1, 5, 30)), rng.randint(1, 4), queue)
        self.note('job', *(row[0] for row in rows))

    def go(self):
        while not self.crew.stop.value:
            if not self.crew.full.value:
                self.tried(self.work)
            time.sleep(0.01)


class Worker(Member):
    """Claims some, works for a while on each in turn, beats meanwhile, and ends them in one of three ways."""

    beat_every = 0.25
    step = 0.02  # seconds between looks at the clock

    def claim(self):
        asked = time.time()
        rows = self.rows(CLAIM, list(self.crew.queues), self.rng.choice((1, 2, 10, 40)))
        for job, lease, receipt, deadline in rows:
            self.held[receipt] = (job, lease, deadline or float('inf'))
            self.note('begin', job, lease, time.time(), self.held[receipt][2])
        self.sure(asked)

    def sure(self, asked):
        """Nobody takes what was claimed, or beat, after this moment for stale until then."""
        self.sure_until = asked + self.crew.stale_after
        self.note('sure', self.sure_until)

    def beat(self):
        asked = time.time()
        for receipt, state in self.rows('SELECT receipt::text, state FROM awa.heartbeat(%s::text[])', list(self.held)):
            if state not in ('open', 'leased', 'busy'):
                self.let_go(receipt)
                self.note('told', state)
            elif state == 'busy':
                self.note('busy')
                asked = 0
        self.sure(max(asked, self.sure_until - self.crew.stale_after))

    def let_go(self, receipt):
        job, lease, _ = self.held.pop(receipt)
        self.note('end', job, lease, self.last)

    def stop_in_time(self, now):
        """Who could not beat stops when its attempts may be taken for stale, and everybody at the deadline."""
        for receipt in [r for r, (_, _, deadline) in self.held.items() if now > min(self.sure_until, deadline)]:
            self.let_go(receipt)
            self.note('gave up')

    def work_on(self):
        """Until the time is over or nothing is left."""
        self.last = time.time()  # what was done last
        until = self.last + self.rng.choice((0, 0.02, 0.1, 0.5, 1.5 * self.crew.stale_after if self.rng.random() < 0.1 else 0.05))
        beat_at = self.last + self.beat_every
        self.stop_in_time(self.last)
        while self.held and (now := time.time()) < until:
            self.stop_in_time(now)
            self.last = now
            if now > beat_at:
                self.tried(self.beat)
                beat_at = time.time() + self.beat_every
            time.sleep(self.step)
        receipts = list(self.held)
        for receipt in receipts:
            self.let_go(receipt)
        # What was done and cannot be told is told later, or it is too late.
        way = self.rng.random()
        if way < 0.8:
            end = lambda: self.rows(COMPLETE, receipts)
        elif way < 0.9:
            end = lambda: self.rows(FAIL, receipts, len(receipts))
        else:
            end = lambda: self.rows(RELEASE, receipts)
        for _ in range(3):
            if not receipts or self.tried(end):
                break

    def go(self):
        self.held, self.sure_until = {}, 0
        while not self.crew.stop.value:
            if self.tried(self.claim) and self.held:
                self.work_on()
            else:
                time.sleep(0.02)


class Keeper(Member):
    """Calls maintain(), and nothing else keeps the house."""

    def go(self):
        def call():
            outcome = self.rows('CALL awa.maintain()')[0][0]
            self.note('maintain', outcome.split('(')[0])
        while not self.crew.stop.value:
            self.tried(call)
            time.sleep(0.02)


def producer(crew, number):
    Producer(crew, number).go()


def worker(crew, number):
    Worker(crew, number).go()


def keeper(crew, number):
    Keeper(crew, number).go()


def checks(cursor, crew, drained):
    """Yields (holds, what, detail). drained: nothing waits or runs any more."""
    def rows(sql, *parameters):
        cursor.execute(sql, parameters or None)
        return cursor.fetchall()

    def none(what, sql, *parameters):
        found = rows(sql, *parameters)
        return not found, f'{what} = {len(found)}', found[:10]

    runs, confirmed, notes = crew.read()
    enqueued = {row[0] for row in rows('SELECT job_id FROM tally.enqueued')}
    gone = confirmed - enqueued
    yield not gone, f'of {len(confirmed)} jobs whose commit was confirmed, {len(gone)} are gone', sorted(gone)[:10]
    by_job = collections.defaultdict(list)
    for run in runs:
        by_job[run.job].append(run)
    overlaps = []
    for each in by_job.values():
        each.sort(key=lambda run: run.begin)
        overlaps += [(a, b) for a, b in zip(each, each[1:]) if b.begin < a.end]
    again = sum(len(each) - 1 for each in by_job.values())
    yield not overlaps, f'{len(runs)} runs of {len(by_job)} jobs, {again} of them again; two at once = {len(overlaps)}', overlaps[:5]
    errors = {note: n for note, n in notes.items() if note.startswith('error')}
    yield not errors, f'errors that must not happen = {sum(errors.values())}', list(errors.items())[:5]
    yield none('attempts handed out twice', 'SELECT job_id, run_lease FROM tally.claimed GROUP BY 1, 2 HAVING count(*) > 1')
    yield none('attempts ended twice', 'SELECT job_id, run_lease, array_agg(by) FROM tally.ended GROUP BY 1, 2 HAVING count(*) > 1')
    yield none('ended, and never handed out', 'SELECT job_id, run_lease FROM tally.ended EXCEPT SELECT job_id, run_lease FROM tally.claimed')
    # An attempt was fenced when the job was handed out again: the later claim must not exist, or the earlier end be why it does.
    yield none('completed, and handed out again later', """
        SELECT e.job_id, e.run_lease, c.run_lease FROM tally.ended e JOIN tally.claimed c USING (job_id)
        WHERE e.by = 'completed' AND c.run_lease > e.run_lease""")
    yield none('jobs completed twice', "SELECT job_id FROM tally.ended WHERE by = 'completed' GROUP BY 1 HAVING count(*) > 1")
    # Read once, and together with what was counted when it went: the leaves stay locked meanwhile.
    cursor.execute('BEGIN; SELECT awa.lock_for_reading(); CREATE TEMP TABLE seen ON COMMIT DROP AS SELECT job_id, state FROM awa.jobs')
    yield none('in jobs more than once', 'SELECT job_id, array_agg(state) FROM seen GROUP BY 1 HAVING count(*) > 1')
    yield none('in jobs, and never enqueued', 'SELECT job_id FROM seen EXCEPT SELECT job_id FROM tally.enqueued')
    yield none('lost: neither in jobs nor completed', """
        SELECT job_id FROM tally.enqueued EXCEPT SELECT job_id FROM seen EXCEPT SELECT job_id FROM tally.ended WHERE by = 'completed'""")
    yield none('completed, and in jobs as something else', """
        SELECT job_id, seen.state FROM seen JOIN tally.ended USING (job_id) WHERE by = 'completed' AND seen.state <> 'completed'""")
    pruned, seen, ever = rows("""SELECT (SELECT coalesce(sum(jobs), 0)::bigint FROM awa.queue_terminal_rollups), (SELECT count(*) FROM seen),
                                        (SELECT count(*) FROM tally.enqueued)""")[0]
    yield pruned + seen == ever, f'{ever} enqueued = {seen} in jobs + {pruned} pruned and counted', ''
    if drained:
        yield none('not completed', "SELECT job_id FROM tally.enqueued EXCEPT SELECT job_id FROM tally.ended WHERE by = 'completed'")
    cursor.execute('COMMIT')
    yield none('violations that check() finds', 'SELECT * FROM awa.check()')
