"""8 producers and 4 claimers at work (load.py) while processes of their own turn and empty the rings, history kept for no time. At the end:
nothing lost, nothing twice, and the rings went round."""
import collections
import os
import random
import sys
import time

import account
import load
import turning

PRODUCERS, CLAIMERS = 8, 4
ALLOWED = ('55P03', '40P01')  # as in producers-and-claimers
# A slot lives until its last job is done: a long backlog would be the measure of the ring, not the ring itself.
load.MOST_WAITING = 500


def main(start_turners, wraps_in_60_s):
    """start_turners: as those of turning.py."""
    script = os.path.basename(sys.argv[0])
    argument = dict(enumerate(sys.argv))
    seconds = float(argument.get(1) or os.environ.get('AWA_STRESS_SECONDS') or 60)
    seed = argument.get(2) or os.environ.get('AWA_SEED') or str(random.randrange(10**9))
    failed = 0

    def report(holds, what, detail=''):
        nonlocal failed
        failed += not holds
        print(f"{'ok' if holds else 'not ok'} - {what}", flush=True)
        if not holds:
            print(f'# {detail} (seed {seed})', flush=True)

    print(f'# seed {seed}: test/stress/{script} {seconds:g} {seed}', flush=True)
    connection, cursor = account.connect()
    account.set_up(cursor)
    cursor.execute('SHOW max_prepared_transactions')
    prepared = int(cursor.fetchone()[0]) >= 2 * PRODUCERS
    if not prepared:
        print(f'ok - prepared transactions # SKIP max_prepared_transactions is below {2 * PRODUCERS}', flush=True)

    shared = load.Shared(seed)
    began = time.monotonic()
    processes = load.start(shared, PRODUCERS, CLAIMERS, prepared)
    turners = start_turners()
    looks, violations, next_look = 0, [], began + 5
    while time.monotonic() < began + seconds:
        time.sleep(0.2)
        if time.monotonic() > next_look:
            cursor.execute('SELECT * FROM awa.check()')
            violations += cursor.fetchall()
            looks += 1
            next_look = time.monotonic() + 10
    shared.stop.set()
    for process in processes:
        process.join(60)
    took = time.monotonic() - began
    turned = turning.generations(cursor)
    completed = shared.completed.value
    report(all(process.exitcode == 0 for process in processes), 'every process came to its end',
           [(process.name, process.exitcode) for process in processes])
    # The rings go on turning under the last claims.
    drained = account.drain(cursor)
    time.sleep(0.5)
    for turner in turners:
        turner.finish()
        report(not turner.errors, f'errors of {turner.verb}({turner.ring}) = {len(turner.errors)}', turner.errors[:5])
    report(not violations, f'check() under load, {looks} times: {len(violations)} violations', violations[:20])
    errors = collections.Counter(state for _, state, _ in shared.errors)
    print(f'# errors that may happen: {({s: n for s, n in errors.items() if s in ALLOWED})}', flush=True)
    strange = [error for error in shared.errors if error[1] not in ALLOWED]
    report(not strange, f'errors that must not happen = {len(strange)}', strange[:10])
    for holds, what, detail in turning.checks(cursor, True):
        report(holds, what, detail)
    cursor.execute('SELECT count(*) FROM tally.enqueued')
    enqueued = cursor.fetchone()[0]
    report(enqueued > 0 and completed > 0, 'work was done', (enqueued, completed))
    wanted = wraps_in_60_s * min(seconds, 60) / 60
    for ring, slots in turning.RINGS:
        wraps = turned[ring] / slots
        rotations = next((t.outcomes['rotated'] for t in turners if (t.verb, t.ring) == ('rotate', ring)), 'some')
        report(wraps >= wanted, f'the {ring} ring wrapped {wraps:.1f} times in {took:.0f} s, {wanted:.1f} wanted',
               f'generation {turned[ring]} by {rotations} rotations')
        print(f'# {ring}: generation {turned[ring]} by {rotations} rotations, the others stepped over slots in use', flush=True)
    cursor.execute('SELECT sum(jobs) FROM awa.queue_terminal_rollups')
    pruned = cursor.fetchone()[0] or 0
    report(pruned > 0, 'history was pruned', pruned)
    print(f'# {seconds:g} s: {enqueued} jobs enqueued and committed ({enqueued / took:.0f}/s), {completed} completed under load '
          f'({completed / took:.0f}/s), {drained} drained at the end, {pruned} pruned; {shared.transactions.value} transactions',
          flush=True)
    sys.exit(1 if failed else 0)

