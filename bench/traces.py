"""The traces of real work that replay.py knows: what arrives when, and what becomes of it."""
import collections
import csv
import lzma
import os

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data')

# at, duration: seconds, at from the start of the trace. outcomes: what a worker does at the end of each run; after the last the job is in
# `state`. The names of outcomes are methods of replay.Worker.
Request = collections.namedtuple('Request', 'at duration tenant priority outcomes state')
# settings: of the queues. batch: jobs that a worker claims at a time.
Trace = collections.namedtuple('Trace', 'requests settings batch')


def rows_of(name):
    with lzma.open(os.path.join(DATA, name), 'rt') as file:
        yield from csv.DictReader(file)


def azure():
    """No outcomes are known, all are completed; a generated token takes 30 ms."""
    at = 0
    for row in rows_of('azure-llm-requests.csv.xz'):
        at += int(row['after_us'])
        yield Request(at / 1e6, int(row['generated_tokens']) * 0.03, row['service'], 2, ('complete',), 'completed')


# The last event of a job there, what its worker does here, and the state it ends in.
BORG = {
    'FINISH': ('complete', 'completed'),
    'FAIL': ('fail_for_good', 'failed'),
    'KILL': ('be_killed', 'cancelled'),   # by somebody else, while it runs
    'LOST': ('be_lost', 'failed'),        # its worker says no more: found stale, its one attempt is over
    'EVICT': ('put_off', 'scheduled'),    # pre-empted, and to be taken up another day
    'UNFINISHED': ('go_on', 'running'),
}


def borg():
    """A job that was submitted again had failed before."""
    at = 0
    for row in rows_of('borg-jobs.csv.xz'):
        at += int(row['after_us'])
        last, state = BORG[row['outcome']]
        outcomes = ('fail_once',) * (int(row['runs']) - 1) + (last,)
        yield Request(at / 1e6, int(row['run_us'] or 0) / 1e6, row['tenant'], 4 - int(row['scheduling_class']), outcomes, state)


# Attempts that say nothing for so long are lost; no worker that lives is silent for that long.
TRACES = {
    'azure': lambda: Trace(azure(), {}, 1),
    'borg': lambda: Trace(borg(), {'stale_after': '15 s'}, 10),
}
