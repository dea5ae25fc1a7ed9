"""What the cost of a claim must not grow with: backlog, history, queues, the age of the oldest transaction.

Each value has a database of its own, so that nothing but the value differs. A claim takes 10 jobs and is timed by itself; it is
completed, and after 100 of them the queue gets 1,000 jobs again. Nobody waits for the disk, which would hide what grows.
"""
import collections
import statistics

from harness import ONE, Target, at, cell

from .working import claimed_total, fill_ours, fill_table, turn_rings

COST = {'claim': 'ms a claim of 10', 'complete': 'ms'}
NO_WAIT = '-c synchronous_commit=off'
BATCH = 10
OURS_AND_TABLE = (('awa_ring', 'awa_refill'), ('skip_locked', 'table_refill'))


def same_cost(*values, than):
    """The target of a series of ours."""
    return tuple(Target('claim', at('awa_ring', than), at_most=1.3, of=at('awa_ring', value)) for value in values)


def waiting(place, contestant, queue):
    if contestant == 'awa_ring':
        return place.kept[queue] - claimed_total(place, queue)
    return place.value("SELECT count(*) FROM bench.jobs WHERE queue = %s AND state = 'available'", queue)


def claim_cost(place, contestant, script, backlog=1000, queue='work', queues=None):
    """What a claim of the queue costs and a completion, in a second of them. Refuses a figure of claims that found less than 10."""
    {'awa_ring': fill_ours, 'skip_locked': fill_table}[contestant](place, queue, backlog)
    before = waiting(place, contestant, queue)
    names = {'queues': '{' + ','.join(queues or [queue]) + '}'} if contestant == 'awa_ring' else {}
    done = place.pgbench(place.script(script, queue=queue, batch=BATCH, **names), seconds=1, commands=True, settings=NO_WAIT,
                         n=0, one=ONE)
    refilled = done.transactions * BATCH // 1000 * 1000
    if contestant == 'awa_ring':
        place.kept[queue] += refilled
    left = waiting(place, contestant, queue)
    if left != before - done.transactions * BATCH + refilled:
        raise RuntimeError(f'{contestant}: of {before} jobs {left} are left after {done.transactions} claims')
    return done.commands


def record_costs(bench, measured):
    """measured: (contestant, value) -> the costs of some seconds, of which the median is recorded: others are at work too."""
    for (contestant, value), costs in measured.items():
        bench.record(at(contestant, value), claim=statistics.median(of[0] for of in costs),
                     complete=statistics.median(of[1] for of in costs))


def place_of(bench, name, value, prepare):
    """The database of a value, prepared when it is new."""
    known = f'{name}_{value}' in bench.kept.get('databases', {})
    place = bench.beside(f'{name}_{value}')
    if not known:
        turn_rings(place)
        prepare(place, value)
    return place


def series(bench, name, values, prepare):
    """Each value in turn, for each contestant, several times a round."""
    places = {value: place_of(bench, name, value, prepare) for value in values}
    measured = collections.defaultdict(list)
    for _ in range(2 * bench.seconds):
        for value in bench.turns(*values):
            for contestant, script in bench.turns(*OURS_AND_TABLE):
                backlog = value if name == 'backlog' else 1000
                measured[contestant, value].append(claim_cost(places[value], contestant, script, backlog))
    record_costs(bench, measured)


def fill(place, jobs, queue='work'):
    fill_ours(place, queue, jobs)
    fill_table(place, queue, jobs)


def work_off_ours(place, jobs, pieces):
    """So many jobs pass through, claimed 10 by 10; meanwhile the rings turn so many times, as in an hour."""
    for _ in range(pieces):
        fill_ours(place, 'work', jobs // pieces)
        place.pgbench(place.script('awa_work', queue='work', batch=BATCH), transactions=jobs // pieces // BATCH, settings=NO_WAIT,
                      receipts='{}')
        place.keep_house()


def work_off_table(place, jobs, pieces):
    """In fewer and larger steps, which leave the same: under a pin 100,000 claims would take hours."""
    for _ in range(pieces):
        fill_table(place, 'work', jobs // pieces)
        place.pgbench(place.script('table_work', queue='work', batch=jobs // pieces // 5), transactions=5, settings=NO_WAIT)


@cell('claim of 10 at a backlog of 1,000, 100,000 and 1,000,000 jobs', COST, usual=False, rounds=5,
      targets=same_cost(100_000, 1_000_000, than=1000))
def scaling_backlog(bench):
    series(bench, 'backlog', (1000, 100_000, 1_000_000), fill)


def much_history(place, jobs):
    if jobs:
        work_off_ours(place, jobs, 12)
        work_off_table(place, jobs, 12)


@cell('claim of 10 with no history and with 1,000,000 jobs that were done within the hour, in 12 of 16 slots', COST, usual=False,
      rounds=5, targets=same_cost(1_000_000, than=0))
def scaling_history(bench):
    series(bench, 'history', (0, 1_000_000), much_history)
    turn_rings(bench.beside('history_0'))  # what was done meanwhile goes


def many_queues(place, queues):
    """10 jobs wait in each."""
    place.sql("SELECT count(awa.create_queue('queue' || n)) FROM generate_series(1, %s) n", queues)
    for first in range(1, queues + 1, 1000):
        place.sql("SELECT count(awa.enqueue('queue' || n, 'bench', %s::jsonb)) FROM generate_series(%s, %s) n, generate_series(1, %s)",
                  ONE, first, min(first + 999, queues), BATCH)
    place.sql("INSERT INTO bench.jobs (queue, kind, args) SELECT 'queue' || n, 'bench', %s FROM generate_series(1, %s) n, "
              "generate_series(1, %s)", ONE, queues, BATCH)


@cell('claim of 10 from one queue where there is 1, and where there are 100 and 10,000 more with jobs', COST, usual=False, rounds=5,
      targets=same_cost(100, 10_000, than=1))
def scaling_queues(bench):
    series(bench, 'queues', (1, 100, 10_000), many_queues)


def idle_queues(place, queues):
    """Queues that were in use and are empty."""
    many_queues(place, queues)
    names = [f'queue{n}' for n in range(1, queues + 1)]
    while place.value('SELECT coalesce(sum(awa.complete(ARRAY[receipt])), 0) FROM awa.claim(%s, 10000)', names):
        pass


@cell('claim of 10 from a list of queues of which one has jobs', COST, usual=False, rounds=5)
def scaling_listed(bench):
    place = place_of(bench, 'listed', 1000, idle_queues)
    measured = collections.defaultdict(list)
    for _ in range(2 * bench.seconds):
        for value in bench.turns(1, 10, 100, 1000):
            names = ['work'] + [f'queue{n}' for n in range(1, value)]
            measured['awa_ring', value].append(claim_cost(place, *OURS_AND_TABLE[0], queues=names))
    record_costs(bench, measured)


@cell('claim of 10 after so many jobs came and went while a session held a snapshot and a transaction id; at 0 in a database beside',
      {**COST, 'of_new': 'of that at 0 at the same time'}, usual=False, rounds=3,
      targets=tuple(Target('of_new', at_most=1.3, of=at('awa_ring', value)) for value in (10_000, 100_000, 1_000_000)))
def scaling_age(bench):
    place, new = bench.beside('age'), bench.beside('age_0')
    turn_rings(place)
    turn_rings(new)
    measured = collections.defaultdict(list)
    with place.transaction('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'SELECT pg_current_xact_id()'):
        passed = 0
        for value, pieces in ((10_000, 2), (100_000, 3), (1_000_000, 6)):
            work_off_ours(place, value - passed, pieces)
            work_off_table(place, value - passed, pieces)
            passed = value
            meanwhile = collections.defaultdict(list)
            for _ in range(2 * bench.seconds):
                for contestant, script in bench.turns(*OURS_AND_TABLE):
                    measured[contestant, value].append(claim_cost(place, contestant, script))
                    meanwhile[contestant].append(claim_cost(new, contestant, script))
            for contestant, costs in meanwhile.items():
                measured[contestant, 0] += costs
                bench.record(at(contestant, value), of_new=statistics.median(of[0] for of in measured[contestant, value]) /
                             statistics.median(of[0] for of in costs))
    record_costs(bench, measured)
    bench.leave('age')
    bench.leave('age_0')
