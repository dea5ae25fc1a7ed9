#!/usr/bin/python3
"""Replays a trace of real work: jobs arrive when they did there, so many times faster, and workers work them off.

    bench/replay.py [--speed FACTOR] [--workers N] [--work FACTOR] [--first N] [--trace NAME]

At the end each job must be where its trace says that it came to: completed, failed, cancelled, put off or still running. A histogram
shows how long jobs waited from the call that enqueued them until a worker had them. --work: how much of the time that a job took
there it takes here, at the same speed; 0, the default, is no time at all. The server is the one of PGHOST, PGPORT, PGUSER,
PGDATABASE. Prints `ok -` or `not ok -` lines.
"""
import argparse
import collections
import contextlib
import json
import multiprocessing
import queue
import sys
import time
import traceback

import psycopg2
from traces import TRACES

# What is shared is made before, and inherited.
multiprocessing.set_start_method('fork', force=True)

STALLED = 60   # seconds without any headway: something is lost
# A worker that found nothing claims again after so many seconds for each queue it looks into.
IDLE = 0.0025
PRODUCERS = 8  # at most
KILLERS = 2
BEAT = 1.0     # seconds between heartbeats
KEEP = 0.1     # seconds between calls of maintain()
# Of the session that keeps the house: the rings turn many times within a run. History is kept for the comparison at the end.
SETTINGS = ('claim_turn_age = 2', 'queue_turn_age = 10', 'lease_turn_age = 10', "history_retention = '1 d'")


def connect(name):
    connection = psycopg2.connect('', application_name=name)
    connection.autocommit = True
    return connection, connection.cursor()


def produce(index, requests, speed, start, results):
    """Each request in a call and a transaction of its own, at its time, or as soon as may be after it."""
    _, cursor = connect(f'producer{index}')
    ids, late = [], 0.0
    for number, request in requests:
        due = start + request.at / speed
        if due > time.time():
            time.sleep(max(0, due - time.time()))
        now = time.time()
        late = max(late, now - due)
        args = json.dumps({'n': number, 'sent': now, 'duration': request.duration, 'outcomes': request.outcomes})
        cursor.execute('SELECT awa.enqueue(%s, %s, %s, priority => %s, max_attempts => %s)',
                       [request.tenant, request.state, args, request.priority, len(request.outcomes)])
        ids.append((number, cursor.fetchone()[0]))
    results.put(('produced', index, (ids, late)))


class Worker:
    """Claims some jobs at a time, does with each what its trace says, and completes with the claim of the next. settled: how many jobs
    came to where they stay; kills: jobs that somebody else is to cancel."""

    def __init__(self, index, tenants, batch, factor, settled, kills, stop):
        self.tenants, self.batch, self.factor, self.settled, self.kills, self.stop = tenants, batch, factor, settled, kills, stop
        _, self.cursor = connect(f'worker{index}')
        self.held = []      # to be completed
        self.kept = set()   # of jobs that run on
        self.finished, self.runs = [], []
        self.next_beat = 0

    def settle(self, n=1):
        with self.settled.get_lock():
            self.settled.value += n

    def call(self, sql, *parameters):
        self.cursor.execute(sql, parameters)
        return self.cursor.fetchall()

    def must(self, sql, state, *parameters):
        answer = self.call(sql, *parameters)[0][0]
        if answer != state:
            raise RuntimeError(f'{sql} {parameters} answered {answer}, not {state}')

    # What is done at the end of a run.

    def complete(self, receipt, job):
        self.held.append(receipt)

    def fail_once(self, receipt, job):
        self.must("SELECT awa.fail(%s, 'failed, and will be submitted again', '10 ms')", 'retryable', receipt)

    def fail_for_good(self, receipt, job):
        self.must("SELECT awa.fail(%s, 'failed', terminal => true)", 'failed', receipt)
        self.settle()

    def be_killed(self, receipt, job):
        self.kept.add(receipt)
        self.kills.put(job)

    def be_lost(self, receipt, job):
        pass

    def put_off(self, receipt, job):
        self.must("SELECT awa.snooze(%s, '1 day')", True, receipt)
        self.settle()

    def go_on(self, receipt, job):
        self.kept.add(receipt)
        self.settle()

    def beat(self):
        """Who was killed hears of it from here."""
        for receipt, state in self.call('SELECT receipt::text, state FROM awa.heartbeat(%s::text[])', list(self.kept)):
            if state not in ('open', 'leased', 'busy'):
                self.kept.remove(receipt)
                self.settle()

    def work(self):
        rows = self.call('SELECT receipt::text, job_id, args, attempt FROM awa.complete_and_claim(%s::text[], %s, %s, strict => true)',
                         self.held, self.tenants, self.batch)
        now = time.time()
        self.settle(len(self.held))
        self.finished += self.held
        self.held = []
        for receipt, job, args, attempt in rows:
            if self.factor:
                time.sleep(args['duration'] * self.factor)
            # Of what is attempted again, how long it waited is no matter.
            self.runs.append((args['n'], job, receipt, attempt, now - args['sent'] if attempt == 1 else None))
            getattr(self, args['outcomes'][attempt - 1])(receipt, job)
        if self.kept and time.time() > self.next_beat:
            self.beat()
            self.next_beat = time.time() + BEAT
        return bool(rows)


def work(index, tenants, batch, factor, settled, kills, stop, results):
    worker = Worker(index, tenants, batch, factor, settled, kills, stop)
    while worker.work() or not stop.is_set():
        if not worker.held:
            time.sleep(IDLE * len(tenants))
    results.put(('worked', index, (worker.finished, worker.runs)))


def kill(kills, stop, results):
    """Cancels jobs that run, as their owner would."""
    _, cursor = connect('killer')
    in_time = 0
    while not stop.is_set():
        with contextlib.suppress(queue.Empty):
            cursor.execute("SELECT awa.cancel(%s, 'killed by its owner')", [kills.get(timeout=0.1)])
            in_time += cursor.fetchone()[0]
    results.put(('killed', None, in_time))


def keep(stop, results):
    """Calls maintain(): nothing else turns rings, empties slots, promotes or rescues."""
    _, cursor = connect('keeper')
    for setting in SETTINGS:
        cursor.execute(f'SET awa_ring.{setting}')
    while not stop.wait(KEEP):
        cursor.execute('CALL awa.maintain()')
    results.put(('kept', None, None))


def guarded(target, *arguments):
    """A process that breaks says so."""
    try:
        target(*arguments)
    except BaseException:
        arguments[-1].put(('broken', target.__name__, traceback.format_exc()))


def histogram(seconds):
    """Lines of a histogram of durations, in steps of a factor of two."""
    counts = collections.Counter(0 if s < 0.001 else int(s * 1000).bit_length() for s in seconds)
    most = max(counts.values())
    for step in range(max(counts) + 1):
        low, high = (0, 1) if step == 0 else (1 << (step - 1), 1 << step)
        bar = '#' * -(-60 * counts[step] // most)
        yield f'{low:>6} - {high:>6} ms {counts[step]:>7} {bar}'.rstrip()
    ordered = sorted(seconds)
    shown = ', '.join(f'p{p} {1000 * ordered[min(len(ordered) - 1, len(ordered) * p // 100)]:.1f}' for p in (50, 90, 99))
    yield f'milliseconds: {shown}, most {1000 * ordered[-1]:.1f}'


class Replay:
    def __init__(self, arguments):
        self.arguments = arguments
        self.trace = TRACES[arguments.trace]()
        self.requests = list(enumerate(self.trace.requests))[:arguments.first]
        self.tenants = sorted({request.tenant for _, request in self.requests})
        self.lost = sum(request.outcomes[-1] == 'be_lost' for _, request in self.requests)
        self.settled, self.queue, self.kills = multiprocessing.Value('q', 0), multiprocessing.Queue(), multiprocessing.Queue()
        self.stop, self.stop_keeper = multiprocessing.Event(), multiprocessing.Event()
        self.results = {'produced': [], 'worked': [], 'killed': [], 'kept': [], 'broken': []}
        self.failed = 0

    def report(self, holds, what, detail=''):
        self.failed += not holds
        print(f"{'ok' if holds else 'not ok'} - {what}", flush=True)
        if not holds:
            print(f'# {str(detail)[:3000]}', flush=True)

    def set_up(self):
        _, self.cursor = connect('replay')
        self.cursor.execute('CREATE EXTENSION awa_ring')
        names = ''.join(f', {name} => %s' for name in self.trace.settings)
        for tenant in self.tenants:
            self.cursor.execute(f'SELECT awa.create_queue(%s{names})', [tenant, *self.trace.settings.values()])

    def processes(self):
        a, start = self.arguments, time.time() + 0.5
        count = min(PRODUCERS, len(self.tenants))
        for index in range(count):
            tenants = set(self.tenants[index::count])
            yield (produce, index, [r for r in self.requests if r[1].tenant in tenants], a.speed, start, self.queue)
        # A look into many queues costs accordingly: where there are many tenants, each worker has some of its own.
        share = a.workers if len(self.tenants) > 4 * a.workers else 1
        for index in range(a.workers):
            yield (work, index, self.tenants[index % share::share], self.trace.batch, a.work / a.speed, self.settled, self.kills, self.stop, self.queue)
        for _ in range(KILLERS):
            yield (kill, self.kills, self.stop, self.queue)
        yield (keep, self.stop_keeper, self.queue)

    def gather(self, wait):
        with contextlib.suppress(queue.Empty):
            kind, who, what = self.queue.get(timeout=wait)
            self.results[kind].append((who, what))

    def found_lost(self):
        """Jobs of lost workers that a rescue has found; nobody tells."""
        if not self.lost:
            return 0
        self.cursor.execute("SELECT count(*) FROM awa.terminal_jobs WHERE outcome = 'rescued'")
        return self.cursor.fetchone()[0]

    def run(self):
        started = [multiprocessing.Process(target=guarded, args=each, daemon=True) for each in self.processes()]
        for process in started:
            process.start()
        last, since = -1, time.monotonic()
        producers = min(PRODUCERS, len(self.tenants))
        while not self.results['broken']:
            self.gather(0.2)
            settled = self.settled.value
            if settled >= len(self.requests) - self.lost:
                settled += self.found_lost()
                if settled >= len(self.requests):
                    break
            if settled != last or len(self.results['produced']) < producers:
                last, since = settled, time.monotonic()
            if time.monotonic() > since + STALLED:
                self.report(False, f'every job comes to its end: {settled} of {len(self.requests)} did')
                break
        # What runs on would soon be taken for lost: the keeper goes first.
        self.stop_keeper.set()
        until = time.monotonic() + 60
        while not self.results['kept'] and not self.results['broken'] and time.monotonic() < until:
            self.gather(1)
        self.stop.set()
        while sum(map(len, self.results.values())) < len(started) and time.monotonic() < until:
            self.gather(1)
        for process in started:
            process.join(10)

    def account(self):
        """What was enqueued against what was worked on and completed; kept by the clients alone."""
        enqueued = {number: job for _, (ids, _) in self.results['produced'] for number, job in ids}
        runs = [run for _, (_, runs) in self.results['worked'] for run in runs]
        finished = collections.Counter(receipt for _, (receipts, _) in self.results['worked'] for receipt in receipts)
        wanted = {number: request for number, request in self.requests}
        self.report(set(enqueued) == set(wanted), f'{len(enqueued)} of {len(wanted)} requests were enqueued')
        attempts = collections.defaultdict(list)
        for number, _, _, attempt, _ in runs:
            attempts[number].append(attempt)
        wrong = [number for number, request in self.requests if sorted(attempts[number]) != list(range(1, len(request.outcomes) + 1))]
        self.report(not wrong and set(attempts) == set(wanted), f'{len(runs)} runs, each request as often as in its trace', wrong[:20])
        self.report(all(enqueued.get(number) == job for number, job, *_ in runs), 'each run was of the job that was enqueued for it')
        completed = {number for number, _, receipt, *_ in runs if finished[receipt] == 1}
        to_complete = {number for number, request in self.requests if request.state == 'completed'}
        self.report(completed == to_complete and len(finished) == len(to_complete), f'{len(completed)} requests completed, each once',
                    list(to_complete ^ completed)[:20])
        kills = sum(request.outcomes[-1] == 'be_killed' for _, request in self.requests)
        in_time = sum(n for _, n in self.results['killed'])
        if kills:
            self.report(in_time == kills, f'{in_time} of {kills} jobs were killed while they ran')
        return enqueued, runs

    def compare(self, enqueued):
        """The same, as the extension has it."""
        self.cursor.execute('SELECT job_id, state, queue, attempt FROM awa.jobs')
        rows = self.cursor.fetchall()
        seen = {job: row for job, *row in rows}
        wanted = {enqueued.get(number): [request.state, request.tenant] for number, request in self.requests}
        wrong = [(job, seen.get(job), state) for job, state in wanted.items() if job not in seen or seen[job][:2] != state]
        states = collections.Counter(state for _, state, *_ in rows)
        self.report(not wrong and len(rows) == len(wanted), f'every one of {len(rows)} jobs is in the state that its trace implies: {dict(states)}', wrong[:20])
        # A job that was put off had no attempt of its own yet.
        attempts = {enqueued.get(number): len(request.outcomes) - (request.state == 'scheduled') for number, request in self.requests}
        wrong = [(job, seen[job], n) for job, n in attempts.items() if job in seen and seen[job][2] != n]
        self.report(not wrong, 'and has made as many attempts', wrong[:20])
        wrong, total = [], collections.Counter()
        for tenant in self.tenants:
            self.cursor.execute('SELECT to_jsonb(c) FROM awa.queue_counts(%s) c', [tenant])
            counts = {state: n for state, n in self.cursor.fetchone()[0].items() if n}
            total.update(counts)
            if counts != collections.Counter(request.state for _, request in self.requests if request.tenant == tenant):
                wrong.append((tenant, counts))
        self.report(not wrong, f'queue_counts of {len(self.tenants)} tenants agree: {dict(total)}', wrong[:10])
        self.cursor.execute('SELECT * FROM awa.check()')
        violations = self.cursor.fetchall()
        self.report(not violations, f'check() finds {len(violations)} violations', violations[:10])

    def kept(self):
        """What maintenance did meanwhile."""
        self.cursor.execute("""SELECT (SELECT string_agg(ring || ' ' || generation, ', ') FROM awa.ring_status WHERE state = 'current'),
                                      (SELECT count(*) FROM awa.leases), (SELECT count(*) FILTER (WHERE failures > 0) FROM awa.duty_status)""")
        turns, leases, failing = self.cursor.fetchone()
        self.report(failing == 0, 'no duty failed')
        print(f'# turns of the rings: {turns}; {leases} attempts left them')

    def go(self):
        self.set_up()
        began = time.time()
        self.run()
        took = time.time() - began
        for _, trace in self.results['broken']:
            self.report(False, 'every process came to its end', trace)
        enqueued, runs = self.account()
        self.compare(enqueued)
        self.kept()
        late = max((late for _, (_, late) in self.results['produced']), default=0.0)
        print(f'# {len(runs)} runs of {len(self.tenants)} tenants in {took:.0f} s at {self.arguments.speed:g} times their speed, '
              f'{self.arguments.workers} workers; producers were at most {1000 * late:.0f} ms late')
        waits = [wait for *_, wait in runs if wait is not None]
        if waits:
            print('# from the call of enqueue to a worker:')
            for line in histogram(waits):
                print(f'# {line}')
        return 1 if self.failed else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--trace', choices=sorted(TRACES), default='azure')
    parser.add_argument('--speed', type=float, default=60)
    parser.add_argument('--workers', type=int, default=8)
    parser.add_argument('--work', type=float, default=0)
    parser.add_argument('--first', type=int)
    sys.exit(Replay(parser.parse_args()).go())


main()
