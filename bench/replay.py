#!/usr/bin/python3
"""Replays a trace of real work: jobs arrive when they did there, so many times faster, and workers work them off.

    bench/replay.py [--speed FACTOR] [--workers N] [--work FACTOR] [--first N] [--trace NAME]

At the end each job must have been completed, once; a histogram shows how long jobs waited from the call that enqueued them
until a worker had them. --work: how much of the time that a job took there it takes here, at the same speed; 0, the
default, is no time at all. The server is the one of PGHOST, PGPORT, PGUSER, PGDATABASE. Prints `ok -` or `not ok -` lines.
"""
import argparse
import collections
import contextlib
import csv
import heapq
import json
import lzma
import multiprocessing
import os
import queue
import sys
import time
import traceback

import psycopg2

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data')
STALLED = 60   # seconds without any completion: something is lost
IDLE = 0.005   # seconds between claims of a worker that found nothing
TURN = {'claim': 1.0, 'queue': 10.0}  # seconds between rotations

Request = collections.namedtuple('Request', 'at duration outcome tenant')  # seconds from the start of the trace


def azure():
    """No outcomes are known, all are completed; a generated token takes 30 ms."""
    at = 0
    with lzma.open(os.path.join(DATA, 'azure-llm-requests.csv.xz'), 'rt') as file:
        for row in csv.DictReader(file):
            at += int(row['after_us'])
            yield Request(at / 1e6, int(row['generated_tokens']) * 0.03, 'complete', row['service'])


TRACES = {'azure': azure}

# What a worker does at the end of a job; to return a receipt is to have it completed with the next claim.
OUTCOMES = {'complete': lambda cursor, receipt: receipt}


def connect(name):
    connection = psycopg2.connect('', application_name=name)
    connection.autocommit = True
    return connection, connection.cursor()


def produce(tenant, requests, speed, start, results):
    """Each request in a call and a transaction of its own, at its time, or as soon as may be after it."""
    _, cursor = connect(f'producer {tenant}')
    ids, late = [], 0.0
    for number, request in requests:
        due = start + request.at / speed
        if due > time.time():
            time.sleep(max(0, due - time.time()))
        now = time.time()
        late = max(late, now - due)
        args = json.dumps({'n': number, 'sent': now, 'duration': request.duration, 'outcome': request.outcome})
        cursor.execute('SELECT awa.enqueue(%s, %s, %s)', [tenant, request.outcome, args])
        ids.append((number, cursor.fetchone()[0]))
    results.put(('produced', tenant, (ids, late)))


def work(index, tenants, factor, done, stop, results):
    """Claims one job at a time, and completes it with the claim of the next."""
    _, cursor = connect(f'worker{index}')
    finished, runs, held = [], [], []
    while True:
        cursor.execute('SELECT receipt::text, job_id, args FROM awa.complete_and_claim(%s::text[], %s, 1, strict => true)', [held, tenants])
        rows, now = cursor.fetchall(), time.time()
        with done.get_lock():
            done.value += len(held)
        finished += held
        held = []
        for receipt, job, args in rows:
            if factor:
                time.sleep(args['duration'] * factor)
            runs.append((args['n'], job, receipt, now, time.time(), now - args['sent']))
            to_complete = OUTCOMES[args['outcome']](cursor, receipt)
            held += [to_complete] if to_complete else []
        if not rows:
            if stop.is_set():
                break
            time.sleep(IDLE)
    results.put(('worked', index, (finished, runs)))


def turn(stop, results):
    """Rotates and prunes as a worker of the database would."""
    _, cursor = connect('turning')
    due, outcomes = [(time.time() + every, ring) for ring, every in TURN.items()], collections.Counter()
    heapq.heapify(due)
    while not stop.wait(max(0, due[0][0] - time.time())):
        at, ring = heapq.heappop(due)
        for verb in ('rotate', 'prune'):
            cursor.execute(f"CALL awa.{verb}('{ring}')")
            outcomes[f'{verb}({ring}) {cursor.fetchone()[0]}'] += 1
        heapq.heappush(due, (at + TURN[ring], ring))
    results.put(('turned', None, outcomes))


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
        self.requests = list(enumerate(TRACES[arguments.trace]()))[:arguments.first]
        self.tenants = sorted({request.tenant for _, request in self.requests})
        self.done, self.stop, self.queue = multiprocessing.Value('q', 0), multiprocessing.Event(), multiprocessing.Queue()
        self.results = {'produced': [], 'worked': [], 'turned': [], 'broken': []}
        self.failed = 0

    def report(self, holds, what, detail=''):
        self.failed += not holds
        print(f"{'ok' if holds else 'not ok'} - {what}", flush=True)
        if not holds:
            print(f'# {str(detail)[:3000]}', flush=True)

    def set_up(self):
        _, self.cursor = connect('replay')
        self.cursor.execute('CREATE EXTENSION awa_ring')
        for tenant in self.tenants:
            self.cursor.execute('SELECT awa.create_queue(%s)', [tenant])

    def processes(self):
        a, start = self.arguments, time.time() + 0.5
        for tenant in self.tenants:
            yield (produce, tenant, [r for r in self.requests if r[1].tenant == tenant], a.speed, start, self.queue)
        for index in range(a.workers):
            yield (work, index, self.tenants, a.work / a.speed, self.done, self.stop, self.queue)
        yield (turn, self.stop, self.queue)

    def gather(self, wait):
        with contextlib.suppress(queue.Empty):
            kind, who, what = self.queue.get(timeout=wait)
            self.results[kind].append((who, what))

    def run(self):
        started = [multiprocessing.Process(target=guarded, args=each, daemon=True) for each in self.processes()]
        for process in started:
            process.start()
        last, since = -1, time.monotonic()
        while self.done.value < len(self.requests) and not self.results['broken']:
            self.gather(0.2)
            produced = len(self.results['produced']) == len(self.tenants)
            if self.done.value != last or not produced:
                last, since = self.done.value, time.monotonic()
            if time.monotonic() > since + STALLED:
                break
        self.stop.set()
        until = time.monotonic() + 60
        while sum(map(len, self.results.values())) < len(started) and time.monotonic() < until:
            self.gather(1)
        for process in started:
            process.join(10)

    def account(self):
        """What was enqueued against what was worked on and completed; kept by the clients alone."""
        enqueued = {number: job for _, (ids, _) in self.results['produced'] for number, job in ids}
        runs = [run for _, (_, runs) in self.results['worked'] for run in runs]
        finished = collections.Counter(receipt for _, (receipts, _) in self.results['worked'] for receipt in receipts)
        wanted = {number for number, _ in self.requests}
        self.report(set(enqueued) == wanted, f'{len(enqueued)} of {len(wanted)} requests were enqueued')
        times = collections.Counter(number for number, *_ in runs)
        self.report(set(times) == wanted and max(times.values()) == 1, f'{len(runs)} runs, each request once',
                    [number for number in wanted if times[number] != 1][:20])
        self.report(all(enqueued.get(number) == job for number, job, *_ in runs), 'each run was of the job that was enqueued for it')
        completed = {number for number, _, receipt, *_ in runs if finished[receipt] == 1}
        self.report(completed == wanted, f'{len(completed)} requests completed, each once', list(wanted - completed)[:20])
        return runs

    def compare(self):
        """The same, as the extension has it."""
        for tenant in self.tenants:
            self.cursor.execute('SELECT to_jsonb(c) FROM awa.queue_counts(%s) c', [tenant])
            counts = {state: n for state, n in self.cursor.fetchone()[0].items() if n}
            n = sum(request.tenant == tenant for _, request in self.requests)
            self.report(counts == {'completed': n}, f'queue_counts({tenant}) says {counts}', f'{n} expected')
        self.cursor.execute('SELECT * FROM awa.check()')
        violations = self.cursor.fetchall()
        self.report(not violations, f'check() finds {len(violations)} violations', violations[:10])

    def go(self):
        self.set_up()
        began = time.time()
        self.run()
        took = time.time() - began
        for _, trace in self.results['broken']:
            self.report(False, 'every process came to its end', trace)
        runs = self.account()
        self.compare()
        late = max((late for _, (_, late) in self.results['produced']), default=0.0)
        print(f'# {len(runs)} requests of {len(self.tenants)} tenants in {took:.0f} s at {self.arguments.speed:g} times their speed, '
              f'{self.arguments.workers} workers; producers were at most {1000 * late:.0f} ms late')
        for _, outcomes in self.results['turned']:
            print('# ' + ', '.join(f'{n} {what}' for what, n in sorted(outcomes.items())))
        if runs:
            print('# from the call of enqueue to a worker:')
            for line in histogram([run[5] for run in runs]):
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
